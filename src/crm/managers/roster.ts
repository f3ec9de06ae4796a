import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { retryDeadlocks, runInTransaction } from '../../platform/db/db.ts'
import {
  addNamesToRoster,
  removeUnusedNameFromRoster,
  acquirePeopleLock,
  moveNameBetweenRosters,
} from '../../people/departments/roster.ts'
import { badRequestError } from '../../platform/errors.ts'
import { assignManagersToCallsOfUsers } from './assign-managers.ts'
import { resolveCallManager } from '../../people/managers/service.ts'
import { requireOwner } from '../../people/people/acting-person.ts'
import { CRM_AUTOMATION_AUDIT_OBJECT, ensureCrmAutomationRow, loadCrmAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import type { CrmRosterBody, CrmRosterJson } from './schema.ts'

type RosterMember = CrmRosterBody['members'][number]

/** Loads the CRM roster: the portal users whose calls are loaded, with their departments. */
export async function loadCrmRoster(core: Core): Promise<CrmRosterJson> {
  const [{ rosterAppliedAt }, members] = await Promise.all([loadCrmAutomation(core.pool), listRosterMembers(core.pool)])
  return { members, appliedAt: rosterAppliedAt?.toISOString() ?? null }
}

type MemberRow = CrmRosterJson['members'][number]

async function listRosterMembers(sql: Sql): Promise<MemberRow[]> {
  const { rows } = await sql.query<MemberRow>({
    text: `SELECT r.user_id AS "userId", m.name, r.department_id AS "departmentId"
             FROM crm_roster r JOIN managers m ON m.id = r.manager_id ORDER BY m.name_key`,
  })
  return rows
}

/**
 * Replaces the CRM roster and assigns the calls of its members.
 * @throws HttpError 400 for unknown or repeated members, 409 if names conflict
 */
export async function replaceCrmRoster(core: Core, actor: Actor, { members }: CrmRosterBody): Promise<CrmRosterJson> {
  await retryDeadlocks(() => runInTransaction(core.db, (sql) => updateRoster(core, sql, actor, members)))
  return loadCrmRoster(core)
}

async function updateRoster({ config }: Core, sql: Sql, actor: Actor, members: RosterMember[]): Promise<void> {
  await acquirePeopleLock(sql)
  await requireOwner(sql, actor)
  await ensureCrmAutomationRow(sql)
  const names = await validateMembers(sql, members)
  const before = await listRosterMembers(sql)
  for (const { userId, departmentId } of members) await assignDepartment(sql, userId, names.get(userId)!, departmentId)
  const userIds = members.map(({ userId }) => userId)
  const removed = before.filter(({ userId }) => !userIds.includes(userId))
  await sql.query({ text: 'DELETE FROM crm_roster WHERE user_id <> ALL ($1)', values: [userIds] })
  for (const { departmentId, name } of removed) await removeUnusedNameFromRoster(sql, departmentId, name)
  await assignManagersToCallsOfUsers(sql, config, userIds)
  await sql.query({ text: 'UPDATE crm_automation SET roster_applied_at = now(), changed_at = now()' })
  const previousDepartments = new Map(before.map(({ userId, departmentId }) => [userId, departmentId]))
  const changed = (await listRosterMembers(sql)).filter(
    ({ userId, departmentId }) => previousDepartments.get(userId) !== departmentId,
  )
  const details = { added: changed.map(({ name }) => name), removed: removed.map(({ name }) => name) }
  await recordAuditChange(sql, actor, { action: 'crm.roster', object: CRM_AUTOMATION_AUDIT_OBJECT, details })
}

/** @returns the names of the users by id @throws HttpError 400 */
async function validateMembers(sql: Sql, members: RosterMember[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ users: [string, string][]; departments: string[] }>({
    text: `SELECT (SELECT coalesce(jsonb_agg(jsonb_build_array(id, name)), '[]') FROM crm_users WHERE id = ANY ($1)) AS users,
                  ARRAY(SELECT id::text FROM departments) AS departments`,
    values: [members.map(({ userId }) => userId)],
  })
  const { departments } = rows[0]!
  const users = new Map(rows[0]!.users)
  const seen = new Set<string>()
  const violations = members.flatMap(({ userId, departmentId }, n) => {
    const field = `members.${n}`
    const isDuplicate = seen.size === seen.add(userId).size
    if (isDuplicate) return [crmMessages.twice({ user: userId }).withField(`${field}.userId`)]
    if (!users.has(userId)) return [crmMessages.noUser({ user: userId }).withField(`${field}.userId`)]
    if (departments.includes(departmentId.toLowerCase())) return []
    return [crmMessages.noDepartment({ department: departmentId }).withField(`${field}.departmentId`)]
  })
  if (violations.length > 0) throw badRequestError(violations)
  return users
}

/** @throws HttpError 409 if a manager of the same name belongs to the department that the name would leave */
async function assignDepartment(sql: Sql, userId: string, name: string, departmentId: string): Promise<void> {
  const manager = await resolveCallManager(sql, { name, crmUserId: userId })
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT department_id AS id FROM department_managers WHERE manager_id = $1',
    values: [manager.id],
  })
  const currentDepartmentId = rows[0]?.id
  if (!currentDepartmentId) await addNamesToRoster(sql, departmentId, [manager.name])
  else if (currentDepartmentId !== departmentId.toLowerCase())
    await moveNameBetweenRosters(sql, manager.name, currentDepartmentId, departmentId)
  await sql.query({
    text: `INSERT INTO crm_roster (user_id, department_id, manager_id) VALUES ($1, $2, $3)
           ON CONFLICT (user_id) DO UPDATE SET department_id = excluded.department_id, manager_id = excluded.manager_id`,
    values: [userId, departmentId, manager.id],
  })
}

/** Lists the funnels of the portal, in the order of the portal. */
export async function listCrmFunnels({ pool }: Core): Promise<{ id: number; name: string }[]> {
  const { rows } = await pool.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM crm_funnels WHERE gone_at IS NULL ORDER BY sort, id',
  })
  return rows.map(({ id, name }) => ({ id: Number(id), name }))
}
