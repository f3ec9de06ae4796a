import type { Core } from '../../platform/core.ts'
import { asObject, callPortal, type Asking, type Params } from './client.ts'
import { parseRows, type Fields, type ParsedRows } from './fields.ts'
import { rowsOf } from './rows.ts'

/** The values of a row by the columns of its table. */
export type Columns = Record<string, unknown>

/** A list that is read from its start to its end each time. */
export interface PortalList {
  method: string
  params: Params
  /** Where the rows are within the result. */
  within?: string
  parse: (fields: Fields) => Columns
}

/** Fetches a page of a list. @returns its rows, and the start of the next page if there is one */
export async function fetchListPage(
  core: Core,
  asking: Asking,
  { method, params, within, parse }: PortalList,
  start: number,
): Promise<{ parsed: ParsedRows<Columns>; next: number | undefined }> {
  const { result, next } = await callPortal(core, asking, method, { ...params, start })
  const parsed = parseRows(rowsOf(within ? asObject(result)[within] : result), parse)
  // A portal that returns the same page again would keep us busy forever.
  return { parsed, next: next !== undefined && next > start ? next : undefined }
}
