import type { ParsedUrlQuery } from 'node:querystring'

type SortDirection = 'asc' | 'desc'

/** The column that sorts a table, and its direction. */
export interface TableSort<Name extends string = string> {
  sort: Name
  order: SortDirection
}

/** The data of the partial _sort-header. */
export interface SortHeader {
  title: string
  href: string
  /** The value of aria-sort; null if another column sorts the table. */
  sorted: 'ascending' | 'descending' | null
}

/**
 * Builds the header of a column that sorts its table. A click on the column that sorts it reverses the order.
 * @param first the order after the first click: asc where the lowest values need attention
 * @param formatHref the address of the table in another order
 */
export function buildSortHeader<Name extends string>(
  { title, name, first }: { title: string; name: Name; first: SortDirection },
  current: { sort?: string | undefined; order: string },
  formatHref: (sort: TableSort<Name>) => string,
): SortHeader {
  const isSorted = current.sort === name
  const next = isSorted ? (current.order === 'asc' ? 'desc' : 'asc') : first
  const sorted = current.order === 'asc' ? 'ascending' : 'descending'
  return { title, href: formatHref({ sort: name, order: next }), sorted: isSorted ? sorted : null }
}

/** Parses `sort` and `order` of an address. Unknown values fall back to the default. */
export function parseTableSort<Name extends string>(
  query: ParsedUrlQuery,
  names: readonly Name[],
  fallback: TableSort<Name>,
): TableSort<Name> {
  const sort = names.find((name) => name === query.sort)
  if (!sort) return fallback
  return { sort, order: query.order === 'asc' ? 'asc' : 'desc' }
}

/** Sorts the rows of a table by a value; rows without it come last in both orders. Equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  order: SortDirection,
  valueOf: (row: Row) => number | string | null | undefined,
  languageCode: string,
): Row[] {
  const { compare } = new Intl.Collator(languageCode, { numeric: true })
  const sign = order === 'asc' ? 1 : -1
  return rows.toSorted((rowA, rowB) => {
    const [a, b] = [valueOf(rowA) ?? null, valueOf(rowB) ?? null]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b)))
  })
}
