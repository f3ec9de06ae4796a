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
import { ensureAutomation, readAutomation } from '../automation/state.ts'
import { crmMessages } from '../messages.ts'
import type { RosterBody, RosterJson } from './schema.ts'

type Member = RosterBody['members'][number]

/** Whose calls are loaded. */
export async function readRoster(core: Core): Promise<RosterJson> {
  const [{ rosterAppliedAt }, members] = await Promise.all([readAutomation(core.pool), membersOf(core.pool)])
  return {
    members: members.map(({ userId, name, departmentId }) => ({ userId, name, departmentId })),
    appliedAt: rosterAppliedAt?.toISOString() ?? null,
  }
}

type MemberRow = RosterJson['members'][number] & { managerId: string }

async function membersOf(sql: Sql): Promise<MemberRow[]> {
  const { rows } = await sql.query<MemberRow>({
    text: `SELECT r.user_id AS "userId", m.name, r.department_id AS "departmentId", r.manager_id AS "managerId"
             FROM crm_roster r JOIN managers m ON m.id = r.manager_id ORDER BY m.name_key`,
  })
  return rows
}

/** Applies a roster: managers by their CRM ids, each in the department that is given. @throws HttpError 400, 409 */
export async function putRoster(core: Core, actor: Actor, { members }: RosterBody): Promise<RosterJson> {
  await retryDeadlocks(() => transaction(core.db, (sql) => writeRoster(core, sql, actor, members)))
  return readRoster(core)
}

async function writeRoster({ config }: Core, sql: Sql, actor: Actor, members: Member[]): Promise<void> {
  await lockPeople(sql)
  await refuseUnlessOwner(sql, actor)
  await ensureAutomation(sql)
  const names = await check(sql, members)
  const before = await membersOf(sql)
  for (const { userId, departmentId } of members) await assignDepartment(sql, userId, names.get(userId)!, departmentId)
  const kept = new Set(members.map(({ userId }) => userId))
  const left = before.filter(({ userId }) => !kept.has(userId))
  await sql.query({
    text: 'DELETE FROM crm_roster WHERE user_id = ANY ($1)',
    values: [left.map(({ userId }) => userId)],
  })
  for (const { departmentId, name } of left) await leaveRoster(sql, departmentId, name)
  await assignCallsOfUsers(sql, config, [...kept])
  await sql.query({ text: 'UPDATE crm_automation SET roster_applied_at = now(), changed_at = now()' })
  await note(sql, actor, before, left)
}

/** The names of the users in the CRM. @throws HttpError 400 */
async function check(sql: Sql, members: Member[]): Promise<Map<string, string>> {
  const users = await namesOf(
    sql,
    'crm_users',
    members.map(({ userId }) => userId),
  )
  const departments = await namesOf(
    sql,
    'departments',
    members.map(({ departmentId }) => departmentId.toLowerCase()),
  )
  const seen = new Set<string>()
  const violations = members.flatMap(({ userId, departmentId }, n) => {
    const field = `members.${n}`
    const isTwice = seen.size === seen.add(userId).size
    if (isTwice) return [crmMessages.twice({ user: userId }).about(`${field}.userId`)]
    if (!users.has(userId)) return [crmMessages.noUser({ user: userId }).about(`${field}.userId`)]
    if (departments.has(departmentId.toLowerCase())) return []
    return [crmMessages.noDepartment({ department: departmentId }).about(`${field}.departmentId`)]
  })
  if (violations.length > 0) throw badRequest(violations)
  return users
}

async function namesOf(sql: Sql, table: 'crm_users' | 'departments', ids: string[]): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ id: string; name: string }>({
    text: `SELECT id::text, name FROM ${table} WHERE id::text = ANY ($1)`,
    values: [ids],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** @throws HttpError 409 where a namesake belongs to the department that the name would leave */
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

/** Notes by name who came, moved and left. */
async function note(sql: Sql, actor: Actor, before: MemberRow[], left: MemberRow[]): Promise<void> {
  const was = new Map(before.map(({ userId, departmentId }) => [userId, departmentId]))
  const now = await membersOf(sql)
  const changed = now.filter(({ userId, departmentId }) => was.get(userId) !== departmentId)
  const details = { added: changed.map(({ name }) => name), removed: left.map(({ name }) => name) }
  await recordChange(sql, actor, { action: 'crm.roster', object: { type: 'settings', id: 'crm' }, details })
}
