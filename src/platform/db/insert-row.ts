import type { Sql } from './sql.ts'

/** Inserts a row into a table. The keys of `row` are column names, so never take them from user input. */
export async function insertRow(sql: Sql, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row)
  const parameters = columns.map((_, n) => `$${n + 1}`)
  await sql.query({
    text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${parameters.join(', ')})`,
    values: Object.values(row),
  })
}
