import type { Sql } from '../../platform/db/sql.ts'

/** A table of what the CRM holds, as its rows are written. */
export interface Target {
  table: string
  key: string[]
  /** Its columns by their types, those of the key too. */
  columns: Record<string, string>
  /** What every write sets besides, as SQL; $2 is `mark`. */
  also: string[]
  /** What a write sets besides where a row is new or has changed, as SQL. */
  whenChanged?: string
}

/** Writes rows as they are now. @returns how many of them were not here, and here otherwise */
export async function upsert(
  sql: Sql,
  { table, key, columns, also, whenChanged }: Target,
  rows: Record<string, unknown>[],
  mark: unknown,
): Promise<{ new: number; changed: number }> {
  if (rows.length === 0) return { new: 0, changed: 0 }
  const names = Object.keys(columns)
  const values = names.filter((name) => !key.includes(name))
  const given = `jsonb_to_recordset($1::jsonb) AS g (${names.map((name) => `${name} ${columns[name]}`).join(', ')})`
  const differs = `(${values.map((name) => `t.${name}`).join(', ')}) IS DISTINCT FROM (${values.map((name) => `g.${name}`).join(', ')})`
  const on = key.map((name) => `t.${name} = g.${name}`).join(' AND ')
  const once = uniqueBy(rows, key)
  const { rows: counted } = await sql.query<{ new: number; changed: number }>({
    text: `SELECT count(*) FILTER (WHERE t.${key[0]} IS NULL)::int AS new,
                  count(*) FILTER (WHERE t.${key[0]} IS NOT NULL AND ${differs})::int AS changed
             FROM ${given} LEFT JOIN ${table} t ON ${on}`,
    values: [JSON.stringify(once)],
  })
  const set = [...values.map((name) => `${name} = excluded.${name}`), ...also]
  const changedNow = differs.replaceAll('g.', 'excluded.')
  if (whenChanged) set.push(whenChanged.replace('DIFFERS', changedNow))
  await sql.query({
    text: `INSERT INTO ${table} AS t (${names.join(', ')}, ${MARKED[table]})
           SELECT ${names.map((name) => `g.${name}`).join(', ')}, $2 FROM ${given}
           ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set.join(', ')}`,
    values: [JSON.stringify(once), mark],
  })
  return counted[0]!
}

/** The column that says which reading saw a row last. */
const MARKED: Record<string, string> = {
  crm_users: 'seen_in',
  crm_departments: 'seen_in',
  crm_funnels: 'seen_in',
  crm_stages: 'seen_in',
  crm_deals: 'generation',
}

/** The last of the rows with the same key: a page may hold a row twice, when it changed meanwhile. */
function uniqueBy(rows: Record<string, unknown>[], key: string[]): Record<string, unknown>[] {
  return [...new Map(rows.map((row) => [key.map((name) => String(row[name])).join('/'), row])).values()]
}
