import type { Sql } from '../../platform/db/sql.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'

/** Represents a manager of calls. People who log in with the same name see these calls. */
interface Manager {
  id: string
  name: string
}

/**
 * Finds or inserts the manager of a call by CRM user, otherwise by name.
 * Two CRM users with one name become two managers, the second with the id of its CRM user in the name. A name gives access to
 * calls.
 */
export async function resolveCallManager(
  sql: Sql,
  { name, crmUserId }: { name: string; crmUserId?: string },
): Promise<Manager> {
  if (crmUserId === undefined) return findOrInsertManager(sql, name)
  const existing = (await findManagerOfCrmUser(sql, crmUserId)) ?? (await assignCrmUser(sql, name, crmUserId))
  // A parallel transaction can have assigned a manager to the same CRM user, so search again.
  return (
    existing ??
    (await findManagerOfCrmUser(sql, crmUserId)) ??
    (await assignCrmUser(sql, `${name} (${crmUserId})`, crmUserId))!
  )
}

async function findManagerOfCrmUser(sql: Sql, crmUserId: string): Promise<Manager | undefined> {
  const text = 'SELECT id, name FROM managers WHERE crm_user_id = $1'
  const { rows } = await sql.query<Manager>({ text, values: [crmUserId] })
  return rows[0]
}

async function assignCrmUser(sql: Sql, name: string, crmUserId: string): Promise<Manager | undefined> {
  const manager = await findOrInsertManager(sql, name)
  const { rowCount } = await sql.query({
    text: 'UPDATE managers SET crm_user_id = $2 WHERE id = $1 AND crm_user_id IS NULL',
    values: [manager.id, crmUserId],
  })
  if (rowCount !== 1) return undefined
  await requeueAmbiguousMatches(sql, manager.id)
  return manager
}

/** Makes ambiguous calls of the manager due for matching again, because the CRM user now decides between the deals of a call. */
async function requeueAmbiguousMatches(sql: Sql, managerId: string): Promise<void> {
  await sql.query({
    text: `UPDATE crm_matches m SET due_at = now() FROM recordings r
            WHERE r.id = m.recording_id AND r.manager_id = $1 AND m.state = 'ambiguous'`,
    values: [managerId],
  })
}

/** Uses the same database function as the triggers that fill recordings.manager_id. */
async function findOrInsertManager(sql: Sql, name: string): Promise<Manager> {
  const result = await sql.query<{ id: string }>({
    text: 'SELECT manager_named($1) AS id',
    values: [normalizeWhitespace(name)],
  })
  const text = 'SELECT id, name FROM managers WHERE id = $1'
  const { rows } = await sql.query<Manager>({ text, values: [result.rows[0]!.id] })
  return rows[0]!
}
