import type { Sql } from './sql.ts'
import { SESSION_SETTINGS } from './session-settings.ts'

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
