import type { Sql } from '../../platform/db/sql.ts'
import type { Stored } from '../quarantine/store.ts'

/** How rows of the CRM are written into a table. */
export interface Target {
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
export async function upsert(
  sql: Sql,
  { table, key, columns, decisions = {}, mark: marked, set }: Target,
  rows: object[],
  mark?: unknown,
): Promise<Stored> {
  if (rows.length === 0) return { new: 0, changed: 0 }
  const names = Object.keys(columns)
  const values = names.filter((name) => !key.includes(name))
  const all = { ...columns, ...decisions }
  const listOf = (alias: string, list: string[]) => list.map((name) => `${alias}.${name}`).join(', ')
  const definitions = Object.entries(all).map(([name, type]) => `${name} ${type}`)
  const given = `jsonb_to_recordset($1::jsonb) AS g (${definitions.join(', ')})`
  const differs = (alias: string) => `(${listOf('t', values)}) IS DISTINCT FROM (${listOf(alias, values)})`
  const keyOf = (row: object) => key.map((name) => String((row as Record<string, unknown>)[name])).join('/')
  const once = JSON.stringify([...new Map(rows.map((row) => [keyOf(row), row])).values()])
  const { rows: counted } = await sql.query<Stored>({
    text: `SELECT count(*) FILTER (WHERE t.${key[0]} IS NULL)::int AS new,
                  count(*) FILTER (WHERE t.${key[0]} IS NOT NULL AND ${differs('g')})::int AS changed
             FROM ${given} LEFT JOIN ${table} t ON (${listOf('t', key)}) = (${listOf('g', key)})`,
    values: [once],
  })
  const assignments = [...values.map((name) => `${name} = excluded.${name}`), ...set(differs('excluded'))]
  await sql.query({
    text: `INSERT INTO ${table} AS t (${[...Object.keys(all), ...(marked ? [marked] : [])].join(', ')})
           SELECT ${listOf('g', Object.keys(all))}${marked ? ', $2' : ''} FROM ${given} ORDER BY ${listOf('g', key)}
           ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`,
    values: marked ? [once, mark] : [once],
  })
  return counted[0]!
}
