import type { Sql } from './sql.ts'

/** Requests a page of a list. `page` starts at 1; `pageSize` is the maximum number of items. */
export interface PageRequest {
  page: number
  pageSize: number
}

/** Contains the items of one page and the size of the whole list. */
export interface ResultPage<T> extends PageRequest {
  items: T[]
  /** Number of rows in the whole list. */
  total: number
}

/** Describes a list in SQL. `from` can contain joins and conditions. */
interface ListSql {
  select: string
  from: string
  order: string
  values?: unknown[]
}

/** Lists one page of rows and counts all rows of the list in the same statement. */
export function listPage<Row extends object>(
  sql: Sql,
  { select, from, order, values = [] }: ListSql,
  page: PageRequest,
): Promise<ResultPage<Row>> {
  const count = `SELECT count(*)::int AS total FROM ${from}`
  const rows = `SELECT ${select} FROM ${from} ORDER BY ${order} ${formatLimitSql(page)}`
  return listPageBySql(sql, { count, rows, values }, page)
}

/** Formats the LIMIT and OFFSET clause of a page. */
export const formatLimitSql = ({ page, pageSize }: PageRequest): string =>
  `LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`

interface PageSql {
  /** SQL that counts the list as `total`. */
  count: string
  /** SQL that selects the rows of the page in order. It can use counted.total. */
  rows: string
  values: unknown[]
}

/** Lists one page with custom SQL. One statement counts and selects, so both see the same snapshot. */
export async function listPageBySql<Row extends object>(
  sql: Sql,
  { count, rows, values }: PageSql,
  { page, pageSize }: PageRequest,
): Promise<ResultPage<Row>> {
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
    // A page past the end has one row with only the total.
    if (isListed) items.push(row as unknown as Row)
  }
  return { items, total, page, pageSize }
}
