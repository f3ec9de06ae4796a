import type { ParsedUrlQuery } from 'node:querystring'
import type { PageContext } from '../frame/context.ts'
import { formatAddress } from '../frame/fields.ts'
import { buildSortHeader, parseTableSort, sortRows, type SortHeader, type TableSort } from '../frame/sortable.ts'

/** The value that sorts a row; rows without one are last. */
export type SortKey = number | string | null

/** A table whose columns sort it; columns without `first` do not. */
interface SortableTable {
  id: string
  columns: { text: string; first?: TableSort['order'] | undefined }[]
  rows: { keys: SortKey[] }[]
}

export interface SortContext {
  query: ParsedUrlQuery
  /** The address of the page in another order. */
  formatHref: (sort: { sort: string; order: string }) => string
  languageCode: string
}

/** The order in the address of a page, and links to other orders with the same filters. */
export const createSortContext = (
  { ctx, language }: PageContext,
  path: string,
  filters: Record<string, string>,
): SortContext => ({
  query: ctx.query,
  formatHref: (sort) => formatAddress(path, { ...filters, ...sort }),
  languageCode: language.code,
})

/** Sorts one table of a page by the address, and adds the headers. Other tables of the page keep their order. */
export function sortTable<Table extends SortableTable>(
  table: Table,
  { query, formatHref, languageCode }: SortContext,
): Table & { headers: (SortHeader | undefined)[] } {
  const names = table.columns.map((_, n) => `${table.id}.${n}`)
  const sortable = names.filter((_, n) => table.columns[n]!.first)
  const current = parseTableSort(query, sortable, { sort: '', order: 'asc' })
  const column = names.indexOf(current.sort)
  return {
    ...table,
    rows: column < 0 ? table.rows : sortRows(table.rows, current.order, ({ keys }) => keys[column], languageCode),
    headers: table.columns.map(
      ({ text, first }, n) =>
        first &&
        buildSortHeader({ title: text, name: names[n]!, first }, current, (sort) => `${formatHref(sort)}#${table.id}`),
    ),
  }
}
