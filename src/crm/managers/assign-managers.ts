import type { Sql } from '../../platform/db/sql.ts'
import { CHECK_PRIORITY, loadRuleSetInputs, recheckCallsAfterCorrection } from '../../check/checks/check-requests.ts'
import type { Config } from '../../platform/config/config.ts'
import { resolveCallManager } from '../../people/managers/service.ts'

interface PortalCall {
  id: string
  /** The portal user of the call; null if the portal names none. */
  userId: string | null
  userName: string | null
}

/** The manager name that was submitted with recording r. */
const SUBMITTED_NAME_SQL = `CASE WHEN r.manager_by = 'portal' THEN r.submitted_manager_name ELSE r.manager_name END`

/** The name of portal user u; null for the placeholder 'User 7' of a user that the portal does not return. */
const USER_NAME_SQL = `CASE WHEN u.name <> 'User ' || u.id THEN u.name END`

/** Recordings r with their portal call c, the user u of that call, and the manager m of that user. */
const CALLS_SQL = `recordings r LEFT JOIN crm_calls c ON c.recording_id = r.id AND c.load_state = 'received'
  LEFT JOIN crm_users u ON u.id = c.user_id LEFT JOIN managers m ON m.crm_user_id = c.user_id`

/**
 * Assigns calls to the managers of their portal users, or else of their submitted names. A manager that a person chose stays.
 * It also queues the deal searches of the changed calls, and new checks if other rule sets can apply.
 */
export async function assignCallManagers(sql: Sql, config: Config, recordingIds: string[]): Promise<void> {
  const calls = await listMisassignedCalls(sql, recordingIds)
  if (calls.length === 0) return
  const ids = calls.map(({ id }) => id)
  // The deals of another manager can match now. This locks rows in the order of code that links calls to deals.
  await sql.query({
    text: `UPDATE crm_matches SET due_at = now() WHERE recording_id = ANY($1::uuid[]) AND state <> 'manual'`,
    values: [ids],
  })
  const before = await loadRuleSetInputs(sql, ids)
  for (const call of calls) await assignManager(sql, call)
  await recheckCallsAfterCorrection(sql, config, before, CHECK_PRIORITY.recheck)
}

/**
 * Assigns all calls of portal users to the managers of these users, for example after a new roster.
 * @param userIds ids of portal users
 */
export async function assignManagersToCallsOfUsers(sql: Sql, config: Config, userIds: string[]): Promise<void> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT r.id FROM ${CALLS_SQL} WHERE c.user_id = ANY($1::text[]) AND r.manager_id IS DISTINCT FROM m.id ORDER BY r.id`,
    values: [userIds],
  })
  const ids = rows.map(({ id }) => id)
  await assignCallManagers(sql, config, ids)
}

async function listMisassignedCalls(sql: Sql, recordingIds: string[]): Promise<PortalCall[]> {
  const { rows } = await sql.query<PortalCall>({
    text: `SELECT DISTINCT ON (r.id) r.id, c.user_id AS "userId", coalesce(m.name, ${USER_NAME_SQL}) AS "userName" FROM ${CALLS_SQL}
            WHERE r.id = ANY($1::uuid[]) AND r.manager_by IS DISTINCT FROM 'person'
              AND (r.manager_by = 'portal' OR coalesce(m.name, ${USER_NAME_SQL}) IS NOT NULL)
              AND (m.id IS NULL OR r.manager_id IS DISTINCT FROM m.id) ORDER BY r.id, c.id`,
    values: [recordingIds],
  })
  return rows
}

async function assignManager(sql: Sql, { id, userId, userName }: PortalCall): Promise<void> {
  const isKnown = userId !== null && userName !== null
  const manager = isKnown ? await resolveCallManager(sql, { name: userName, crmUserId: userId }) : undefined
  await sql.query({
    text: `UPDATE recordings r SET manager_name = coalesce(n.name, n.submitted),
                  submitted_manager_name = CASE WHEN n.name IS NOT NULL THEN n.submitted END,
                  manager_by = CASE WHEN n.name IS NOT NULL THEN 'portal' END
             FROM (SELECT ${SUBMITTED_NAME_SQL} AS submitted, CASE WHEN manager_named(${SUBMITTED_NAME_SQL}) IS DISTINCT FROM $2 THEN $3::text END AS name
                     FROM recordings r WHERE r.id = $1) n
            WHERE r.id = $1 AND r.manager_by IS DISTINCT FROM 'person'
              AND (r.manager_name, r.manager_by) IS DISTINCT FROM
                  (coalesce(n.name, n.submitted), CASE WHEN n.name IS NOT NULL THEN 'portal' END)`,
    values: [id, manager?.id ?? null, manager?.name ?? null],
  })
}
