import { diffProperties, recordAuditChange } from '../platform/audit/entries.ts'
import { insertRow } from '../platform/db/insert-row.ts'
import type { Sql } from '../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../platform/http/actor.ts'
import { generateId, isUuid } from '../platform/lib/ids.ts'
import type { Message } from '../platform/lib/messages.ts'
import { toConditions, type SqlConditions } from '../platform/lib/sql-conditions.ts'
import { normalizeWhitespace } from '../platform/lib/whitespace.ts'
import { peopleMessages } from '../people/people/messages.ts'
import { canManageDepartment } from '../people/people/policy.ts'
import { workMessages } from './messages.ts'

/** A row of a view or a playlist: private, or shared with a department. */
interface SharedRow {
  id: string
  name: string
  departmentId: string | null
  department: string | null
  person: { id: string }
}
type Changeable<Row> = Row & { canChange: boolean }

interface SharedFields {
  name: string
  departmentId?: string | null | undefined
}

/** What differs between views and playlists. SharedStore has the code of both. */
interface SharedKind<Row extends SharedRow> {
  type: 'view' | 'playlist'
  table: 'saved_views' | 'playlists'
  /** The most that a person can have. */
  limit: number
  tooMany: () => Message
  notFound: () => Message
  /** Selects those that the actor sees. @param lock clause at the end of the statement */
  select: (sql: Sql, actor: PersonActor, conditions: SqlConditions, options: { lock?: string }) => Promise<Row[]>
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

/** Adds `canChange`: true for the author, and for those who manage the department of a shared one. */
export const presentShared = <Row extends SharedRow>(row: Row, { person }: PersonActor): Changeable<Row> => ({
  ...row,
  canChange:
    row.person.id === person.id || (row.departmentId !== null && canManageDepartment(person, row.departmentId)),
})

/** Loads and changes views or playlists, within the transaction of the caller. */
export class SharedStore<Row extends SharedRow> {
  private readonly kind: SharedKind<Row>

  constructor(kind: SharedKind<Row>) {
    this.kind = kind
  }

  /** Loads a view or playlist that the actor sees. @throws HttpError 404 */
  async load(sql: Sql, actor: PersonActor, id: string, lock = ''): Promise<Changeable<Row>> {
    const [row] = await this.kind.select(sql, actor, toConditions(['s.id = ?::uuid', id]), { lock })
    if (!row) throw notFoundError(this.kind.notFound())
    return presentShared(row, actor)
  }

  /** Locks a view or playlist that the actor can change. @throws HttpError 404 */
  async lockChangeable(sql: Sql, actor: PersonActor, id: string): Promise<Changeable<Row>> {
    const row = await this.load(sql, actor, id, 'FOR UPDATE OF s')
    if (!row.canChange) throw notFoundError(this.kind.notFound())
    return row
  }

  /** @param columns values of other columns. @throws HttpError 400 on departmentId, 409 if the actor has too many */
  async insert(
    sql: Sql,
    actor: PersonActor,
    { name, departmentId }: SharedFields,
    columns: Record<string, unknown> = {},
  ): Promise<Changeable<Row>> {
    const { type, table } = this.kind
    await requireOwnDepartment(sql, actor, departmentId)
    await this.requireSpace(sql, actor)
    const id = generateId()
    const fields = { person_id: actor.person.id, department_id: departmentId, name: normalizeWhitespace(name) }
    await insertRow(sql, table, { id, ...fields, ...columns })
    const row = await this.load(sql, actor, id)
    const details = { after: pickAuditFields(row) }
    await recordAuditChange(sql, actor, { action: `${type}.create`, object: this.auditObjectOf(row), details })
    return row
  }

  private async requireSpace(sql: Sql, { person }: PersonActor): Promise<void> {
    const { table, limit, tooMany } = this.kind
    const { rowCount } = await sql.query({ text: `SELECT FROM ${table} WHERE person_id = $1`, values: [person.id] })
    if (rowCount! >= limit) throw conflictError(tooMany())
  }

  /** Changes the given fields of a locked row. @throws HttpError 400 on departmentId */
  async update(
    sql: Sql,
    actor: PersonActor,
    before: Row,
    { name = before.name, departmentId }: Partial<SharedFields>,
  ): Promise<Changeable<Row>> {
    const { type, table } = this.kind
    await requireOwnDepartment(sql, actor, departmentId, before.person)
    await sql.query({
      text: `UPDATE ${table} SET name = $2, department_id = $3 WHERE id = $1`,
      values: [before.id, normalizeWhitespace(name), departmentId === undefined ? before.departmentId : departmentId],
    })
    const after = await this.load(sql, actor, before.id)
    const details = diffProperties(pickAuditFields(before), pickAuditFields(after))
    await recordAuditChange(sql, actor, { action: `${type}.change`, object: this.auditObjectOf(after), details })
    return after
  }

  /** @throws HttpError 404 unless the actor can change it */
  async delete(sql: Sql, actor: PersonActor, id: string): Promise<void> {
    const { type, table } = this.kind
    const row = await this.lockChangeable(sql, actor, id)
    await sql.query({ text: `DELETE FROM ${table} WHERE id = $1`, values: [id] })
    const details = { before: pickAuditFields(row) }
    await recordAuditChange(sql, actor, { action: `${type}.delete`, object: this.auditObjectOf(row), details })
  }

  auditObjectOf({ id, name }: SharedRow) {
    return { type: this.kind.type, id, name }
  }
}

/** Omits the filters of a view, because they can contain a phone number and the audit log is permanent. */
const pickAuditFields = ({ name, department }: SharedRow) => ({ name, department })

/**
 * Requires a department of the actor; any for an owner. Only the author can choose none, because the others would lose access.
 * @param author of the changed view or playlist; by default the actor
 * @throws HttpError 400, the same for an unknown and a foreign department
 */
async function requireOwnDepartment(
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
