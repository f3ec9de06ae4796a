import type { Core } from '../core.ts'
import type { Actor } from '../http/access.ts'
import { Parameters } from '../lib/where.ts'
import { readPeriod, type Period } from './definitions/period.ts'
import type { Frame } from './schema.ts'
import { managersOf, of, type Narrowing } from './scope.ts'

/** What a report is asked. */
export interface Asked extends Narrowing {
  from?: string
  to?: string
  funnel?: number
}

/** A period, and the managers that a report of it tells of. */
export interface Scope {
  period: Period
  managers: string[] | null
  funnel?: number
}

const LIMITS = { days: 90, most: 366 }

/** @throws HttpError 400 for a period that is none */
export async function readScope(core: Core, actor: Actor, asked: Asked): Promise<Scope> {
  const period = readPeriod(asked, core.config.APP_TIMEZONE, LIMITS)
  return {
    period,
    managers: await managersOf(core, actor, asked),
    ...(asked.funnel !== undefined && { funnel: asked.funnel }),
  }
}

/** What every report begins with. */
export async function frameOf(core: Core, scope: Scope, asked: Asked): Promise<Frame> {
  const { from, to, timeZone, complete } = scope.period
  const coverage = await coverageOf(core, scope)
  return {
    period: {
      from: from.toString(),
      to: to.toString(),
      timezone: timeZone,
      complete,
      asOf: new Date().toISOString(),
    },
    filters: {
      manager: asked.manager ?? null,
      department: asked.department ?? null,
      funnel: asked.funnel ?? null,
    },
    coverage,
  }
}

/** Calls of a scope, as a condition on recordings r. */
export function callsOf(p: Parameters, { period, managers }: Pick<Scope, 'period' | 'managers'>): string {
  const [since, until] = [period.since, period.until].map((bound) => `${p.add(bound)}::timestamptz`)
  return `r.call_at >= ${since} AND r.call_at < ${until} AND ${p.and(of(managers))}`
}

/** A call is done where it has its text, checked where it has a score, linked where one deal is meant beyond doubt. */
async function coverageOf({ pool }: Core, scope: Scope): Promise<Frame['coverage']> {
  const p = new Parameters()
  const within = callsOf(p, scope)
  const counting = pool.query<Omit<Frame['coverage'], 'linked'>>({
    text: `SELECT count(*)::int AS calls, count(*) FILTER (WHERE r.status = 'DONE')::int AS done,
                  count(r.score)::int AS checked
             FROM recordings r WHERE ${within}`,
    values: p.values,
  })
  const linking = pool.query<{ linked: number }>({
    text: `SELECT count(*)::int AS linked FROM recordings r
            WHERE ${within} AND EXISTS (SELECT FROM crm_call_deals l WHERE l.recording_id = r.id AND NOT l.ambiguous)`,
    values: p.values,
  })
  const [counted, linked] = await Promise.all([counting, linking])
  return { ...counted.rows[0]!, ...linked.rows[0]! }
}
