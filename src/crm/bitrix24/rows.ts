import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { crmMessages } from '../messages.ts'
import { parsePortalId } from './values.ts'
import { toPortalObject, callPortalMethod, type PortalAccess, type PortalObject } from './client.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'

/** The number of rows in a full page of the portal. */
export const PORTAL_PAGE_SIZE = 50

/** A row of a response of the portal, not parsed yet. */
export type PortalRow = Record<string, unknown>

/** A row that cannot be stored, with the reason and the invalid value. */
export interface RejectedPortalRow {
  row: PortalRow
  reason: Message
  value: unknown
}

/** A page of rows, split into valid and rejected ones. */
export interface PortalRowPage {
  rows: PortalRow[]
  /** Rows with an invalid id. */
  rejected: RejectedPortalRow[]
  lastId: number
  isLast: boolean
  startedAt: Date
}

/** Returns the rows of a list, or of the map into which PHP turns a list with gaps. */
export const extractPortalRows = (result: unknown): PortalRow[] =>
  Object.values(toPortalObject(result)).filter(
    (row): row is PortalRow => typeof row === 'object' && row !== null && !Array.isArray(row),
  )

/** Returns the rows of a page. @throws PortalError if the page has more than 50 rows */
export function extractPortalPageRows(method: string, result: unknown): PortalRow[] {
  if (Object.keys(toPortalObject(result)).length <= PORTAL_PAGE_SIZE) return extractPortalRows(result)
  throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.moreRows() })
}

interface IdOrderedList {
  method: string
  params: PortalObject
  filter: 'filter' | 'FILTER'
  id: 'ID' | 'id'
  /** The property of the result that contains the rows. */
  within?: string
}

/** Orders a list by id. Methods with FILTER in capitals silently ignore any other spelling. */
export const PORTAL_ORDER_BY_ID = { SORT: 'ID', ORDER: 'ASC' } as const

/** Up to this many unrequested rows among requested ones are only rejected. */
const MAX_UNREQUESTED_ROWS = 3

/** More unrequested rows, or only unrequested ones, mean that the portal ignored the filter. */
const isFilterIgnored = (unrequested: number, all: number): boolean =>
  unrequested > MAX_UNREQUESTED_ROWS || (unrequested > 0 && unrequested === all)

/** Moves rows that were not requested to the rejected ones. @throws PortalError with `words` if the portal ignored the filter */
export function rejectUnrequestedPortalRows(
  { rows, rejected }: Pick<PortalRowPage, 'rows' | 'rejected'>,
  isUnrequested: (row: PortalRow) => boolean,
  { method, words }: { method: string; words: Message },
): Pick<PortalRowPage, 'rows' | 'rejected'> {
  const unrequested = rows.filter(isUnrequested)
  if (isFilterIgnored(unrequested.length, rows.length)) {
    throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words })
  }
  const rejections = unrequested.map((row) => ({ row, reason: crmMessages.rowNotAsked(), value: undefined }))
  return { rows: rows.filter((row) => !unrequested.includes(row)), rejected: [...rejected, ...rejections] }
}

/**
 * Fetches the page of rows after an id. An offset would skip rows if earlier ones disappear meanwhile.
 * It uses offsets only after a full page without valid rows, because some portals return an empty list for each hidden row.
 * @param lastId the id before the page
 * @throws PortalError, also if the portal ignores the filter
 */
export async function fetchPortalRowsAfterId(
  core: Core,
  access: PortalAccess,
  list: IdOrderedList,
  lastId: number,
): Promise<PortalRowPage> {
  const { method, params, filter, id, within } = list
  const order = filter === 'FILTER' ? PORTAL_ORDER_BY_ID : { order: { [id]: 'ASC' } }
  const rejected: RejectedPortalRow[] = []
  for (let start = 0; ; start += PORTAL_PAGE_SIZE) {
    const { result, total, startedAt } = await callPortalMethod(core, access, method, {
      ...params,
      ...order,
      [filter]: { ...toPortalObject(params[filter]), [`>${id}`]: lastId },
      start: start || -1,
    })
    const listResult = within ? toPortalObject(result)[within] : result
    const page = validateRowIds(extractPortalPageRows(method, listResult), id, lastId)
    if (isFilterIgnored(page.strangers, page.rows.length + page.rejected.length)) {
      throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.otherRows() })
    }
    rejected.push(...page.rejected.slice(0, PORTAL_PAGE_SIZE))
    const isLast =
      Object.keys(toPortalObject(listResult)).length < PORTAL_PAGE_SIZE ||
      (start > 0 && start + PORTAL_PAGE_SIZE >= (total ?? 0))
    if (isLast || page.rows.length > 0) {
      return { rows: page.rows, rejected, lastId: page.lastId, isLast, startedAt }
    }
  }
}

/** Larger gaps between consecutive ids count as invalid ids. */
const MAX_ID_GAP = 1e9

/** Rejects rows with invalid ids, which would overwrite or hide other rows. `strangers` counts ids up to `lastId`. */
function validateRowIds(all: PortalRow[], id: string, lastId: number) {
  const page = { rows: [] as PortalRow[], rejected: [] as RejectedPortalRow[], strangers: 0, lastId }
  for (const row of all) {
    const rowId = Number(parsePortalId(row[id]) ?? Number.NaN)
    if (rowId <= lastId) page.strangers++
    const isNext =
      rowId > lastId && rowId <= Number.MAX_SAFE_INTEGER && (page.lastId === 0 || rowId - page.lastId <= MAX_ID_GAP)
    if (isNext) {
      page.rows.push(row)
      page.lastId = rowId
    } else {
      page.rejected.push({ row, reason: crmMessages.rowField({ field: id }), value: row[id] })
    }
  }
  return page
}
