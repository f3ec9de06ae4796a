import type { Sql } from './sql.ts'

/** A page of a list: its number from 1, and its size. */
export interface PageRequest {
  page: number
  pageSize: number
}

/** A page of a list. */
export interface Page<T> extends PageRequest {
  items: T[]
  /** The number of rows in the whole list. */
  total: number
}

/** SQL of a list. `from` can contain joins and conditions. */
interface ListSql {
  select: string
  from: string
  order: string
  values?: unknown[]
}

/** Reads one page of a list. */
export function listPage<Row extends object>(
  sql: Sql,
  { select, from, order, values = [] }: ListSql,
  page: PageRequest,
): Promise<Page<Row>> {
  const count = `SELECT count(*)::int AS total FROM ${from}`
  const rows = `SELECT ${select} FROM ${from} ORDER BY ${order} ${formatLimit(page)}`
  return listPageBySql(sql, { count, rows, values }, page)
}

/** SQL: the rows of a page. */
export const formatLimit = ({ page, pageSize }: PageRequest): string =>
  `LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`

interface PageSql {
  /** Counts the list as `total`. */
  count: string
  /** Selects the rows of the page in their order; can use counted.total. */
  rows: string
  values: unknown[]
}

/** Counts a list and reads one page of it, in one statement: both see the same snapshot. */
export async function listPageBySql<Row extends object>(
  sql: Sql,
  { count, rows, values }: PageSql,
  { page, pageSize }: PageRequest,
): Promise<Page<Row>> {
  const result = await sql.query<Row & { listTotal: number; isListed: true | null }>({
    text: `
      SELECT counted.total AS "listTotal", listed.*
        FROM (${count}) AS counted
        LEFT JOIN LATERAL (SELECT true AS "isListed", paged.* FROM (${rows}) AS paged) AS listed ON true`,
    values,
  })
  const items: Row[] = []
  let total = 0
  for (const { listTotal, isListed, ...row } of result.rows) {
    total = listTotal
    // A page past the end is one row with only the total.
    if (isListed) items.push(row as unknown as Row)
  }
  return { items, total, page, pageSize }
}
