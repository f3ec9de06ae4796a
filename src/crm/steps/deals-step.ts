import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { fetchDealsAfter, fetchDealsById } from '../bitrix24/deals.ts'
import { PAGE_SIZE } from '../bitrix24/rows.ts'
import { ZERO_COUNTS } from '../quarantine/store.ts'
import type { CrmStep } from './crm-step.ts'
import { storeDeals } from './store-deals.ts'

/** How long a change can take until the portal shows it. */
const OVERLAP_MS = 10 * 60_000
/** A portal clock that is further ahead is wrong. */
const MAX_CLOCK_AHEAD_MS = 48 * 3600_000

interface Position {
  /** The portal's clock when the last whole pass started. */
  from: string
  funnels: number[]
}

/** A part of a pass: funnels that are read from the same time on. */
interface PassPart {
  funnels: number[]
  /** Deals changed since then; null for all of them. */
  from: string | null
}

interface Cursor {
  /** The portal's clock when this pass started; null before its first response. */
  t0: string | null
  /** Of the whole pass. */
  funnels: number[]
  parts: PassPart[]
  lastId: number
}

/** Reads deals changed since the last pass, by the portal's clock, because rows can share a time or carry a future one. */
export const dealsStep: CrmStep<Position, Cursor> = {
  name: 'deals',
  intervalSeconds: 600,
  after: 'stages',
  waitsFor: async (core) => ((await listDepartmentFunnels(core)).length > 0 ? null : 'department-funnels'),
  async *pages(core, context) {
    const { access, position } = context
    let current: Cursor = context.cursor ?? createCursor(await listDepartmentFunnels(core), position)
    while (current.parts.length > 0) {
      const [part, ...others] = current.parts as [PassPart, ...PassPart[]]
      const { rows, rejected, lastId, isLast, startedAt } = await fetchDealsAfter(core, access, part, current.lastId)
      const t0 = current.t0 ?? choosePlausibleTime(startedAt).toISOString()
      current = isLast ? { ...current, t0, parts: others, lastId: 0 } : { ...current, t0, lastId }
      const store = (sql: Sql) => storeDeals(sql, rows, rejected)
      yield { cursor: current, store }
    }
    // Without this, merged deals would count twice until the next full pass over all deals.
    const siblings = position ? await listSiblingDeals(core, subtractOverlap(position.from)) : []
    if (siblings.length === 0) return
    const { missing } = await fetchDealsById(core, access, siblings)
    yield { cursor: current, store: (sql) => flagMissingDeals(sql, missing) }
  },
  end: (_, __, ___, cursor) =>
    Promise.resolve(cursor?.t0 ? { position: { from: cursor.t0, funnels: cursor.funnels } } : {}),
}

/** The funnels of all departments: deals are read from no others. */
async function listDepartmentFunnels({ pool }: Core): Promise<number[]> {
  const text = 'SELECT DISTINCT unnest(funnels) AS id FROM departments ORDER BY id'
  return (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => Number(id))
}

const subtractOverlap = (from: string): string => new Date(Date.parse(from) - OVERLAP_MS).toISOString()

/** The portal's clock, or ours if it is wrong: a clock in the future would lose changes until that time. */
const choosePlausibleTime = (startedAt: Date): Date =>
  +startedAt > 0 && +startedAt < Date.now() + MAX_CLOCK_AHEAD_MS ? startedAt : new Date()

function createCursor(departmentFunnels: number[], position: Position | undefined): Cursor {
  const knownFunnels = departmentFunnels.filter((funnel) => position?.funnels.includes(funnel))
  const others = departmentFunnels.filter((funnel) => !knownFunnels.includes(funnel))
  const parts: PassPart[] = []
  if (position && knownFunnels.length > 0) parts.push({ funnels: knownFunnels, from: subtractOverlap(position.from) })
  if (others.length > 0) parts.push({ funnels: others, from: null })
  return { t0: null, funnels: departmentFunnels, parts, lastId: 0 }
}

/** Deals that changed in the portal and were just read. New deals are not the result of a merge. */
const JUST_CHANGED_SQL = `k.changed_at > now() - interval '1 hour' AND k.updated_at >= $1 AND k.created_at < $1 AND o.id <> k.id`

/** Finds deals that a merge can have deleted: another deal of their client changed. The weekly pass finds the rest. */
async function listSiblingDeals({ pool }: Core, from: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT s.id FROM crm_deals s
            WHERE s.gone_at IS NULL AND s.missed_at IS NULL AND s.id IN (
              SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.contact_ids && k.contact_ids WHERE ${JUST_CHANGED_SQL}
              UNION SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.company_id = k.company_id WHERE ${JUST_CHANGED_SQL})
            ORDER BY s.id DESC LIMIT ${PAGE_SIZE}`,
    values: [from],
  })
  return rows.map(({ id }) => id)
}

/** Flags deals that the portal no longer returns; the nightly control decides whether they are gone. */
async function flagMissingDeals(sql: Sql, ids: string[]) {
  const text =
    'UPDATE crm_deals SET missed_at = now(), changed_at = now() WHERE id = ANY($1::bigint[]) AND missed_at IS NULL'
  await sql.query({ text, values: [ids] })
  return ZERO_COUNTS
}
