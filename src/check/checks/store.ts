import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { generateId } from '../../platform/lib/ids.ts'
import type { AttemptOutcome } from '../../platform/lib/metrics.ts'
import { calculateTokenCost } from '../model/ledger.ts'
import { toStoredReason } from '../../platform/lib/stored-reason.ts'
import type { JobClaim } from '../../platform/queue/queue.ts'
import type { CheckCore } from '../core.ts'
import type { EventRule } from '../listener.ts'
import { deleteCachedModelReplies } from '../model/reply-cache.ts'
import { endJob } from '../../platform/queue/claims.ts'
import { hashRule } from '../rule-sets/hash.ts'
import { calculateCallScore } from '../rules/judge-call.ts'
import type { CompletedCallCheck, CallCheckResult, RuleSetJudgement } from './check-call.ts'
import { CHECK_PRIORITY } from './check-requests.ts'
import { applyReviewsToFinding } from './decisions.ts'
import type { FindingRow, FindingReview } from './entity.ts'
import type { MissingScoreReason } from './published-sets.ts'

/** Loads the reviews of one transcript of a call, newest first. */
export async function loadTranscriptReviews(
  sql: Sql,
  recordingId: string,
  transcriptHash: string,
): Promise<FindingReview[]> {
  const { rows } = await sql.query<FindingReview>({
    text: `SELECT id, rule_set_id AS "ruleSetId", rule_key AS "ruleKey", rule_hash AS "ruleHash", kind,
                  machine_verdict AS "machineVerdict", verdict, comment, person_id AS "personId",
                  person_name AS "personName", created_at AS "createdAt"
             FROM reviews WHERE recording_id = $1 AND transcript_hash = $2 ORDER BY id DESC`,
    values: [recordingId, transcriptHash],
  })
  return rows
}

/**
 * Stores the findings of a check and the score of its call in one transaction.
 * @returns lost, without storing anything, if the claim is no longer valid
 */
export async function storeCheckResult(
  core: Pick<CheckCore, 'db' | 'config' | 'checkListeners'>,
  claim: JobClaim,
  result: CallCheckResult,
): Promise<AttemptOutcome> {
  return runInTransaction(core.db, async (sql) => {
    const call = await lockCall(sql, claim)
    if (!call) return 'lost'
    const { recordingId, isOfMany } = call
    if ('skipped' in result) {
      const { skipped } = result
      const columns = skipped === 'noTranscript' ? { reason: skipped } : buildReasonColumns(skipped)
      if (!(await endJob(sql, claim, 'SKIPPED', columns))) return 'lost'
      await deleteCachedModelReplies(sql, [claim.id])
      if (skipped !== 'noTranscript') await markCheckCurrent(sql, claim.id, recordingId, null)
      return 'done'
    }
    const reviews = await loadTranscriptReviews(sql, recordingId, result.call.transcriptHash)
    const isInvented = core.config.ANALYSIS_PROVIDER === 'mock'
    const findings = buildFindings(recordingId, result, reviews).map((row) =>
      isInvented ? { ...row, waits: null } : row,
    )
    const columns = buildAnalysisColumns(core, result, findings)
    if (!(await endJob(sql, claim, 'DONE', columns))) return 'lost'
    await insertFindings(sql, claim.id, findings)
    await deleteCachedModelReplies(sql, [claim.id])
    const isCurrent = await markCheckCurrent(sql, claim.id, recordingId, columns.score, isInvented)
    const criticalMisses = isCurrent ? collectCriticalMisses(result, findings) : []
    for (const listener of core.checkListeners)
      await listener.checkStored?.(sql, { recordingId, isOfMany, criticalMisses })
    return 'done'
  })
}

/** Findings of invented checks never wait, so they are no misses. */
function collectCriticalMisses({ score }: CompletedCallCheck, findings: NewFinding[]): EventRule[] {
  if (!score) return []
  const missedKeys = findings.filter(({ waits }) => waits === 'critical').map(({ ruleKey }) => ruleKey)
  return score.set.body.rules
    .filter(({ key }) => missedKeys.includes(key))
    .map(({ key, name }) => ({ ruleSetId: score.set.id, key, name }))
}

/** The lock serializes the checks of a call, so that the newest one becomes current. */
async function lockCall(sql: Sql, { id }: JobClaim): Promise<{ recordingId: string; isOfMany: boolean } | undefined> {
  const { rows } = await sql.query<{ recordingId: string; isOfMany: boolean }>({
    text: `SELECT r.id AS "recordingId", a.run_id IS NOT NULL OR a.priority = $2 AS "isOfMany"
             FROM recordings r JOIN analyses a ON a.recording_id = r.id WHERE a.id = $1 FOR NO KEY UPDATE OF r`,
    values: [id, CHECK_PRIORITY.bulkAction],
  })
  return rows[0]
}

const buildReasonColumns = ({ code, message }: MissingScoreReason) => ({
  reason: code,
  message_json: message && toStoredReason(message),
})

function buildAnalysisColumns(
  { config }: Pick<Core, 'config'>,
  { call, score, missingScore, labels }: CompletedCallCheck,
  findings: NewFinding[],
) {
  const scores = score && calculateCallScore(score.set.body, verdictsOf(findings))
  const usages = [score, ...labels].flatMap((judged) => judged?.usage ?? [])
  const inputTokens = usages.reduce((sum, usage) => sum + usage.inputTokens, 0)
  const outputTokens = usages.reduce((sum, usage) => sum + usage.outputTokens, 0)
  const cost = usages.length > 0 ? calculateTokenCost(config, { input: inputTokens, output: outputTokens }) : null
  return {
    ...(missingScore && buildReasonColumns(missingScore)),
    provider: config.ANALYSIS_PROVIDER,
    model: [score, ...labels].find((judged) => judged?.model)?.model ?? null,
    version_id: score?.set.versionId ?? null,
    transcript_hash: call.transcriptHash,
    agent_channel: call.dialogue.agentChannel,
    score: scores?.score ?? null,
    score_before_critical: scores?.scoreBeforeCritical ?? null,
    coverage: scores?.coverage ?? null,
    score_auto: score?.judgement.score ?? null,
    ...(usages.length > 0 && { input_tokens: inputTokens, output_tokens: outputTokens, cost }),
    ...(cost !== null && { currency: config.ANALYSIS_PRICE_CURRENCY }),
    changed_at: new Date(),
  }
}

type NewFinding = Omit<FindingRow, 'analysisId'>

const verdictsOf = (findings: NewFinding[]) =>
  findings.filter(({ isLabel }) => !isLabel).map(({ ruleKey, verdict }) => ({ rule: ruleKey, verdict }))

/** Builds a finding for each rule of the score set and for each found label. Reviews of a rule with the same hash apply. */
function buildFindings(
  recordingId: string,
  { score, labels }: CompletedCallCheck,
  reviews: FindingReview[],
): NewFinding[] {
  const rows = [...(score ? [score] : []), ...labels].flatMap((judged) =>
    buildSetFindings(recordingId, judged, reviews),
  )
  return rows.map((row, position) => ({ ...row, position }))
}

function buildSetFindings(
  recordingId: string,
  { set, judgement }: RuleSetJudgement,
  reviews: FindingReview[],
): NewFinding[] {
  const isLabel = set.body.mode === 'label'
  return set.body.rules.flatMap((rule, n) => {
    const { verdict, decidedBy, why, evidence } = judgement.findings[n]!
    if (isLabel && verdict !== 'met') return []
    const ruleHash = hashRule(rule)
    const ruleReviews = reviews.filter(
      (one) => one.ruleSetId === set.id && one.ruleKey === rule.key && one.ruleHash === ruleHash,
    )
    const row = {
      id: generateId(),
      versionId: set.versionId,
      position: n,
      isLabel,
      ruleKey: rule.key,
      ruleHash,
      machineVerdict: verdict,
      machineDecidedBy: decidedBy,
      why,
      evidence,
    }
    return [{ ...row, ...applyReviewsToFinding(recordingId, rule, row, ruleReviews) }]
  })
}

async function insertFindings(sql: Sql, analysisId: string, findings: NewFinding[]): Promise<void> {
  if (findings.length === 0) return
  await sql.query({
    text: `INSERT INTO findings (analysis_id, id, version_id, position, is_label, rule_key, rule_hash, machine_verdict,
                                 machine_decided_by, verdict, decided_by, why, evidence, waits)
           SELECT $1::uuid, f.* FROM jsonb_to_recordset($2::jsonb) AS f (
             id uuid, "versionId" uuid, position smallint, "isLabel" boolean, "ruleKey" text, "ruleHash" text,
             "machineVerdict" text, "machineDecidedBy" text, verdict text, "decidedBy" text, why jsonb, evidence jsonb,
             waits text)`,
    values: [analysisId, JSON.stringify(findings)],
  })
}

/**
 * Makes a check current and stores its score in the call. Findings of earlier checks no longer wait for reviews.
 * @returns false, without a change, if a newer check is current
 */
async function markCheckCurrent(
  sql: Sql,
  id: string,
  recordingId: string,
  score: number | null,
  isInvented = false,
): Promise<boolean> {
  const { rowCount } = await sql.query({
    text: `WITH newer AS (SELECT FROM analyses WHERE recording_id = $2 AND is_current AND id > $1),
                retired AS (UPDATE analyses SET is_current = false
                             WHERE recording_id = $2 AND is_current AND id < $1 RETURNING id),
                settled AS (UPDATE findings f SET waits = NULL FROM retired
                             WHERE f.analysis_id = retired.id AND f.waits IS NOT NULL)
           SELECT FROM newer`,
    values: [id, recordingId],
  })
  if (rowCount! > 0) return false
  await sql.query({ text: 'UPDATE analyses SET is_current = true WHERE id = $1', values: [id] })
  await sql.query({
    text: `UPDATE recordings SET score = $2, mock_score = $3
            WHERE id = $1 AND (score IS DISTINCT FROM $2 OR mock_score IS DISTINCT FROM $3)`,
    values: [recordingId, isInvented ? null : score, isInvented ? score : null],
  })
  return true
}
