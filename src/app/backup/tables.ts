import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Readable, Writable } from 'node:stream'

/** A table and the columns that a backup contains. */
export interface BackupTable {
  name: string
  columns: string[]
}

/** Quotes a name for use in an SQL statement. */
export const quoteSqlIdentifier = (name: string): string => pg.escapeIdentifier(name)

/** Runs `work` with a database connection whose queries have no time limit in this process, then closes the connection. */
export async function withPostgresClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'svc-backup', keepAlive: true })
  client.on('error', () => undefined) // If the connection is lost, the next statement fails, so the event needs no handling.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Lists the tables of the schema. Each table comes after the tables that it references. */
export async function listDatabaseTables(client: pg.Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refers: string[] }>(`
    SELECT c.relname AS name,
           (SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
           (SELECT coalesce(json_agg(DISTINCT r.relname), '[]') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
             WHERE k.conrelid = c.oid AND k.contype = 'f' AND r.oid <> c.oid) AS refers
      FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
     ORDER BY c.relname`)
  const sorted: typeof rows = []
  while (sorted.length < rows.length) {
    const names = sorted.map(({ name }) => name)
    const next = rows.filter((row) => !sorted.includes(row) && row.refers.every((name) => names.includes(name)))
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    sorted.push(...next)
  }
  return sorted.map(({ name, columns }) => ({ name, columns }))
}

const formatColumns = (columns: string[]) => columns.map(quoteSqlIdentifier).join(', ')

/** Streams the rows of a table in the text format of COPY, which every version of Postgres reads. */
export function createTableReadStream(client: pg.Client, { name, columns }: BackupTable): Readable {
  return client.query(copyTo(`COPY (SELECT ${formatColumns(columns)} FROM ${quoteSqlIdentifier(name)}) TO STDOUT`))
}

/** Creates a stream that writes rows in the text format of COPY into a table. */
export function createTableWriteStream(client: pg.Client, { name, columns }: BackupTable): Writable {
  return client.query(copyFrom(`COPY ${quoteSqlIdentifier(name)} (${formatColumns(columns)}) FROM STDIN`))
}

/** Lists the sequences of the schema with their current values. */
export async function listDatabaseSequences(client: pg.Client): Promise<{ name: string; value: string }[]> {
  const { rows } = await client.query<{ name: string; value: string }>(`
    SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`)
  return rows
}
