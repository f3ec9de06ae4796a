import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { retryDeadlocks, transaction } from '../../platform/db/db.ts'
import { addToRoster, leaveRoster, lockPeople, moveBetweenRosters } from '../../people/departments/roster.ts'
import { badRequest } from '../../platform/errors.ts'
import { assignCallsOfUsers } from './of-calls.ts'
import { resolveManager } from '../../people/managers/service.ts'
import { refuseUnlessOwner } from '../../people/people/acting.ts'
import { AUTOMATION, ensureAutomation, readAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import type { RosterBody, RosterJson } from './schema.ts'

type Member = RosterBody['members'][number]

export async function readRoster(core: Core): Promise<RosterJson> {
  const [{ rosterAppliedAt }, members] = await Promise.all([readAutomation(core.pool), membersOf(core.pool)])
  return { members, appliedAt: rosterAppliedAt?.toISOString() ?? null }
}

type MemberRow = RosterJson['members'][number]

async function membersOf(sql: Sql): Promise<MemberRow[]> {
  const { rows } = await sql.query<MemberRow>({
    text: `SELECT r.user_id AS "userId", m.name, r.department_id AS "departmentId"
             FROM crm_roster r JOIN managers m ON m.id = r.manager_id ORDER BY m.name_key`,
  })
  return rows
}

/** Applies a roster: managers by their CRM ids, each in the given department. @throws HttpError 400, 409 */
export async function putRoster(core: Core, actor: Actor, { members }: RosterBody): Promise<RosterJson> {
  await retryDeadlocks(() => transaction(core.db, (sql) => writeRoster(core, sql, actor, members)))
  return readRoster(core)
}

async function writeRoster({ config }: Core, sql: Sql, actor: Actor, members: Member[]): Promise<void> {
  await lockPeople(sql)
  await refuseUnlessOwner(sql, actor)
  await ensureAutomation(sql)
  const names = await validateMembers(sql, members)
  const before = await membersOf(sql)
  for (const { userId, departmentId } of members) await assignDepartment(sql, userId, names.get(userId)!, departmentId)
  const kept = members.map(({ userId }) => userId)
  const left = before.filter(({ userId }) => !kept.includes(userId))
  await sql.query({ text: 'DELETE FROM crm_roster WHERE user_id <> ALL ($1)', values: [kept] })
  for (const { departmentId, name } of left) await leaveRoster(sql, departmentId, name)
  await assignCallsOfUsers(sql, config, kept)
  await sql.query({ text: 'UPDATE crm_automation SET roster_applied_at = now(), changed_at = now()' })
  const was = new Map(before.map(({ userId, departmentId }) => [userId, departmentId]))
  const changed = (await membersOf(sql)).filter(({ userId, departmentId }) => was.get(userId) !== departmentId)
  const details = { added: changed.map(({ name }) => name), removed: left.map(({ name }) => name) }
  await recordChange(sql, actor, { action: 'crm.roster', object: AUTOMATION, details })
}

/** @returns the names of the users in the CRM @throws HttpError 400 */
async function validateMembers(sql: Sql, members: Member[]): Promise<Map<string, string>> {
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
    const isTwice = seen.size === seen.add(userId).size
    if (isTwice) return [crmMessages.twice({ user: userId }).about(`${field}.userId`)]
    if (!users.has(userId)) return [crmMessages.noUser({ user: userId }).about(`${field}.userId`)]
    if (departments.includes(departmentId.toLowerCase())) return []
    return [crmMessages.noDepartment({ department: departmentId }).about(`${field}.departmentId`)]
  })
  if (violations.length > 0) throw badRequest(violations)
  return users
}

/** @throws HttpError 409 if a namesake belongs to the department that the name would leave */
async function assignDepartment(sql: Sql, userId: string, name: string, departmentId: string): Promise<void> {
  const manager = await resolveManager(sql, { name, crmUserId: userId })
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT department_id AS id FROM department_managers WHERE manager_id = $1',
    values: [manager.id],
  })
  const there = rows[0]?.id
  if (!there) await addToRoster(sql, departmentId, [manager.name])
  else if (there !== departmentId.toLowerCase()) await moveBetweenRosters(sql, manager.name, there, departmentId)
  await sql.query({
    text: `INSERT INTO crm_roster (user_id, department_id, manager_id) VALUES ($1, $2, $3)
           ON CONFLICT (user_id) DO UPDATE SET department_id = excluded.department_id, manager_id = excluded.manager_id`,
    values: [userId, departmentId, manager.id],
  })
}

export async function listFunnels({ pool }: Core): Promise<{ id: number; name: string }[]> {
  const { rows } = await pool.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM crm_funnels WHERE gone_at IS NULL ORDER BY sort, id',
  })
  return rows.map(({ id, name }) => ({ id: Number(id), name }))
}
