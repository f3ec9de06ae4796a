import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import type { AnalysisJson } from '../checks/check-schema.ts'
import { applyReviewsToFinding, isReviewUndo, omitUndoneReviews } from '../checks/decisions.ts'
import type { FindingRow, FindingReview } from '../checks/entity.ts'
import { loadAnalysis, requireVisibleRecording } from '../checks/queries.ts'
import { loadTranscriptReviews } from '../checks/store.ts'
import { calculateCallScore } from '../rules/judge-call.ts'
import type { Rule, Verdict } from '../rules/types.ts'
import { loadRulesByVersion } from '../checks/published-sets.ts'
import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { CheckCore } from '../core.ts'
import type { EventRule } from '../listener.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import { badRequestError, conflictError, notFoundError } from '../../platform/errors.ts'
import { isUuid, generateId } from '../../platform/lib/ids.ts'
import { reviewMessages } from './messages.ts'
import { fieldRuleMessages } from '../../platform/http/messages.ts'

interface ReviewableFinding extends Omit<FindingRow, 'position' | 'decidedBy' | 'why' | 'evidence' | 'waits'> {
  recordingId: string
  ruleSetId: string
  transcriptHash: string
  isCurrent: boolean
  provider: string
}

interface Decision {
  verdict: Verdict
  comment?: string
  /** The number of reviews that the person has seen. Another number means a concurrent review. */
  knownReviews?: number
}

/**
 * Confirms or overturns a verdict and recalculates the score of the call.
 * @throws HttpError 400 if a new verdict has no comment, 404, 409 if the finding is outdated or reviewed meanwhile
 */
export async function reviewFinding(
  core: CheckCore,
  actor: PersonActor,
  recordingId: string,
  findingId: string,
  { verdict, comment = '', knownReviews }: Decision,
): Promise<AnalysisJson> {
  return changeFinding(core, actor, recordingId, findingId, async (sql, finding) => {
    const reviews = await loadFindingReviews(sql, recordingId, finding)
    if (knownReviews !== undefined && reviews.length !== knownReviews)
      throw conflictError(reviewMessages.reviewedMeanwhile())
    // A person who confirms the machine's or the current verdict needs no comment.
    const isConfirmed = verdict === finding.machineVerdict || verdict === finding.verdict
    if (!isConfirmed && comment.trim() === '') {
      throw badRequestError([reviewMessages.comment().withField('comment')])
    }
    const reviewId = await insertReview(sql, actor.person, recordingId, finding, { kind: 'verdict', verdict, comment })
    await updateVerdict(sql, recordingId, finding, { verdict, decidedBy: 'person', waits: null })
    await recordVerdict(sql, actor, 'analysis.review', recordingId, finding, verdict)
    const disputes = takeOpenDisputes(omitUndoneReviews(reviews)).map(({ id, personId }) => ({
      reviewId: id,
      personId,
    }))
    const event = { ...(await loadReviewEvent(sql, actor, finding)), reviewId, comment, verdict, disputes }
    for (const listener of core.checkListeners) await listener.verdictDecided?.(sql, event)
  })
}

/**
 * Undoes the last decision on a finding and restores the earlier verdict. The history keeps both.
 * @throws HttpError 404, 409 if the last review is not a decision of this person
 */
export async function undoReviewDecision(
  core: CheckCore,
  actor: PersonActor,
  recordingId: string,
  findingId: string,
): Promise<AnalysisJson> {
  return changeFinding(core, actor, recordingId, findingId, async (sql, finding) => {
    const [last, ...earlier] = await loadFindingReviews(sql, recordingId, finding)
    if (last?.kind !== 'verdict' || isReviewUndo(last) || last.personId !== actor.person.id)
      throw conflictError(reviewMessages.nothingToUndo())
    const rule = await loadRule(sql, finding)
    const former = applyReviewsToFinding(recordingId.toLowerCase(), rule, finding, earlier)
    await insertReview(sql, actor.person, recordingId, finding, { kind: 'verdict', verdict: null, comment: '' })
    await updateVerdict(sql, recordingId, finding, former)
    await recordVerdict(sql, actor, 'analysis.undo', recordingId, finding, former.verdict)
    const event = { reviewId: last.id, disputeIds: takeOpenDisputes(omitUndoneReviews(earlier)).map(({ id }) => id) }
    for (const listener of core.checkListeners) await listener.decisionUndone?.(sql, event)
  })
}

/** Loads the reviews of the same wording of the rule and the same transcript, newest first. */
async function loadFindingReviews(sql: Sql, recordingId: string, finding: ReviewableFinding): Promise<FindingReview[]> {
  const reviews = await loadTranscriptReviews(sql, recordingId, finding.transcriptHash)
  return reviews.filter(
    ({ ruleSetId, ruleKey, ruleHash }) =>
      ruleSetId === finding.ruleSetId && ruleKey === finding.ruleKey && ruleHash === finding.ruleHash,
  )
}

async function updateVerdict(
  sql: Sql,
  recordingId: string,
  { id, analysisId }: ReviewableFinding,
  { verdict, decidedBy, waits }: Pick<FindingRow, 'verdict' | 'decidedBy' | 'waits'>,
): Promise<void> {
  await sql.query({
    text: `UPDATE findings SET verdict = $2, decided_by = $3, waits = $4 WHERE id = $1`,
    values: [id, verdict, decidedBy, waits],
  })
  await sql.query({ text: 'UPDATE analyses SET changed_at = now() WHERE id = $1', values: [analysisId] })
  await updateScore(sql, recordingId, analysisId)
}

/** The audit log is permanent. It omits comments, which are deleted with their call. */
async function recordVerdict(
  sql: Sql,
  actor: PersonActor,
  action: 'analysis.review' | 'analysis.undo',
  recordingId: string,
  finding: ReviewableFinding,
  verdict: Verdict,
): Promise<void> {
  const { name } = await loadRule(sql, finding)
  await recordAuditChange(sql, actor, {
    action,
    object: { type: 'recording', id: recordingId.toLowerCase() },
    details: { before: { verdict: finding.verdict }, after: { rule: finding.ruleKey, ruleName: name, verdict } },
  })
}

/**
 * Adds the objection of a person to a verdict, which then waits for a review.
 * @throws HttpError 400 for an empty comment, 404, 409 if the finding is outdated or this person's dispute waits
 */
export async function disputeFinding(
  core: CheckCore,
  actor: PersonActor,
  recordingId: string,
  findingId: string,
  comment: string,
): Promise<AnalysisJson> {
  return changeFinding(core, actor, recordingId, findingId, async (sql, finding) => {
    if (comment.trim() === '') throw badRequestError([fieldRuleMessages.notEmpty().withField('comment')])
    const disputes = takeOpenDisputes(omitUndoneReviews(await loadFindingReviews(sql, recordingId, finding)))
    if (disputes.some(({ personId }) => personId === actor.person.id)) throw conflictError(reviewMessages.disputed())
    const reviewId = await insertReview(sql, actor.person, recordingId, finding, {
      kind: 'dispute',
      verdict: null,
      comment,
    })
    await sql.query({ text: `UPDATE findings SET waits = 'disputed' WHERE id = $1`, values: [finding.id] })
    const event = { ...(await loadReviewEvent(sql, actor, finding)), reviewId, comment }
    await recordAuditChange(sql, actor, {
      action: 'analysis.dispute',
      object: { type: 'recording', id: recordingId.toLowerCase() },
      details: { after: { rule: finding.ruleKey, ruleName: event.rule.name } },
    })
    for (const listener of core.checkListeners) await listener.verdictDisputed?.(sql, event)
  })
}

async function loadRule(sql: Sql, { versionId, ruleKey }: ReviewableFinding): Promise<Rule> {
  const rules = (await loadRulesByVersion(sql, [versionId])).get(versionId)!
  return rules.find(({ key }) => key === ruleKey)!
}

/** Loads what the events of disputes and decisions have in common. */
async function loadReviewEvent(sql: Sql, { person }: PersonActor, finding: ReviewableFinding) {
  const { key, name } = await loadRule(sql, finding)
  const rule: EventRule = { ruleSetId: finding.ruleSetId, key, name }
  return { recordingId: finding.recordingId, person, rule }
}

/** Returns the disputes since the last decision. @param reviews newest first */
function takeOpenDisputes(reviews: FindingReview[]): FindingReview[] {
  const decided = reviews.findIndex(({ kind }) => kind === 'verdict')
  return decided < 0 ? reviews : reviews.slice(0, decided)
}

/** Locks the call, so that its score includes all concurrent reviews. @throws HttpError 404, 409 */
function changeFinding(
  core: CheckCore,
  actor: PersonActor,
  recordingId: string,
  findingId: string,
  change: (sql: Sql, finding: ReviewableFinding) => Promise<void>,
): Promise<AnalysisJson> {
  return runInTransaction(core.db, async (sql) => {
    await requireVisibleRecording(sql, actor, recordingId)
    await sql.query({ text: 'SELECT FROM recordings WHERE id = $1 FOR NO KEY UPDATE', values: [recordingId] })
    const finding = await loadFinding(sql, recordingId, findingId)
    if (!finding.isCurrent) throw conflictError(reviewMessages.newer())
    if (finding.provider === 'mock') throw conflictError(reviewMessages.invented())
    await change(sql, finding)
    return loadAnalysis(sql, recordingId)
  })
}

async function loadFinding(sql: Sql, recordingId: string, findingId: string): Promise<ReviewableFinding> {
  if (!isUuid(findingId)) throw notFoundError(reviewMessages.noFinding())
  const { rows } = await sql.query<ReviewableFinding>({
    text: `SELECT f.id, f.analysis_id AS "analysisId", a.recording_id AS "recordingId", f.version_id AS "versionId", f.rule_key AS "ruleKey",
                  f.rule_hash AS "ruleHash", f.is_label AS "isLabel", f.verdict,
                  f.machine_verdict AS "machineVerdict", f.machine_decided_by AS "machineDecidedBy",
                  v.rule_set_id AS "ruleSetId", a.transcript_hash AS "transcriptHash", a.is_current AS "isCurrent",
                  a.provider
             FROM findings f JOIN analyses a ON a.id = f.analysis_id JOIN rule_set_versions v ON v.id = f.version_id
            WHERE f.id = $1 AND a.recording_id = $2`,
    values: [findingId, recordingId],
  })
  if (!rows[0]) throw notFoundError(reviewMessages.noFinding())
  return rows[0]
}

async function insertReview(
  sql: Sql,
  { id, name }: ActingPerson,
  recordingId: string,
  finding: ReviewableFinding,
  review: { kind: 'verdict' | 'dispute'; verdict: Verdict | null; comment: string },
): Promise<string> {
  const reviewId = generateId()
  await insertRow(sql, 'reviews', {
    id: reviewId,
    recording_id: recordingId,
    finding_id: finding.id,
    rule_set_id: finding.ruleSetId,
    rule_key: finding.ruleKey,
    rule_hash: finding.ruleHash,
    transcript_hash: finding.transcriptHash,
    machine_verdict: finding.machineVerdict,
    person_id: id,
    person_name: name,
    ...review,
  })
  return reviewId
}

/** Recalculates the score from the current verdicts. `score_auto` keeps the score of the machine. */
async function updateScore(sql: Sql, recordingId: string, analysisId: string): Promise<void> {
  const { rows } = await sql.query<{ versionId: string; verdicts: { rule: string; verdict: Verdict }[] }>({
    text: `SELECT a.version_id AS "versionId",
                  (SELECT json_agg(json_build_object('rule', f.rule_key, 'verdict', f.verdict))
                     FROM findings f WHERE f.analysis_id = a.id AND NOT f.is_label) AS verdicts
             FROM analyses a WHERE a.id = $1 AND a.version_id IS NOT NULL`,
    values: [analysisId],
  })
  if (!rows[0]) return
  const { versionId, verdicts } = rows[0]
  const rules = (await loadRulesByVersion(sql, [versionId])).get(versionId)!
  const { score, scoreBeforeCritical, coverage } = calculateCallScore({ mode: 'score', rules }, verdicts)
  await sql.query({
    text: `UPDATE analyses SET score = $2, score_before_critical = $3, coverage = $4 WHERE id = $1`,
    values: [analysisId, score, scoreBeforeCritical, coverage],
  })
  await sql.query({ text: 'UPDATE recordings SET score = $2 WHERE id = $1', values: [recordingId, score] })
}
