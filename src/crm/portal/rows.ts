import type { Core } from '../../core.ts'
import { numberOf } from '../values.ts'
import { asObject, callPortal, type Asking } from './client.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'
import type { Params } from './query.ts'

/** So many rows the portal gives at once. */
export const PAGE = 50

/** A row of the portal, as it comes. */
export type Row = Record<string, unknown>

/** A page of rows. */
export interface Rows {
  rows: Row[]
  /** The highest id up to here. */
  lastId: number
  /** Whether nothing is behind it. */
  isLast: boolean
  startedAt: Date
}

/** The rows of an answer: a list, or a map as PHP makes it of a list with gaps; whatever is no row is passed over. */
export const rowsOf = (result: unknown): Row[] =>
  Object.values(asObject(result)).filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )

/**
 * The same of a list that the portal gives page by page.
 * @throws PortalError for more than a page of it
 */
export function rowsOfPage(method: string, result: unknown): Row[] {
  if (Object.keys(asObject(result)).length <= PAGE) return rowsOf(result)
  throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.moreRows() })
}

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
 * go meanwhile. Some portals give an empty list in the place of a row that may not be read: a page that holds nothing else
 * is passed by an offset.
 * @throws PortalError also where the portal gives rows from before that id: it has not taken the filter
 */
export async function readBehind(core: Core, asking: Asking, list: IdList, lastId: number): Promise<Rows> {
  const { method, params, filter, id, order, within } = list
  for (let start = 0; ; start += PAGE) {
    const { result, total, startedAt } = await callPortal(core, asking, method, {
      ...params,
      ...order,
      [filter]: { ...asObject(params[filter]), [`>${id}`]: lastId },
      start: start || -1,
    })
    const found = within ? asObject(result)[within] : result
    const rows = rowsOfPage(method, found)
    const ids = rows.map((row) => numberOf(row[id])).filter((one) => one !== null)
    if (ids.some((one) => one <= lastId)) {
      throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.otherRows() })
    }
    const isLast = Object.keys(asObject(found)).length < PAGE || (start > 0 && start + PAGE >= (total ?? 0))
    if (isLast || ids.length > 0) return { rows, lastId: Math.max(lastId, ...ids), isLast, startedAt }
  }
}
