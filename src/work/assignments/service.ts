import { IS_CALL_MANAGER_SQL, visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { findViolatedUniqueIndex, runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import { listPage, type PageRequest, type ResultPage } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { fieldRuleMessages } from '../../platform/http/messages.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { markAssignmentNotificationRead, notifyAssignee } from '../notifications/causes.ts'
import { CALL_REFERENCE_SQL, personReferenceSql } from '../schema.ts'
import { lockVisibleCall, requireMomentInCall } from '../visible-call.ts'
import { assignmentMessages } from './messages.ts'
import type { AssignmentJson } from './schema.ts'
import { loadRuleTrends } from './trend.ts'
import { MAX_WAITING_ASSIGNMENTS } from './values.ts'

interface NewAssignment {
  recordingId: string
  reason: string
  at?: number
  ruleKey?: string
}

interface AssignmentQuery extends PageRequest {
  by: 'others' | 'me'
  recordingId?: string
  waiting?: boolean
}

/** The rule of an assignment a, with its name in the newest version that has it. */
const RULE_SQL = `
  (SELECT json_build_object('key', a.rule_key, 'name', rule -> 'name')
     FROM rule_set_versions v, jsonb_array_elements(v.rules) rule
    WHERE v.rule_set_id = a.rule_set_id AND v.state <> 'draft' AND rule ->> 'key' = a.rule_key
    ORDER BY v.number DESC LIMIT 1)`

type AssignmentRow = Omit<AssignmentJson, 'trend'>

const ASSIGNMENT_COLUMNS_SQL = `
  a.id, ${CALL_REFERENCE_SQL} AS recording, a.reason, a.at_seconds AS at, r.size_bytes > 0 AS "hasAudio",
  ${RULE_SQL} AS rule, ${personReferenceSql('a.person_id')} AS person,
  ${personReferenceSql('a.creator_id')} AS creator, ${isoTimeSql('a.created_at')} AS "createdAt",
  ${isoTimeSql('a.acknowledged_at')} AS "acknowledgedAt"`
const FROM_SQL = 'assignments a JOIN recordings r ON r.id = a.recording_id'

/** Lists the assignments to or by the actor, of calls that they see now. */
export async function listAssignments(
  { pool }: Core,
  actor: PersonActor,
  { by, recordingId, waiting, ...page }: AssignmentQuery,
): Promise<ResultPage<AssignmentJson>> {
  const p = new SqlParameters()
  const conditions = [
    ...toConditions(
      [`${by === 'me' ? 'a.creator_id' : 'a.person_id'} = ?::uuid`, actor.person.id],
      ['a.recording_id = ?::uuid', recordingId],
      ['(a.acknowledged_at IS NULL) = ?::boolean', waiting],
    ),
    ...visibleRecordingsCondition(actor),
  ]
  const from = `${FROM_SQL} WHERE ${p.and(conditions)}`
  const order = 'a.acknowledged_at IS NOT NULL, a.id DESC'
  const list = { select: ASSIGNMENT_COLUMNS_SQL, from, order, values: p.values }
  const { items, ...rest } = await listPage<AssignmentRow>(pool, list, page)
  return { items: await addTrends(pool, items), ...rest }
}

async function addTrends(sql: Sql, rows: AssignmentRow[]): Promise<AssignmentJson[]> {
  const hasTrend = ({ rule, acknowledgedAt }: AssignmentRow) => rule !== null && acknowledgedAt !== null
  const ids = rows.filter(hasTrend).map(({ id }) => id)
  const findTrend = ids.length > 0 ? await loadRuleTrends(sql, ids) : undefined
  return rows.map((row) => ({ ...row, trend: findTrend && hasTrend(row) ? findTrend(row.id) : null }))
}

/** Assigns a call to its manager. @throws HttpError 400 naming the field, 404, 409 */
export async function createAssignment(
  core: Core,
  actor: PersonActor,
  { recordingId, reason, at, ruleKey }: NewAssignment,
): Promise<AssignmentJson> {
  if (reason.trim() === '') throw badRequestError([fieldRuleMessages.notEmpty().withField('reason')])
  const id = generateId()
  return runInTransaction(core.db, async (sql) => {
    const call = await lockVisibleCall(sql, actor, recordingId)
    requireMomentInCall(call, at)
    const personId = await findManager(sql, actor, call.id)
    const assignment = { id, recordingId: call.id, personId, creatorId: actor.person.id }
    const ruleSetId = ruleKey === undefined ? undefined : await findRuleSet(sql, call.id, ruleKey)
    await insertAssignment(sql, { ...assignment, reason, at, ruleKey, ruleSetId })
    await recordAuditChange(sql, actor, {
      action: 'assignment.create',
      object: { type: 'recording', id: call.id },
      details: { after: { assignmentId: id } },
    })
    await notifyAssignee(sql, assignment)
    return loadAssignment(sql, actor, { id })
  })
}

/** Finds the person with the name of the call's manager. @throws HttpError 409 if there is none, or too many calls wait */
async function findManager(sql: Sql, actor: PersonActor, recordingId: string): Promise<string> {
  const { rows } = await sql.query<{ id: string; waiting: number }>({
    text: `SELECT p.id, (SELECT count(*)::int FROM assignments a
                          WHERE a.person_id = p.id AND a.acknowledged_at IS NULL) AS waiting
             FROM people p JOIN recordings r ON r.id = $1
            WHERE p.active AND ${IS_CALL_MANAGER_SQL} ORDER BY p.role = 'manager' DESC, p.created_at, p.id LIMIT 1`,
    values: [recordingId],
  })
  if (!rows[0]) throw conflictError(assignmentMessages.noManager())
  const { id, waiting } = rows[0]
  if (id === actor.person.id) throw conflictError(assignmentMessages.ownCall())
  if (waiting >= MAX_WAITING_ASSIGNMENTS)
    throw conflictError(assignmentMessages.tooMany({ limit: MAX_WAITING_ASSIGNMENTS }))
  return id
}

/** Finds the rule set by which the call's current check judged the rule. @throws HttpError 400 */
async function findRuleSet(sql: Sql, recordingId: string, ruleKey: string): Promise<string> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT v.rule_set_id AS id FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label
             JOIN rule_set_versions v ON v.id = f.version_id
            WHERE a.recording_id = $1 AND a.is_current AND f.rule_key = $2`,
    values: [recordingId, ruleKey],
  })
  if (!rows[0]) throw badRequestError([assignmentMessages.noRule().withField('ruleKey')])
  return rows[0].id
}

async function insertAssignment(
  sql: Sql,
  row: NewAssignment & { id: string; personId: string; creatorId: string; ruleSetId: string | undefined },
): Promise<void> {
  try {
    await insertRow(sql, 'assignments', {
      id: row.id,
      recording_id: row.recordingId,
      person_id: row.personId,
      creator_id: row.creatorId,
      reason: row.reason,
      at_seconds: row.at,
      rule_set_id: row.ruleSetId,
      rule_key: row.ruleKey,
    })
  } catch (error) {
    if (findViolatedUniqueIndex(error) !== 'assignments_open') throw error
    throw conflictError(assignmentMessages.waiting())
  }
}

/** Marks an assignment to the actor as heard; again changes nothing. @throws HttpError 404 */
export function acknowledgeAssignment(core: Core, actor: PersonActor, id: string): Promise<AssignmentJson> {
  return runInTransaction(core.db, async (sql) => {
    const { recording } = await loadAssignment(sql, actor, { id, personId: actor.person.id })
    const { rowCount } = await sql.query({
      text: 'UPDATE assignments SET acknowledged_at = now() WHERE id = $1 AND acknowledged_at IS NULL',
      values: [id],
    })
    if (rowCount === 1) {
      await markAssignmentNotificationRead(sql, id)
      await recordAuditChange(sql, actor, {
        action: 'assignment.acknowledge',
        object: { type: 'recording', id: recording.id },
        details: { after: { assignmentId: id } },
      })
    }
    return loadAssignment(sql, actor, { id })
  })
}

/** Deletes an assignment by the actor, also of a call that they no longer see. @throws HttpError 404 */
export function deleteAssignment(core: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(core.db, async (sql) => {
    const { rows } = await sql.query<{ recordingId: string }>({
      text: 'DELETE FROM assignments WHERE id = $1 AND creator_id = $2 RETURNING recording_id AS "recordingId"',
      values: [id, actor.person.id],
    })
    if (!rows[0]) throw notFoundError(assignmentMessages.noAssignment())
    await recordAuditChange(sql, actor, {
      action: 'assignment.delete',
      object: { type: 'recording', id: rows[0].recordingId },
      details: { before: { assignmentId: id } },
    })
  })
}

async function loadAssignment(
  sql: Sql,
  actor: PersonActor,
  { id, personId }: { id: string; personId?: string },
): Promise<AssignmentJson> {
  const p = new SqlParameters()
  const conditions: SqlConditions = [
    ...toConditions(['a.id = ?::uuid', id], ['a.person_id = ?::uuid', personId]),
    ...visibleRecordingsCondition(actor),
  ]
  const { rows } = await sql.query<AssignmentRow & Record<string, unknown>>({
    text: `SELECT ${ASSIGNMENT_COLUMNS_SQL} FROM ${FROM_SQL} WHERE ${p.and(conditions)}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(assignmentMessages.noAssignment())
  const [assignment] = await addTrends(sql, rows)
  return assignment!
}
