import type { Sql } from './sql.ts'

export interface PageRequest {
  page: number
  pageSize: number
}

/** A list as SQL. `from` can hold joins and conditions. */
interface List {
  select: string
  from: string
  order: string
  values?: unknown[]
}

/** One page of a list, with the number of all its rows. */
export async function selectPage<Row extends object>(
  sql: Sql,
  { select, from, order, values = [] }: List,
  { page, pageSize }: PageRequest,
): Promise<{ items: Row[]; total: number; page: number; pageSize: number }> {
  const [{ rows }, { rows: counts }] = await Promise.all([
    sql.query<Row>({
      text: `SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      values,
    }),
    sql.query<{ total: number }>({ text: `SELECT count(*)::int AS total FROM ${from}`, values }),
  ])
  return { items: rows, total: counts[0]!.total, page, pageSize }
}
