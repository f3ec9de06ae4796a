import type { Sql } from '../../platform/db/sql.ts'
import type { RowChangeCounts } from '../quarantine/store.ts'

/** The table and columns into which rows of the CRM are written. */
export interface CrmUpsertTarget {
  table: string
  key: string[]
  /** The SQL types of the columns by name, including the key. */
  columns: Record<string, string>
  /** Additional columns with their types. Updates write them only through `set`, and their values do not count as a change. */
  decisions?: Record<string, string>
  /** The column that gets the parameter `mark` of upsertCrmRows(). */
  mark?: string
  /** Returns further assignments of an update. `differs` is SQL that is true if the row t changed; $2 is `mark`. */
  set: (differs: string) => string[]
}

/**
 * Inserts or updates rows. Of rows with the same key, the last one counts.
 * @returns the numbers of new and of changed rows
 */
export async function upsertCrmRows(
  sql: Sql,
  { table, key, columns, decisions = {}, mark: marked, set }: CrmUpsertTarget,
  rows: object[],
  mark?: unknown,
): Promise<RowChangeCounts> {
  if (rows.length === 0) return { new: 0, changed: 0 }
  const names = Object.keys(columns)
  const values = names.filter((name) => !key.includes(name))
  const all = { ...columns, ...decisions }
  const formatColumns = (alias: string, list: string[]) => list.map((name) => `${alias}.${name}`).join(', ')
  const definitions = Object.entries(all).map(([name, type]) => `${name} ${type}`)
  const inputRows = `jsonb_to_recordset($1::jsonb) AS g (${definitions.join(', ')})`
  const differs = (alias: string) =>
    `(${formatColumns('t', values)}) IS DISTINCT FROM (${formatColumns(alias, values)})`
  const keyOf = (row: object) => key.map((name) => String((row as Record<string, unknown>)[name])).join('/')
  const uniqueRows = JSON.stringify([...new Map(rows.map((row) => [keyOf(row), row])).values()])
  const { rows: counted } = await sql.query<RowChangeCounts>({
    text: `SELECT count(*) FILTER (WHERE t.${key[0]} IS NULL)::int AS new,
                  count(*) FILTER (WHERE t.${key[0]} IS NOT NULL AND ${differs('g')})::int AS changed
             FROM ${inputRows} LEFT JOIN ${table} t ON (${formatColumns('t', key)}) = (${formatColumns('g', key)})`,
    values: [uniqueRows],
  })
  const assignments = [...values.map((name) => `${name} = excluded.${name}`), ...set(differs('excluded'))]
  await sql.query({
    text: `INSERT INTO ${table} AS t (${[...Object.keys(all), ...(marked ? [marked] : [])].join(', ')})
           SELECT ${formatColumns('g', Object.keys(all))}${marked ? ', $2' : ''} FROM ${inputRows} ORDER BY ${formatColumns('g', key)}
           ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`,
    values: marked ? [uniqueRows, mark] : [uniqueRows],
  })
  return counted[0]!
}
