import type { ParsedUrlQuery } from 'node:querystring'
import type { PageContext } from '../frame/context.ts'
import { formatAddress } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { buildSortHeader, parseTableSort, sortRows, type SortHeader, type TableSort } from '../frame/sortable.ts'
import type { TextLink } from './cell.ts'

/** The value that sorts a row; rows without one are last. */
export type SortKey = number | string | null

/** Tables show this many rows at first, so that the page of a large company stays small. */
const MAX_ROWS = 20
/** The field of the address with the id of the table that shows all rows. */
const WHOLE_FIELD = 'whole'

/** A table whose columns sort it; columns without `first` do not. */
interface SortableTable {
  id: string
  columns: { text: string; first?: TableSort['order'] | undefined }[]
  rows: { keys: SortKey[] }[]
}

export interface SortContext {
  query: ParsedUrlQuery
  /** Returns the address of the page with these fields and the filters of the report. */
  formatHref: (fields: Record<string, string>) => string
  language: Language
}

/** The order in the address of a page, and links to other orders with the same filters. */
export const createSortContext = (
  { ctx, language }: PageContext,
  path: string,
  filters: Record<string, string>,
): SortContext => ({
  query: ctx.query,
  formatHref: (fields) => formatAddress(path, { ...filters, ...fields }),
  language,
})

/**
 * Sorts one table of a page by the address, and adds the headers. Other tables of the page keep their order. A long table shows
 * its first rows and the link `more` to all of them.
 */
export function sortTable<Table extends SortableTable>(
  table: Table,
  { query, formatHref, language }: SortContext,
): Table & { headers: (SortHeader | undefined)[]; more: TextLink | undefined } {
  const names = table.columns.map((_, n) => `${table.id}.${n}`)
  const sortable = names.filter((_, n) => table.columns[n]!.first)
  const current = parseTableSort(query, sortable, { sort: '', order: 'asc' })
  const column = names.indexOf(current.sort)
  const isWhole = query[WHOLE_FIELD] === table.id
  const whole: Record<string, string> = isWhole ? { [WHOLE_FIELD]: table.id } : {}
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

function buildMoreLink(
  { id, rows }: SortableTable,
  { sort, order }: TableSort,
  formatHref: SortContext['formatHref'],
  { words, format }: Language,
): TextLink {
  const href = formatHref({ ...(sort && { sort, order }), [WHOLE_FIELD]: id })
  return { text: words.analytics.showAll(format.number(rows.length)), href: `${href}#${id}` }
}
