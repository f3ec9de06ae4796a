import type { Core } from '../../app/core.ts'
import { callPortal, type Asking } from './client.ts'
import type { ParsedRows } from './fields.ts'
import { rowsOfPage } from './rows.ts'
import { textOf } from './values.ts'
import { parseCalls, type CallRow } from '../calls/rows.ts'

export const STATISTICS = 'voximplant.statistic.get'

/** In this order, as texts in capitals: anything else the portal passes over without a word. */
export const BY_ID = { SORT: 'ID', ORDER: 'ASC' } as const

/** All rows of the calls of those ids; rows of others, which a portal gives that ignores a filter, are passed over. */
export async function readCalls(core: Core, asking: Asking, callIds: string[]): Promise<ParsedRows<CallRow>> {
  const { result } = await callPortal(core, asking, STATISTICS, { FILTER: { CALL_ID: callIds }, ...BY_ID, start: -1 })
  const wanted = new Set(callIds)
  const rows = rowsOfPage(STATISTICS, result).filter(({ CALL_ID }) => wanted.has(textOf(CALL_ID) ?? ''))
  return parseCalls(core, rows)
}

/** Several rows may carry one call: the one with a file counts, then the longest, then the last. */
export function chosenRow(rows: CallRow[]): CallRow | undefined {
  const worth = ({ file_id: file, duration_seconds: seconds }: CallRow) => (file === null ? 0 : 1e7) + seconds
  return rows.toSorted((a, b) => worth(b) - worth(a) || Number(b.id) - Number(a.id))[0]
}
