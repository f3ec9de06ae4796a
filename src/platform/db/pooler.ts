import type { Sql } from './sql.ts'
import type pg from 'pg'
import { SESSION_SETTINGS } from './session-settings.ts'

/** How long a new connection may take to tell which process serves it. */
const LOOK_LIMIT_MS = 10_000

/**
 * To be called with every new connection. Behind a pooler, which gives clients process numbers of its own, statements
 * lose their names: the server's session that knows a name may be another client's by the next transaction. What names are
 * worth where they stay: ten clients that poll recordings wait 14.2 ms instead of 17.3 (in turns, two busy cores).
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

/**
 * The statements that give a user the settings which a pooler keeps from Postgres; none where they have arrived.
 * @param statementTimeoutMs how long Postgres is to work on a statement, in whole seconds
 */
export async function missingSettings(sql: Sql, statementTimeoutMs: number): Promise<string[]> {
  const wanted: Record<string, string> = { ...SESSION_SETTINGS, statement_timeout: `${statementTimeoutMs / 1000}s` }
  const { rows } = await sql.query<{ name: string; role: string }>({
    text: `SELECT name, quote_ident(current_user) AS role FROM json_each_text($1) AS wanted (name, value)
            WHERE current_setting(name) <> value ORDER BY name`,
    values: [JSON.stringify(wanted)],
  })
  return rows.map(({ name, role }) => `ALTER ROLE ${role} SET ${name} = '${wanted[name]}'`)
}
