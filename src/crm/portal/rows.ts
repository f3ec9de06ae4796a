import type { Core } from '../../core.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import type { Params } from './query.ts'

/** So many rows the portal gives at once. */
export const PAGE = 50

/** A row of the portal, as it comes. */
export type Row = Record<string, unknown>

/** A page of rows. */
export interface Rows {
  rows: Row[]
  startedAt: Date
}

/** The rows of an answer: a list, or a map as PHP makes it of a list with gaps; whatever is no row is passed over. */
export const rowsOf = (result: unknown): Row[] =>
  Object.values(asObject(result)).filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )

/** How a list is asked for behind an id. */
export interface IdList {
  method: string
  params: Params
  /** The name that the filter and the order have, and the id in a row. */
  filter: 'filter' | 'FILTER'
  id: 'ID' | 'id'
  /** The order by id, as this method wants it. */
  order: Params
  /** Where the rows are within the result. */
  within?: string
}

/**
 * The rows behind an id, by ascending id. `start: -1` has the portal count nothing; an offset would miss rows that come or
 * go meanwhile.
 */
export async function readBehind(core: Core, asking: Asking, list: IdList, lastId: number): Promise<Rows> {
  const { method, params, filter, id, order, within } = list
  const answer = await callPortal(core, asking, method, {
    ...params,
    ...order,
    [filter]: { ...asObject(params[filter]), [`>${id}`]: lastId },
    start: -1,
  })
  const rows = rowsOf(within ? asObject(answer.result)[within] : answer.result)
  return { rows, startedAt: answer.startedAt }
}
