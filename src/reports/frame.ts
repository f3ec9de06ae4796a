import type { Actor } from '../platform/http/actor.ts'
import type { Core } from '../platform/core.ts'
import { Parameters } from '../platform/lib/where.ts'
import { COUNTED } from './definitions/calls.ts'
import { readPeriod, type Period } from '../platform/lib/period.ts'
import type { Frame } from './schema.ts'
import { managersOf, of, type Managers, type Narrowing } from './scope.ts'

/** What a report is asked. */
export interface Asked extends Narrowing {
  from?: string
  to?: string
  funnel?: number
}

/** A period, and the managers that a report of it tells of. */
export interface Scope {
  period: Period
  managers: Managers
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

/** What every report begins with. @param counting its calls, where the report counts them anyway, in whatever parts */
export async function frameOf(
  core: Core,
  scope: Scope,
  asked: Asked,
  counting: Promise<Counted[]> = countCalls(core, scope),
): Promise<Frame> {
  const { from, to, timeZone, complete } = scope.period
  const coverage = await coverageOf(core, scope, counting)
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

/** Calls of a scope, as a condition on recordings r, or on links r. */
export function callsOf(p: Parameters, { period, managers }: Pick<Scope, 'period' | 'managers'>): string {
  const [since, until] = [period.since, period.until].map((bound) => `${p.add(bound)}::timestamptz`)
  return `r.call_at >= ${since} AND r.call_at < ${until} AND ${p.and(of(managers))}`
}

/** Calls, those with a text, and those with a score. */
export type Counted = Omit<Frame['coverage'], 'linked'>

async function countCalls({ pool }: Core, scope: Scope): Promise<Counted[]> {
  const p = new Parameters()
  const { rows } = await pool.query<Counted>({
    text: `SELECT ${COUNTED} FROM recordings r WHERE ${callsOf(p, scope)}`,
    values: p.values,
  })
  return rows
}

async function coverageOf({ pool }: Core, scope: Scope, counting: Promise<Counted[]>): Promise<Frame['coverage']> {
  const p = new Parameters()
  // Links know whose and when their call was; one of several deals has several.
  const linking = pool.query<{ linked: number }>({
    text: `SELECT count(*)::int AS linked FROM (
             SELECT DISTINCT r.call_at, r.recording_id FROM crm_call_deals r WHERE NOT r.ambiguous AND ${callsOf(p, scope)}) r`,
    values: p.values,
  })
  const [counted, linked] = await Promise.all([counting, linking])
  const total = (name: keyof Counted) => counted.reduce((sum, row) => sum + row[name], 0)
  return { calls: total('calls'), done: total('done'), checked: total('checked'), ...linked.rows[0]! }
}
