import type { ParsedUrlQuery } from 'node:querystring'

type SortDirection = 'asc' | 'desc'

/** The sorted column of a table and the direction. */
export interface TableSort<Name extends string = string> {
  sort: Name
  order: SortDirection
}

/** The header of a sortable column, for the partial _sort-header. */
export interface SortHeader {
  title: string
  href: string
  /** Value of aria-sort; null if another column is sorted. */
  sorted: 'ascending' | 'descending' | null
}

/**
 * Builds the header of a sortable column. Its link sorts by the column, or reverses the order if the column is already sorted.
 * @param first the order after the first click: asc where the lowest values need attention
 * @param formatHref returns the address of the table in another order
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

/** Parses `sort` and `order` of a query. An unknown `sort` gives `fallback`, an unknown `order` gives desc. */
export function parseTableSort<Name extends string>(
  query: ParsedUrlQuery,
  names: readonly Name[],
  fallback: TableSort<Name>,
): TableSort<Name> {
  const sort = names.find((name) => name === query.sort)
  if (!sort) return fallback
  return { sort, order: query.order === 'asc' ? 'asc' : 'desc' }
}

/** Returns the rows sorted by a value. Rows without a value are last in both orders; equal rows keep their order. */
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
