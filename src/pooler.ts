import type pg from 'pg'
import type { Sql } from './db.ts'

/**
 * What a connection of ours is set to: counts and searches of one request must not take every core from the others, nor
 * compile first; an index costs little more than a table on the disks of today; a statement whose client is gone ends.
 */
export const SESSION_SETTINGS: Record<string, string> = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  random_page_cost: '1.1',
  client_connection_check_interval: '10s',
}

/** How long a new connection may take to tell which process serves it. */
const LOOK_LIMIT_MS = 10_000

/**
 * To be called with every new connection. Behind a pooler, which gives clients process numbers of its own, statements
 * lose their names: the server's session that knows a name may be another client's by the next transaction.
 */
export async function dropNamesBehindPooler(client: pg.ClientBase): Promise<void> {
  const look = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: LOOK_LIMIT_MS }
  const { rows } = await client.query<{ pid: number }>(look)
  if ((client as unknown as { processID: number }).processID !== rows[0]!.pid) dropNames(client)
}

/** Sends every statement of a connection without its name. */
export function dropNames<C extends pg.ClientBase>(client: C): C {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const unnamed = (statement: unknown, ...rest: unknown[]) =>
    query(isNamed(statement) ? { ...statement, name: undefined } : statement, ...rest)
  client.query = unnamed as C['query']
  return client
}

/** A stream of COPY is an object too, and goes as it is. */
const isNamed = (statement: unknown): statement is { name: string } =>
  typeof statement === 'object' && statement !== null && 'name' in statement && !('submit' in statement)

/** The statements that give a user the settings which a pooler keeps from Postgres; none where they have arrived. */
export async function missingSettings(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ name: string; role: string }>({
    text: `SELECT name, quote_ident(current_user) AS role FROM json_each_text($1) AS wanted (name, value)
            WHERE current_setting(name) <> value ORDER BY name`,
    values: [JSON.stringify(SESSION_SETTINGS)],
  })
  return rows.map(({ name, role }) => `ALTER ROLE ${role} SET ${name} = '${SESSION_SETTINGS[name]}'`)
}
