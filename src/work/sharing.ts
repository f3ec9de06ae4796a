import type { Sql } from '../platform/db/sql.ts'
import { badRequestError } from '../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../platform/http/actor.ts'
import { isUuid } from '../platform/lib/ids.ts'
import type { SqlConditions } from '../platform/lib/sql-conditions.ts'
import { peopleMessages } from '../people/people/messages.ts'
import { canManageDepartment } from '../people/people/policy.ts'
import { workMessages } from './messages.ts'

/** A view or a playlist: private, or shared with a department. */
interface Shared {
  personId: string
  departmentId: string | null
}

const departmentIdsOf = ({ departments }: ActingPerson): string[] => departments.map(({ id }) => id)

/**
 * Returns conditions on a table s of views or playlists: the actor's own, and those shared with their departments. Owners see
 * all that are shared. An owner who sees as a person does not see that person's private ones.
 */
export function visibleSharedCondition({ person, viewer }: PersonActor): SqlConditions {
  if (person.role === 'owner')
    return [{ sql: '(s.person_id = ?::uuid OR s.department_id IS NOT NULL)', values: [person.id] }]
  // With X-See-As, the person is never an owner.
  const sharedOnly = viewer ? [{ sql: 's.department_id IS NOT NULL', values: [] }] : []
  return [
    {
      sql: '(s.person_id = ?::uuid OR s.department_id = ANY(?::uuid[]))',
      values: [person.id, departmentIdsOf(person)],
    },
    ...sharedOnly,
  ]
}

/** SQL condition: the person p sees the view or playlist s. It is the rule of visibleSharedCondition() by person. */
export const PERSON_SEES_SHARED_SQL = `
  (s.person_id = p.id OR p.role = 'owner' AND s.department_id IS NOT NULL
   OR s.department_id IN (SELECT b.department_id FROM person_departments b WHERE b.person_id = p.id))`

/** Returns true for the author, and for those who manage the department of a shared one. */
export const canChangeShared = ({ person }: PersonActor, { personId, departmentId }: Shared): boolean =>
  personId === person.id || (departmentId !== null && canManageDepartment(person, departmentId))

/**
 * Requires a department of the actor; any for an owner. Only the author can choose none, because the others would lose access.
 * @param author of the changed view or playlist; by default the actor
 * @throws HttpError 400, the same for an unknown and a foreign department
 */
export async function requireOwnDepartment(
  sql: Sql,
  { person }: PersonActor,
  departmentId: string | null | undefined,
  author: { id: string } = person,
): Promise<void> {
  if (departmentId === null && author.id !== person.id)
    throw badRequestError([workMessages.privateByOthers().withField('departmentId')])
  if (departmentId === null || departmentId === undefined) return
  const isAllowed = person.role === 'owner' || departmentIdsOf(person).includes(departmentId.toLowerCase())
  if (!isAllowed || !isUuid(departmentId) || !(await isDepartment(sql, departmentId)))
    throw badRequestError([peopleMessages.otherDepartment().withField('departmentId')])
}

/** The lock prevents the deletion of the department during the transaction. */
async function isDepartment(sql: Sql, id: string): Promise<boolean> {
  const text = 'SELECT FROM departments WHERE id = $1 FOR KEY SHARE'
  const { rowCount } = await sql.query({ text, values: [id] })
  return rowCount === 1
}
