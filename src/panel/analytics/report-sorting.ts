import type { ParsedUrlQuery } from 'node:querystring'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { buildSortHeader, parseTableSort, sortRows, type SortHeader, type TableSort } from '../frame/sortable.ts'

/** Sort value of a row in one column. Rows with null come last in either order. */
export type ReportSortKey = number | string | null

/** Columns without `first` are not sortable. */
interface SortableTable {
  id: string
  columns: { text: string; first?: TableSort['order'] | undefined }[]
  rows: { keys: ReportSortKey[] }[]
}

/** The requested order of the tables on a page, and the means to link to another order. */
export interface ReportSortContext {
  query: ParsedUrlQuery
  /** Returns the address of the same page in another order. */
  formatHref: (sort: { sort: string; order: string }) => string
  languageCode: string
}

/** Creates the context for the order in the query. @param filters parameters that the sort links keep */
export const createReportSortContext = (
  { ctx, language }: PageContext,
  path: string,
  filters: Record<string, string>,
): ReportSortContext => ({
  query: ctx.query,
  formatHref: (sort) => formatPathWithQuery(path, { ...filters, ...sort }),
  languageCode: language.code,
})

/** Sorts the table that the query names and adds sort links to its headers. The page's other tables keep their order. */
export function sortReportTable<Table extends SortableTable>(
  table: Table,
  { query, formatHref, languageCode }: ReportSortContext,
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
