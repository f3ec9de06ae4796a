import type { Sql } from '../../platform/db/sql.ts'
import type { ChangeCounts } from '../quarantine/store.ts'

/** How rows of the CRM are written into a table. */
export interface UpsertTarget {
  table: string
  key: string[]
  /** Columns by their types, including the key. */
  columns: Record<string, string>
  /** Columns of the rows, by their types, that do not count as a change and that an update does not overwrite. */
  decisions?: Record<string, string>
  /** The column into which `mark` is inserted, if there is one. */
  mark?: string
  /** SQL of further assignments of an update; `differs` is true if the row t has changed, and $2 is `mark`. */
  set: (differs: string) => string[]
}

/** Inserts or updates rows; of rows with the same key, the last one. @returns how many were new, and how many changed */
export async function upsertRows(
  sql: Sql,
  { table, key, columns, decisions = {}, mark: marked, set }: UpsertTarget,
  rows: object[],
  mark?: unknown,
): Promise<ChangeCounts> {
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
  const { rows: counted } = await sql.query<ChangeCounts>({
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
