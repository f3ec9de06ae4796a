import type { Sql } from '../../platform/db/sql.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { conflictError, notFoundError } from '../../platform/errors.ts'
import { SqlParameters, toConditions, type SqlCondition } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import { presentQueuePause, loadQueuePauses } from '../../platform/queue/pauses.ts'
import { enqueueRepeatedCheck, AUTOMATIC_CHECKS_ENABLED_SQL } from './check-requests.ts'
import type { AnalysisJson } from './check-schema.ts'
import { presentAnalysis, type AnalysisRow, type FindingWithRule } from './present.ts'
import { loadRulesByVersion } from './published-sets.ts'
import { loadTranscriptReviews } from './store.ts'
import { recordingMessages } from '../../calls/recordings/messages.ts'
import { analysisMessages } from './messages.ts'
import { getCurrentLanguage } from '../../platform/lib/log.ts'

/** Selects the last completed check by a rule set, by a version number, or by both. If both are empty, the current check. */
interface AnalysisSelection {
  version?: number
  set?: string
}

/**
 * Loads the check of a call that the actor can see. A queued check has the pause of its queue, a missing check its reason.
 * @throws HttpError 404 if there is no such call or version
 */
export async function loadVisibleAnalysis(
  core: Core,
  actor: Actor,
  id: string,
  selection: AnalysisSelection,
): Promise<AnalysisJson> {
  const { hasText } = await requireVisibleRecording(core.pool, actor, id)
  const analysis = await loadAnalysis(core.pool, id, selection)
  if (analysis.status === 'queued')
    return { ...analysis, pause: presentQueuePause((await loadQueuePauses(core)).get('analysis')) }
  if (analysis.status === 'none' && hasText) return { ...analysis, ...(await explainMissingCheck(core)) }
  return analysis
}

async function explainMissingCheck({ config, pool }: Core): Promise<Pick<AnalysisJson, 'reason' | 'reasonCode'>> {
  if (config.ANALYSIS_PROVIDER === 'none')
    return { reason: analysisMessages.off().format(getCurrentLanguage()), reasonCode: 'off' }
  const { rows } = await pool.query<{ isAutomatic: boolean }>({
    text: `SELECT ${AUTOMATIC_CHECKS_ENABLED_SQL} AS "isAutomatic"`,
  })
  if (rows[0]!.isAutomatic) return { reason: null, reasonCode: null }
  return { reason: analysisMessages.automaticOff().format(getCurrentLanguage()), reasonCode: 'automaticOff' }
}

/** Returns whether a call has a transcript. @throws HttpError 404 if the actor cannot see the call */
export async function requireVisibleRecording(sql: Sql, actor: Actor, id: string): Promise<{ hasText: boolean }> {
  const p = new SqlParameters()
  const { rows } = await sql.query<{ hasText: boolean }>({
    text: `SELECT EXISTS (SELECT FROM transcripts t WHERE t.recording_id = r.id) AS "hasText"
             FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}

const SELECT_ANALYSIS_SQL = `
  SELECT a.id, a.status, a.reason, a.last_error AS "lastError", a.message_json AS "messageJson", a.provider, a.model, a.transcript_hash AS "transcriptHash",
         a.score, a.score_auto AS "scoreAuto", a.score_before_critical AS "scoreBeforeCritical", a.coverage,
         a.input_tokens AS "inputTokens", a.output_tokens AS "outputTokens", a.cost, a.currency,
         a.changed_at AS "changedAt", a.outdated_at AS "outdatedAt", a.is_current AS "isCurrent",
         CASE WHEN s.id IS NOT NULL THEN json_build_object('id', s.id, 'key', s.key, 'name', s.name, 'version', v.number)
         END AS "ruleSet",
         ARRAY(SELECT json_build_object('id', t.id, 'key', t.key, 'name', t.name, 'version', w.number)
                 FROM rule_set_versions w JOIN rule_sets t ON t.id = w.rule_set_id
                 JOIN (SELECT version_id, max(id::text) AS last FROM analyses
                        WHERE recording_id = a.recording_id AND status = 'DONE' GROUP BY version_id) b ON b.version_id = w.id
                ORDER BY b.last DESC) AS versions
    FROM analyses a LEFT JOIN rule_set_versions v ON v.id = a.version_id LEFT JOIN rule_sets s ON s.id = v.rule_set_id`

/** Selects at most two rows: the current check, and the last one, which can be running or failed. */
const CURRENT_OR_LAST_CHECK: SqlCondition = {
  sql: `(a.is_current OR a.id = (SELECT id FROM analyses b WHERE b.recording_id = a.recording_id AND b.status <> 'CANCELLED'
                                ORDER BY b.id DESC LIMIT 1))`,
  values: [],
}

/**
 * Loads the check of a call: the current one, or the last completed one of the selection.
 * @throws HttpError 404 if the selection matches no check
 */
export async function loadAnalysis(
  sql: Sql,
  recordingId: string,
  { version, set }: AnalysisSelection = {},
): Promise<AnalysisJson> {
  const isSelected = version !== undefined || set !== undefined
  const selection = isSelected
    ? toConditions([`a.status = ?`, 'DONE'], ['v.number = ?::int', version], ['v.rule_set_id = ?::uuid', set])
    : [CURRENT_OR_LAST_CHECK]
  const p = new SqlParameters()
  const conditions = p.and([...toConditions(['a.recording_id = ?::uuid', recordingId]), ...selection])
  const { rows } = await sql.query<AnalysisRow>({
    text: `${SELECT_ANALYSIS_SQL} WHERE ${conditions} ORDER BY a.id DESC LIMIT 2`,
    values: p.values,
  })
  if (isSelected && !rows[0]) throw notFoundError(analysisMessages.noVersion())
  const current = isSelected ? rows[0] : rows.find(({ isCurrent }) => isCurrent)
  if (!current || current.status !== 'DONE') return presentAnalysis(rows[0], undefined, [], [])
  const findings = await loadFindings(sql, current.id)
  const reviews = await loadTranscriptReviews(sql, recordingId, current.transcriptHash ?? '')
  return presentAnalysis(rows[0], current, findings, reviews)
}

type FindingQueryRow = Omit<FindingWithRule, 'rule'>

async function loadFindings(sql: Sql, analysisId: string): Promise<FindingWithRule[]> {
  const { rows } = await sql.query<FindingQueryRow>({
    text: `SELECT f.id, f.version_id AS "versionId", f.position, f.is_label AS "isLabel", f.rule_key AS "ruleKey",
                  f.rule_hash AS "ruleHash", f.machine_verdict AS "machineVerdict",
                  f.machine_decided_by AS "machineDecidedBy", f.verdict, f.decided_by AS "decidedBy", f.why, f.evidence,
                  json_build_object('id', s.id, 'key', s.key, 'name', s.name, 'version', v.number) AS "ruleSet"
             FROM findings f JOIN rule_set_versions v ON v.id = f.version_id JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE f.analysis_id = $1 ORDER BY f.position`,
    values: [analysisId],
  })
  const rules = await loadRulesByVersion(sql, [...new Set(rows.map(({ versionId }) => versionId))])
  return rows.map((row) => ({ ...row, rule: rules.get(row.versionId)!.find(({ key }) => key === row.ruleKey)! }))
}

/**
 * Queues another check of a call, ahead of new calls except in a bulk action.
 * @throws HttpError 404, 409 if there is no transcript or the provider is none
 */
export async function rerunCallCheck(core: Core, actor: Actor, id: string): Promise<AnalysisJson> {
  const analysis = await runInTransaction(core.db, async (sql) => {
    const { hasText } = await requireVisibleRecording(sql, actor, id)
    if (!hasText) throw conflictError(analysisMessages.noText())
    if (core.config.ANALYSIS_PROVIDER === 'none') throw conflictError(analysisMessages.off())
    await enqueueRepeatedCheck(sql, id)
    await recordAuditChange(sql, actor, {
      action: 'analysis.rerun',
      object: { type: 'recording', id: id.toLowerCase() },
    })
    return loadAnalysis(sql, id)
  })
  core.notify('analysis')
  return analysis
}
