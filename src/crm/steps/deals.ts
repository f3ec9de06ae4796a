import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { fetchDealsAfter, fetchDealsById } from '../bitrix24/deals.ts'
import { PAGE } from '../bitrix24/rows.ts'
import { NONE } from '../quarantine/store.ts'
import type { CrmStep } from './step.ts'
import { storeDeals } from './store-deals.ts'

/** How long a change can take until the portal shows it. */
const OVERLAP_MS = 10 * 60_000
/** A portal clock that is further ahead is wrong. */
const MOST_AHEAD_MS = 48 * 3600_000

interface Position {
  /** The portal's clock when the last whole pass started. */
  from: string
  funnels: number[]
}

/** A part of a pass: funnels that are read from the same time on. */
interface Part {
  funnels: number[]
  /** Deals changed since then; null for all of them. */
  from: string | null
}

interface Cursor {
  /** The portal's clock when this pass started; null before its first response. */
  t0: string | null
  /** Of the whole pass. */
  funnels: number[]
  parts: Part[]
  lastId: number
}

/** Reads deals changed since the last pass, by the portal's clock, because rows can share a time or carry a future one. */
export const dealsStep: CrmStep<Position, Cursor> = {
  name: 'deals',
  intervalSeconds: 600,
  after: 'stages',
  waitsFor: async (core) => ((await wantedFunnels(core)).length > 0 ? null : 'department-funnels'),
  async *pages(core, reading) {
    const { asking, position } = reading
    let at: Cursor = reading.cursor ?? begin(await wantedFunnels(core), position)
    while (at.parts.length > 0) {
      const [part, ...others] = at.parts as [Part, ...Part[]]
      const { rows, rejected, lastId, isLast, startedAt } = await fetchDealsAfter(core, asking, part, at.lastId)
      const t0 = at.t0 ?? clockOf(startedAt).toISOString()
      at = isLast ? { ...at, t0, parts: others, lastId: 0 } : { ...at, t0, lastId }
      const store = (sql: Sql) => storeDeals(sql, rows, rejected)
      yield { cursor: at, store }
    }
    // Without this, merged deals would count twice until the next full pass over all deals.
    const siblings = position ? await findSiblings(core, overlapping(position.from)) : []
    if (siblings.length === 0) return
    const { missing } = await fetchDealsById(core, asking, siblings)
    yield { cursor: at, store: (sql) => flagMissing(sql, missing) }
  },
  end: (_, __, ___, cursor) =>
    Promise.resolve(cursor?.t0 ? { position: { from: cursor.t0, funnels: cursor.funnels } } : {}),
}

/** The funnels of all departments: deals are read from no others. */
async function wantedFunnels({ pool }: Core): Promise<number[]> {
  const text = 'SELECT DISTINCT unnest(funnels) AS id FROM departments ORDER BY id'
  return (await pool.query<{ id: string }>({ text })).rows.map(({ id }) => Number(id))
}

const overlapping = (from: string): string => new Date(Date.parse(from) - OVERLAP_MS).toISOString()

/** The portal's clock, or ours if it is wrong: a clock in the future would lose changes until that time. */
const clockOf = (startedAt: Date): Date =>
  +startedAt > 0 && +startedAt < Date.now() + MOST_AHEAD_MS ? startedAt : new Date()

function begin(wanted: number[], position: Position | undefined): Cursor {
  const known = wanted.filter((funnel) => position?.funnels.includes(funnel))
  const others = wanted.filter((funnel) => !known.includes(funnel))
  const parts: Part[] = []
  if (position && known.length > 0) parts.push({ funnels: known, from: overlapping(position.from) })
  if (others.length > 0) parts.push({ funnels: others, from: null })
  return { t0: null, funnels: wanted, parts, lastId: 0 }
}

/** Deals that changed in the portal and were just read. New deals are not the result of a merge. */
const CHANGED = `k.changed_at > now() - interval '1 hour' AND k.updated_at >= $1 AND k.created_at < $1 AND o.id <> k.id`

/** Finds deals that a merge can have deleted: another deal of their client changed. The weekly pass finds the rest. */
async function findSiblings({ pool }: Core, from: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    text: `SELECT s.id FROM crm_deals s
            WHERE s.gone_at IS NULL AND s.missed_at IS NULL AND s.id IN (
              SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.contact_ids && k.contact_ids WHERE ${CHANGED}
              UNION SELECT o.id FROM crm_deals k JOIN crm_deals o ON o.company_id = k.company_id WHERE ${CHANGED})
            ORDER BY s.id DESC LIMIT ${PAGE}`,
    values: [from],
  })
  return rows.map(({ id }) => id)
}

/** Flags deals that the portal no longer returns; the nightly control decides whether they are gone. */
async function flagMissing(sql: Sql, ids: string[]) {
  const text =
    'UPDATE crm_deals SET missed_at = now(), changed_at = now() WHERE id = ANY($1::bigint[]) AND missed_at IS NULL'
  await sql.query({ text, values: [ids] })
  return NONE
}
