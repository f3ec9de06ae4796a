import { LINE_SIDE_SQL } from '../../check/reviews/review-context.ts'
import { loadRulesByVersion } from '../../check/checks/published-sets.ts'
import type { Rule } from '../../check/rules/types.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { CALL_REFERENCE_SQL } from '../schema.ts'
import { calibrationMessages } from './messages.ts'
import type { CalibrationCallJson, CalibrationJson } from './schema.ts'
import { CALIBRATION_RULES_FROM_SQL, loadCalibration, ownVerdictJoinSql } from './service.ts'
import type { CalibrationVerdict } from './values.ts'

type OwnVerdict = CalibrationCallJson['rules'][number]

interface RuleRow extends Pick<OwnVerdict, 'id' | 'verdict' | 'comment'> {
  ruleSet: OwnVerdict['rule']['ruleSet']
  versionId: string
  ruleKey: string
}

/** Loads a call with the actor's own verdicts. Nothing shows the verdicts of the check or of others. @throws HttpError 404 */
export async function loadCalibrationCall(
  { pool }: Core,
  actor: PersonActor,
  id: string,
  recordingId: string,
): Promise<CalibrationCallJson> {
  const { isParticipant } = await loadCalibration(pool, actor, id)
  if (!isParticipant) throw notFoundError(calibrationMessages.noCalibration())
  if (!isUuid(recordingId)) throw notFoundError(calibrationMessages.noCall())
  const conditions = [
    ...toConditions(['k.calibration_id = ?::uuid', id], ['r.id = ?::uuid', recordingId]),
    ...visibleRecordingsCondition(actor),
  ]
  const [call, rules] = await Promise.all([selectCall(pool, conditions), selectRules(pool, actor, conditions)])
  if (!call) throw notFoundError(calibrationMessages.noCall())
  return { ...call, rules }
}

async function selectCall(
  sql: Sql,
  conditions: SqlConditions,
): Promise<Omit<CalibrationCallJson, 'rules'> | undefined> {
  const p = new SqlParameters()
  const { rows } = await sql.query<Omit<CalibrationCallJson, 'rules'>>({
    text: `SELECT ${CALL_REFERENCE_SQL} AS recording, r.duration_seconds AS "durationSeconds", r.size_bytes > 0 AS "hasAudio",
                  coalesce((SELECT json_agg(json_build_object('start', line -> 'start', 'side', ${LINE_SIDE_SQL},
                                                              'text', line -> 'text') ORDER BY n)
                              FROM transcripts t, json_array_elements(t.segments) WITH ORDINALITY AS e (line, n)
                             WHERE t.recording_id = r.id), '[]') AS lines
             FROM calibration_calls k JOIN analyses a ON a.id = k.analysis_id JOIN recordings r ON r.id = a.recording_id
            WHERE ${p.and(conditions)}`,
    values: p.values,
  })
  return rows[0]
}

async function selectRules(sql: Sql, actor: PersonActor, conditions: SqlConditions): Promise<OwnVerdict[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<RuleRow>({
    text: `SELECT f.id, f.version_id AS "versionId", f.rule_key AS "ruleKey", v.verdict, v.comment,
                  (SELECT json_build_object('id', s.id, 'key', s.key, 'name', s.name) FROM rule_set_versions w
                     JOIN rule_sets s ON s.id = w.rule_set_id WHERE w.id = f.version_id) AS "ruleSet"
             FROM ${CALIBRATION_RULES_FROM_SQL} ${ownVerdictJoinSql(p.add(actor.person.id))}
            WHERE ${p.and(conditions)} ORDER BY f.position, f.id`,
    values: p.values,
  })
  const rules = await loadRulesByVersion(sql, [...new Set(rows.map(({ versionId }) => versionId))])
  return rows.map(({ id, ruleSet, versionId, ruleKey, verdict, comment }) => {
    const { key, name, hint, critical = false } = rules.get(versionId)!.find((one) => one.key === ruleKey)!
    const { en = null, ru = null } = hint ?? {}
    return { id, rule: { ruleSet, key, name }, hint: hint ? { en, ru } : null, critical, verdict, comment }
  })
}

interface Judgement {
  verdict: CalibrationVerdict | null
  comment?: string
}

/** Stores, changes or deletes the actor's verdict on a rule of a call. @throws HttpError 404, 409 after the submission */
export function judgeCalibrationRule(
  { db }: Core,
  actor: PersonActor,
  id: string,
  ruleId: string,
  { verdict, comment = '' }: Judgement,
): Promise<CalibrationJson> {
  return runInTransaction(db, async (sql) => {
    const { isSubmitted } = await lockParticipation(sql, actor, id)
    if (isSubmitted) throw conflictError(calibrationMessages.submitted())
    const rule = await lockVisibleRule(sql, actor, id, ruleId)
    const key = [id, actor.person.id, ruleId]
    if (verdict === null)
      await sql.query({
        text: 'DELETE FROM calibration_verdicts WHERE calibration_id = $1 AND person_id = $2 AND finding_id = $3',
        values: key,
      })
    else
      await sql.query({
        text: `INSERT INTO calibration_verdicts (calibration_id, person_id, finding_id, verdict, comment)
               VALUES ($1, $2, $3, $4, $5)
               ON CONFLICT (calibration_id, person_id, finding_id)
               DO UPDATE SET verdict = excluded.verdict, comment = excluded.comment`,
        values: [...key, verdict, comment.trim() || null],
      })
    await recordCalibration(sql, actor, 'calibration.judge', id, rule)
    return loadCalibration(sql, actor, id)
  })
}

/** Submits the actor's verdicts on all calls that they see. Verdicts on other calls are dropped. @throws HttpError 404, 409 */
export function submitCalibration({ db }: Core, actor: PersonActor, id: string): Promise<CalibrationJson> {
  return runInTransaction(db, async (sql) => {
    const { isSubmitted } = await lockParticipation(sql, actor, id)
    const before = await loadCalibration(sql, actor, id)
    if (isSubmitted) return before
    if (before.rules === 0 || before.judged < before.rules) throw conflictError(calibrationMessages.notJudged())
    await deleteUnseenVerdicts(sql, actor, id)
    await sql.query({
      text: 'UPDATE calibration_people SET submitted_at = now() WHERE calibration_id = $1 AND person_id = $2',
      values: [id, actor.person.id],
    })
    await recordCalibration(sql, actor, 'calibration.submit', id)
    return loadCalibration(sql, actor, id)
  })
}

async function deleteUnseenVerdicts(sql: Sql, actor: PersonActor, id: string): Promise<void> {
  const p = new SqlParameters()
  const conditions = toConditions(['v.calibration_id = ?::uuid', id], ['v.person_id = ?::uuid', actor.person.id])
  await sql.query({
    text: `DELETE FROM calibration_verdicts v USING findings f JOIN analyses a ON a.id = f.analysis_id
                  JOIN recordings r ON r.id = a.recording_id
            WHERE f.id = v.finding_id AND ${p.and(conditions)} AND (${p.and(visibleRecordingsCondition(actor))}) IS NOT TRUE`,
    values: p.values,
  })
}

/** Locks the actor's participation, so that no verdict changes during the submission. @throws HttpError 404 */
async function lockParticipation(sql: Sql, { person }: PersonActor, id: string): Promise<{ isSubmitted: boolean }> {
  const { rows } = await sql.query<{ isSubmitted: boolean }>({
    text: `SELECT submitted_at IS NOT NULL AS "isSubmitted" FROM calibration_people
            WHERE calibration_id = $1 AND person_id = $2 FOR UPDATE`,
    values: [id, person.id],
  })
  if (!rows[0]) throw notFoundError(calibrationMessages.noCalibration())
  return rows[0]
}

/** Finds a rule of a call that the actor sees, and prevents the deletion of the call meanwhile. @throws HttpError 404 */
async function lockVisibleRule(sql: Sql, actor: PersonActor, id: string, ruleId: string) {
  if (!isUuid(ruleId)) throw notFoundError(calibrationMessages.noRule())
  const p = new SqlParameters()
  const conditions = [
    ...toConditions(['k.calibration_id = ?::uuid', id], ['f.id = ?::uuid', ruleId]),
    ...visibleRecordingsCondition(actor),
  ]
  const { rows } = await sql.query<{ recordingId: string; versionId: string; rule: string }>({
    text: `SELECT r.id AS "recordingId", f.version_id AS "versionId", f.rule_key AS rule FROM ${CALIBRATION_RULES_FROM_SQL}
            WHERE ${p.and(conditions)} FOR KEY SHARE OF r`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(calibrationMessages.noRule())
  const { recordingId, versionId, rule } = rows[0]
  return { recordingId, rule, ruleName: (await loadRule(sql, versionId, rule)).name }
}

async function loadRule(sql: Sql, versionId: string, ruleKey: string): Promise<Rule> {
  const rules = (await loadRulesByVersion(sql, [versionId])).get(versionId)!
  return rules.find(({ key }) => key === ruleKey)!
}

/** The audit log is permanent and owners read it. It omits verdicts and comments, which others must not see yet. */
const recordCalibration = (
  sql: Sql,
  actor: PersonActor,
  action: 'calibration.judge' | 'calibration.submit',
  id: string,
  after?: object,
): Promise<void> =>
  recordAuditChange(sql, actor, { action, object: { type: 'calibration', id }, ...(after && { details: { after } }) })
