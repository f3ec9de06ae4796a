import type { ParsedUrlQuery } from 'node:querystring'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { buildSortHeader, parseTableSort, sortRows, type SortHeader, type TableSort } from '../frame/sortable.ts'
import type { TextLink } from './cell.ts'

/** Sort value of a row in one column. Rows with null come last in either order. */
export type ReportSortKey = number | string | null

/** Longer tables first show this many rows, because a row per manager makes the page large. */
const MAX_ROWS = 12
/** Query parameter with the id of the table that shows all rows. */
const WHOLE_TABLE_PARAMETER = 'whole'
/** Query parameter with the key of the rule set whose heat map is shown. */
export const HEAT_SET_PARAMETER = 'set'

/** Columns without `first` are not sortable. */
interface SortableTable {
  id: string
  columns: { text: string; first?: TableSort['order'] | undefined }[]
  rows: { keys: ReportSortKey[] }[]
  /** Shows all rows at once, for tables whose length the period limits. */
  isWhole?: boolean
}

/** The requested order of the tables on a page, and the means to link to another order. */
export interface ReportSortContext {
  query: ParsedUrlQuery
  /** Returns the address of the same page with other parameters of its tables. */
  formatHref: (parameters: Record<string, string>) => string
  language: Language
}

/** Creates the context for the order in the query. @param filters parameters that the sort links keep */
export const createReportSortContext = (
  { ctx, language }: PageContext,
  path: string,
  filters: Record<string, string>,
): ReportSortContext => ({
  query: ctx.query,
  formatHref: (parameters) => formatPathWithQuery(path, { ...filters, ...pickHeatSet(ctx.query), ...parameters }),
  language,
})

function pickHeatSet(query: ParsedUrlQuery): Record<string, string> {
  const set = query[HEAT_SET_PARAMETER]
  return typeof set === 'string' ? { [HEAT_SET_PARAMETER]: set } : {}
}

/**
 * Sorts the table that the query names and adds sort links to its headers. The page's other tables keep their order. A long
 * table returns its first rows, and the link `more` to all of them.
 */
export function sortReportTable<Table extends SortableTable>(
  table: Table,
  { query, formatHref, language }: ReportSortContext,
): Table & { headers: (SortHeader | undefined)[]; more: TextLink | undefined } {
  const names = table.columns.map((_, n) => `${table.id}.${n}`)
  const sortable = names.filter((_, n) => table.columns[n]!.first)
  const current = parseTableSort(query, sortable, { sort: '', order: 'asc' })
  const column = names.indexOf(current.sort)
  const isRequestedWhole = query[WHOLE_TABLE_PARAMETER] === table.id
  const isWhole = table.isWhole || isRequestedWhole
  const whole: Record<string, string> = isRequestedWhole ? { [WHOLE_TABLE_PARAMETER]: table.id } : {}
  const rows = column < 0 ? table.rows : sortRows(table.rows, current.order, ({ keys }) => keys[column], language.code)
  return {
    ...table,
    rows: isWhole ? rows : rows.slice(0, MAX_ROWS),
    headers: table.columns.map(
      ({ text, first }, n) =>
        first &&
        buildSortHeader(
          { title: text, name: names[n]!, first },
          current,
          (sort) => `${formatHref({ ...sort, ...whole })}#${table.id}`,
        ),
    ),
    more: isWhole || rows.length <= MAX_ROWS ? undefined : buildMoreLink(table, current, formatHref, language),
  }
}

/** Builds the link to all rows of a table. */
function buildMoreLink(
  { id, rows }: SortableTable,
  { sort, order }: TableSort,
  formatHref: ReportSortContext['formatHref'],
  { words, format }: Language,
): TextLink {
  const href = formatHref({ ...(sort && { sort, order }), [WHOLE_TABLE_PARAMETER]: id })
  return { text: words.analytics.showAll(format.number(rows.length)), href: `${href}#${id}` }
}
