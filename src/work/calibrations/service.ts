import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { listPage, type PageRequest, type ResultPage } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notFoundError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, toConditions, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { isoTimeSql } from '../../reports/query-rows.ts'
import { CALL_REFERENCE_SQL, personReferenceSql } from '../schema.ts'
import { calibrationMessages } from './messages.ts'
import type { CalibrationJson, CalibrationWithCallsJson } from './schema.ts'

/** FROM clause of the rules f to judge in the calls k of calibrations, with their recordings r. Labels are not judged. */
export const CALIBRATION_RULES_FROM_SQL = `
  calibration_calls k JOIN analyses a ON a.id = k.analysis_id JOIN recordings r ON r.id = a.recording_id
                      JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label`

/** SQL: the verdict v of the person with this id on the rule f. */
export const ownVerdictJoinSql = (personId: string): string => `
  LEFT JOIN calibration_verdicts v ON v.calibration_id = k.calibration_id AND v.finding_id = f.id
                                  AND v.person_id = ${personId}`

/** SQL: the actor, whose participation is `me`, can see the results of the calibration c. */
const CAN_SEE_RESULTS_SQL = '(me.person_id IS NULL OR me.submitted_at IS NOT NULL)'
const WAITS_SQL = '(me.person_id IS NOT NULL AND me.submitted_at IS NULL AND progress.rules > 0)'

/** Builds the list of calibrations that the actor created or takes part in, with their progress in the calls that they see. */
function buildCalibrationsSql(actor: PersonActor, conditions: SqlConditions) {
  const p = new SqlParameters()
  const me = p.add(actor.person.id)
  return {
    select: `c.id, c.name, ${personReferenceSql('c.creator_id')} AS creator, ${isoTimeSql('c.created_at')} AS "createdAt",
             (SELECT json_agg(json_build_object(
                       'id', p.id, 'name', p.name,
                       'submittedAt', CASE WHEN ${CAN_SEE_RESULTS_SQL} THEN ${isoTimeSql('q.submitted_at')} END)
                     ORDER BY lower(p.name), p.id)
                FROM calibration_people q JOIN people p ON p.id = q.person_id WHERE q.calibration_id = c.id) AS participants,
             progress.*, me.person_id IS NOT NULL AS "isParticipant", ${isoTimeSql('me.submitted_at')} AS "submittedAt",
             ${CAN_SEE_RESULTS_SQL} AS "canSeeResults", c.creator_id = ${me} AS "canDelete"`,
    from: `calibrations c LEFT JOIN calibration_people me ON me.calibration_id = c.id AND me.person_id = ${me}
           CROSS JOIN LATERAL (SELECT count(DISTINCT r.id)::int AS calls, count(f.id)::int AS rules,
                                      count(v.finding_id)::int AS judged
                                 FROM ${CALIBRATION_RULES_FROM_SQL} ${ownVerdictJoinSql(me)}
                                WHERE k.calibration_id = c.id AND ${p.and(visibleRecordingsCondition(actor))}) AS progress
           WHERE (c.creator_id = ${me} OR me.person_id IS NOT NULL) AND ${p.and(conditions)}`,
    order: `${WAITS_SQL} DESC, c.id DESC`,
    values: p.values,
  }
}

/** Lists the calibrations that the actor created or takes part in. @param waiting only those that wait for the actor, or not */
export function listCalibrations(
  { pool }: Core,
  actor: PersonActor,
  { waiting, ...page }: PageRequest & { waiting?: boolean },
): Promise<ResultPage<CalibrationJson>> {
  const conditions = toConditions([`${WAITS_SQL} = ?::boolean`, waiting])
  return listPage<CalibrationJson>(pool, buildCalibrationsSql(actor, conditions), page)
}

/** Loads a calibration that the actor created or takes part in. @throws HttpError 404 */
export async function loadCalibration(sql: Sql, actor: PersonActor, id: string): Promise<CalibrationJson> {
  const { select, from, values } = buildCalibrationsSql(actor, toConditions(['c.id = ?::uuid', id]))
  const { rows } = await sql.query<CalibrationJson>({ text: `SELECT ${select} FROM ${from}`, values })
  if (!rows[0]) throw notFoundError(calibrationMessages.noCalibration())
  return rows[0]
}

/** Loads a calibration with the calls that the actor sees. @throws HttpError 404 */
export async function loadCalibrationWithCalls(
  { pool }: Core,
  actor: PersonActor,
  id: string,
): Promise<CalibrationWithCallsJson> {
  const calibration = await loadCalibration(pool, actor, id)
  const p = new SqlParameters()
  const me = p.add(actor.person.id)
  const conditions = [...toConditions(['k.calibration_id = ?::uuid', id]), ...visibleRecordingsCondition(actor)]
  const { rows } = await pool.query<CalibrationWithCallsJson['items'][number]>({
    text: `SELECT ${CALL_REFERENCE_SQL} AS recording, r.duration_seconds AS "durationSeconds", count(f.id)::int AS rules,
                  count(v.finding_id)::int AS judged
             FROM ${CALIBRATION_RULES_FROM_SQL} ${ownVerdictJoinSql(me)}
            WHERE ${p.and(conditions)} GROUP BY r.id ORDER BY r.call_at, r.id`,
    values: p.values,
  })
  return { ...calibration, items: rows }
}

/** Deletes a calibration that the actor created. @throws HttpError 404 */
export function deleteCalibration({ db }: Core, actor: PersonActor, id: string): Promise<void> {
  return runInTransaction(db, async (sql) => {
    const { name, canDelete } = await loadCalibration(sql, actor, id)
    if (!canDelete) throw notFoundError(calibrationMessages.noCalibration())
    await sql.query({ text: 'DELETE FROM calibrations WHERE id = $1', values: [id] })
    const object = { type: 'calibration', id, name } as const
    await recordAuditChange(sql, actor, { action: 'calibration.delete', object, details: { before: { name } } })
  })
}
