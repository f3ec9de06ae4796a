import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { fetchDealsAfterId, fetchDealsById } from '../bitrix24/deals.ts'
import { PORTAL_PAGE_SIZE } from '../bitrix24/rows.ts'
import { ZERO_PAGE_COUNTS } from '../quarantine/store.ts'
import type { CrmStep } from './crm-step.ts'
import { storePortalDeals } from './store-deals.ts'

/** The portal can show a change this much later. */
const OVERLAP_MS = 10 * 60_000
/** A clock of the portal that is further ahead is wrong. */
const MAX_CLOCK_AHEAD_MS = 48 * 3600_000

interface Position {
  /** The start of the last complete pass, by the clock of the portal. */
  from: string
  funnels: number[]
}

/** The funnels of a pass that are read from the same time. */
interface PassPart {
  funnels: number[]
  /** Selects deals changed since then; null selects all deals. */
  from: string | null
}

interface Cursor {
  /** The start of this pass, by the clock of the portal; null before its first response. */
  t0: string | null
  funnels: number[]
  parts: PassPart[]
  lastId: number
}

/** Reads the deals that changed since the last pass. It uses the clock of the portal, and an overlap for late changes. */
export const crmDealsStep: CrmStep<Position, Cursor> = {
  name: 'deals',
  intervalSeconds: 600,
  after: 'stages',
  waitsFor: async (core) => ((await listDepartmentFunnels(core)).length > 0 ? null : 'department-funnels'),
  async *pages(core, context) {
    const { access, position } = context
    let current: Cursor = context.cursor ?? createCursor(await listDepartmentFunnels(core), position)
    while (current.parts.length > 0) {
      const [part, ...others] = current.parts as [PassPart, ...PassPart[]]
      const { rows, rejected, lastId, isLast, startedAt } = await fetchDealsAfterId(core, access, part, current.lastId)
      const t0 = current.t0 ?? choosePlausibleTime(startedAt).toISOString()
      current = isLast ? { ...current, t0, parts: others, lastId: 0 } : { ...current, t0, lastId }
      const store = (sql: Sql) => storePortalDeals(sql, rows, rejected)
      yield { cursor: current, store }
    }
    // Otherwise, merged deals would count twice until the weekly check of all deals.
    const siblings = position ? await listSiblingDeals(core, subtractOverlap(position.from)) : []
    if (siblings.length === 0) return
    const { missing } = await fetchDealsById(core, access, siblings)
    yield { cursor: current, store: (sql) => flagMissingDeals(sql, missing) }
  },
  end: (_, __, ___, cursor) =>
    Promise.resolve(cursor?.t0 ? { position: { from: cursor.t0, funnels: cursor.funnels } } : {}),
}

/** Deals of other funnels are not read. */
async function listDepartmentFunnels({ pool }: Core): Promise<number[]> {
  const text = 'SELECT DISTINCT unnest(funnels) AS id FROM departments ORDER BY id'
  return (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => Number(id))
}

const subtractOverlap = (from: string): string => new Date(Date.parse(from) - OVERLAP_MS).toISOString()

/** Uses our clock if the portal's is wrong: with a time in the future, later passes would miss changes. */
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

/** True if deal k was just read after a change in the portal. A new deal cannot be the result of a merge. */
const JUST_CHANGED_SQL = `k.changed_at > now() - interval '1 hour' AND k.updated_at >= $1 AND k.created_at < $1 AND o.id <> k.id`

/** Lists deals that a merge can have deleted, because another deal of their client changed. The weekly check finds the others. */
async function listSiblingDeals({ pool }: Core, from: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT s.id FROM crm_deals s
            WHERE s.gone_at IS NULL AND s.missed_at IS NULL AND s.id IN (
              SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.contact_ids && k.contact_ids WHERE ${JUST_CHANGED_SQL}
              UNION SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.company_id = k.company_id WHERE ${JUST_CHANGED_SQL})
            ORDER BY s.id DESC LIMIT ${PORTAL_PAGE_SIZE}`,
    values: [from],
  })
  return rows.map(({ id }) => id)
}

/** Flags deals that the portal does not return. The nightly control decides whether they are gone. */
async function flagMissingDeals(sql: Sql, ids: string[]) {
  const text =
    'UPDATE crm_deals SET missed_at = now(), changed_at = now() WHERE id = ANY($1::bigint[]) AND missed_at IS NULL'
  await sql.query({ text, values: [ids] })
  return ZERO_PAGE_COUNTS
}
