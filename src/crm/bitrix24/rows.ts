import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { crmMessages } from '../messages.ts'
import { idOf } from './values.ts'
import { asObject, callPortal, type Asking, type Params } from './client.ts'
import { PortalError } from './errors.ts'
import { portalMessages } from './messages.ts'

/** Rows of a page. */
export const PAGE = 50

export type Row = Record<string, unknown>

export interface RejectedRow {
  row: Row
  reason: Message
  value: unknown
}

export interface Rows {
  rows: Row[]
  /** Rows with an invalid id. */
  rejected: RejectedRow[]
  lastId: number
  /** Whether nothing is behind it. */
  isLast: boolean
  startedAt: Date
}

/** The rows of a list, or of the map into which PHP turns a list with gaps. */
export const rowsOf = (result: unknown): Row[] =>
  Object.values(asObject(result)).filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )

/** The rows of a page. @throws PortalError for more rows than a page has */
export function rowsOfPage(method: string, result: unknown): Row[] {
  if (Object.keys(asObject(result)).length <= PAGE) return rowsOf(result)
  throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.moreRows() })
}

/** How to request a list by ascending id. */
interface IdList {
  method: string
  params: Params
  filter: 'filter' | 'FILTER'
  id: 'ID' | 'id'
  /** Where the rows are within the result. */
  within?: string
}

/** Methods with FILTER in capitals silently ignore any other spelling of the order. */
export const BY_ID = { SORT: 'ID', ORDER: 'ASC' } as const

/** Up to this many unrequested rows, beside requested ones, count as bad rows. */
const FEW_STRANGERS = 3

/** Whether the number of unrequested rows shows that the portal ignored the filter. */
const ignoresFilter = (strangers: number, all: number): boolean =>
  strangers > FEW_STRANGERS || (strangers > 0 && strangers === all)

/** Rejects rows that we did not request. @throws PortalError with `words` if the portal ignored the filter */
export function rejectStrangers(
  { rows, rejected }: Pick<Rows, 'rows' | 'rejected'>,
  isStranger: (row: Row) => boolean,
  { method, words }: { method: string; words: Message },
): Pick<Rows, 'rows' | 'rejected'> {
  const strangers = rows.filter(isStranger)
  if (ignoresFilter(strangers.length, rows.length)) {
    throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words })
  }
  const others = strangers.map((row) => ({ row, reason: crmMessages.rowNotAsked(), value: undefined }))
  return { rows: rows.filter((row) => !strangers.includes(row)), rejected: [...rejected, ...others] }
}

/**
 * Fetches the page of rows after an id. An offset would miss rows that appear or vanish meanwhile. It only skips pages that
 * hold nothing but empty lists, which some portals return for hidden rows.
 * @throws PortalError also if the portal ignores the filter
 */
export async function fetchRowsAfter(core: Core, asking: Asking, list: IdList, lastId: number): Promise<Rows> {
  const { method, params, filter, id, within } = list
  const order = filter === 'FILTER' ? BY_ID : { order: { [id]: 'ASC' } }
  const rejected: RejectedRow[] = []
  for (let start = 0; ; start += PAGE) {
    const { result, total, startedAt } = await callPortal(core, asking, method, {
      ...params,
      ...order,
      [filter]: { ...asObject(params[filter]), [`>${id}`]: lastId },
      start: start || -1,
    })
    const found = within ? asObject(result)[within] : result
    const page = acceptRows(rowsOfPage(method, found), id, lastId)
    if (ignoresFilter(page.strangers, page.rows.length + page.rejected.length)) {
      throw new PortalError({ code: 'INVALID_ARG_VALUE', method, words: portalMessages.otherRows() })
    }
    rejected.push(...page.rejected.slice(0, PAGE))
    const isLast = Object.keys(asObject(found)).length < PAGE || (start > 0 && start + PAGE >= (total ?? 0))
    if (isLast || page.rows.length > 0) {
      return { rows: page.rows, rejected, lastId: page.lastId, isLast, startedAt }
    }
  }
}

/** Largest gap between the ids of two consecutive rows. */
const LARGEST_GAP = 1e9

/** Rejects invalid ids, which would overwrite or hide rows. The page ends at the last row, because ids ascend. */
function acceptRows(all: Row[], id: string, lastId: number) {
  const page = { rows: [] as Row[], rejected: [] as RejectedRow[], strangers: 0, lastId }
  for (const row of all) {
    const one = Number(idOf(row[id]) ?? Number.NaN)
    if (one <= lastId) page.strangers++
    const isNext =
      one > lastId && one <= Number.MAX_SAFE_INTEGER && (page.lastId === 0 || one - page.lastId <= LARGEST_GAP)
    if (isNext) {
      page.rows.push(row)
      page.lastId = one
    } else {
      page.rejected.push({ row, reason: crmMessages.rowField({ field: id }), value: row[id] })
    }
  }
  return page
}
