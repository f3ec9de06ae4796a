import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { asObject, callPortal, type Asking } from '../bitrix24/client.ts'
import { portalMessages } from '../bitrix24/messages.ts'
import { readBehind, rejectStrangers, rowsOf, type Row } from '../bitrix24/rows.ts'
import { filterTime, idOf, numberOf, timeOf } from '../bitrix24/values.ts'
import { DEAL } from './funnels.ts'
import { findSiblings, markMissing } from './merged.ts'
import { DEAL_FIELDS, storeDeals } from './store-deals.ts'
import type { CrmStep, ReadPage, Reading } from './step.ts'
import { hasSucceeded, wantedFunnels } from './waits.ts'

/** How long a change may take until the portal shows it: what it shows late would else be lost. */
const OVERLAP_MS = 10 * 60_000

interface Position {
  /** The portal's clock when the last whole pass began. */
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
  /** The portal's clock when this pass began; null until it has told. */
  t0: string | null
  /** Of the whole pass. */
  funnels: number[]
  parts: Part[]
  lastId: number
}

/**
 * Deals that changed since the last pass began, by the portal's clock and never by the time of a row: deals that share a
 * second, or carry a time to come, would be lost. Funnels that were not read before are read whole.
 */
export const dealsStep: CrmStep<Position, Cursor> = {
  name: 'deals',
  intervalSeconds: 600,
  async waitsFor(core) {
    if (!(await hasSucceeded(core, 'stages'))) return 'stages'
    return (await wantedFunnels(core)).length > 0 ? null : 'department-funnels'
  },
  pages: readDeals,
  end: (_, __, ___, cursor) =>
    Promise.resolve(cursor?.t0 ? { position: { from: cursor.t0, funnels: cursor.funnels } } : {}),
}

async function* readDeals(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  let at: Cursor = reading.cursor ?? begin(await wantedFunnels(core), reading.position)
  while (at.parts.length > 0) {
    const [part, ...others] = at.parts as [Part, ...Part[]]
    const { rows, rejected, lastId, isLast, startedAt } = await readPage(core, reading, part, at.lastId)
    const t0 = at.t0 ?? clockOf(startedAt).toISOString()
    at = isLast ? { ...at, t0, parts: others, lastId: 0 } : { ...at, t0, lastId }
    const store = (sql: Sql) => storeDeals(sql, rows, reading.generation, rejected)
    yield { cursor: at, store, more: at.parts.length > 0 }
  }
  yield* lookForMerged(core, reading, at)
}

/** Without this, merged deals would count twice until the next full pass over all deals. */
async function* lookForMerged(
  core: Core,
  { asking, position }: Reading<Position, Cursor>,
  cursor: Cursor,
): AsyncGenerator<ReadPage<Cursor>> {
  const ids = position ? await findSiblings(core, new Date(Date.parse(position.from) - OVERLAP_MS)) : []
  if (ids.length === 0) return
  const rows = await readDealsById(core, asking, ids)
  const found = new Set(rows.map(({ id }) => idOf(id)))
  const missing = ids.filter((id) => !found.has(id))
  const store = async (sql: Sql) => {
    await markMissing(sql, missing)
    return { read: 0, new: 0, changed: 0, invalid: 0 }
  }
  yield { cursor, store, more: false }
}

/** A portal clock that is further ahead is wrong. */
const MOST_AHEAD_MS = 48 * 3600_000

/** The portal's clock, or ours if it is wrong: changes until that time would be lost. */
const clockOf = (startedAt: Date): Date =>
  +startedAt > 0 && +startedAt < Date.now() + MOST_AHEAD_MS ? startedAt : new Date()

function begin(wanted: number[], position: Position | undefined): Cursor {
  const known = wanted.filter((funnel) => position?.funnels.includes(funnel))
  const others = wanted.filter((funnel) => !known.includes(funnel))
  const parts: Part[] = []
  if (position && known.length > 0) {
    parts.push({ funnels: known, from: new Date(Date.parse(position.from) - OVERLAP_MS).toISOString() })
  }
  if (others.length > 0) parts.push({ funnels: others, from: null })
  return { t0: null, funnels: wanted, parts, lastId: 0 }
}

async function readPage(core: Core, { asking }: Reading<Position, Cursor>, { funnels, from }: Part, lastId: number) {
  const filter = { '@categoryId': funnels, ...(from && { '>=updatedTime': filterTime(new Date(from)) }) }
  const page = await readBehind(
    core,
    asking,
    {
      method: 'crm.item.list',
      params: { entityTypeId: DEAL, select: DEAL_FIELDS, filter },
      order: { order: { id: 'ASC' } },
      filter: 'filter',
      id: 'id',
      within: 'items',
    },
    lastId,
  )
  const refusal = { method: 'crm.item.list', words: portalMessages.otherDeals() }
  return { ...page, ...rejectStrangers(page, (row) => isStranger(row, funnels, from), refusal) }
}

/** Up to 50 deals, of whatever funnel; those that may not be seen are left out. @throws PortalError */
export async function readDealsById(core: Core, asking: Asking, ids: string[]): Promise<Row[]> {
  const { result } = await callPortal(core, asking, 'crm.item.list', {
    entityTypeId: DEAL,
    select: DEAL_FIELDS,
    filter: { '@id': ids },
    order: { id: 'ASC' },
    start: -1,
  })
  return rowsOf(asObject(result).items).filter(({ id }) => ids.includes(idOf(id) ?? ''))
}

/** Whether a row does not match the filter. A row without a valid date passes: parsing rejects it later. */
function isStranger({ categoryId, updatedTime }: Row, funnels: number[], from: string | null): boolean {
  const [funnel, updated] = [numberOf(categoryId), timeOf(updatedTime)]
  if (funnel !== null && !funnels.includes(funnel)) return true
  return updated !== null && from !== null && +updated < Math.floor(Date.parse(from) / 1000) * 1000
}
