import type { Actor } from '../../platform/http/actor.ts'
import { REVIEW_REASONS } from '../checks/values.ts'
import { loadRulesByVersion } from '../checks/published-sets.ts'
import { formatVerdictReason } from '../rules/verdict-reason.ts'
import type { Core } from '../../platform/core.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { loadRuleAgreement } from './agreement.ts'
import { PENDING_FINDINGS_FROM_SQL, pendingFindingConditions, type PendingReviewFilters } from './filters.ts'
import { findReviewMoment, loadReviewContexts, type ReviewMomentSource } from './review-context.ts'
import { loadScoresByVerdict, type ScoredFinding } from './score-outcomes.ts'
import type { PendingReviewJson, SearchedPhrasesJson } from './schema.ts'
import type { Rule } from '../rules/types.ts'

interface PendingReviewRow
  extends
    ScoredFinding,
    Omit<ReviewMomentSource, 'kind'>,
    Pick<PendingReviewJson, 'machineVerdict' | 'verdict' | 'decidedBy' | 'reason' | 'ruleSet' | 'reviews'> {
  phoneNumber: string | null
  managerName: string | null
  durationSeconds: number | null
  hasAudio: boolean
  callAt: Date
  checkedAt: Date
}

/** All reviews of the rule in this transcript as JSON, oldest first. It has the format of FindingReviewEntryJson. */
const HISTORY_SQL = `
  coalesce((SELECT json_agg(json_build_object(
                     'kind', CASE WHEN w.kind = 'verdict' AND w.verdict IS NULL THEN 'undo' ELSE w.kind END,
                     'verdict', w.verdict, 'machineVerdict', w.machine_verdict, 'comment', nullif(w.comment, ''),
                     'person', json_build_object('id', w.person_id, 'name', w.person_name), 'at', w.created_at)
                   ORDER BY w.id)
              FROM reviews w
             WHERE w.recording_id = r.id AND w.rule_set_id = s.id AND w.rule_key = f.rule_key
               AND w.rule_hash = f.rule_hash AND w.transcript_hash = a.transcript_hash), '[]')`

const URGENCY_ORDER_SQL = `
  array_position('{${REVIEW_REASONS.join()}}'::text[], f.waits), CASE WHEN f.waits = 'random' THEN r.call_at END DESC, f.id`

/** The id of the last decision about a finding. Ids grow with time. */
const LAST_DECISION_SQL = `
  (SELECT max(w.id::text) FROM reviews w
    WHERE w.recording_id = r.id AND w.rule_set_id = s.id AND w.rule_key = f.rule_key AND w.kind = 'verdict')`

/**
 * Lists the verdicts that wait for a review, in calls that the actor can see, most urgent first. Of one reason, the oldest check comes
 * first. In the random sample, the newest call comes first, because old calls say little about the rules of today.
 * Each has its context, its reviews, and the score of the call with each verdict.
 */
export async function listPendingReviews(
  core: Core,
  actor: Actor,
  { page, pageSize, searched = false, ...filters }: PendingReviewFilters & PageRequest & { searched?: boolean },
) {
  const { pool, config } = core
  const p = new SqlParameters()
  const list = {
    select: `f.id, f.analysis_id AS "analysisId", f.version_id AS "versionId", f.rule_key AS "ruleKey",
             f.is_label AS "isLabel", f.machine_verdict AS "machineVerdict", f.verdict, f.decided_by AS "decidedBy", f.why,
             f.evidence, f.waits AS reason, r.id AS "recordingId", r.phone_number AS "phoneNumber",
             r.manager_name AS "managerName", r.duration_seconds AS "durationSeconds", r.size_bytes > 0 AS "hasAudio",
             coalesce(r.call_started_at, r.created_at) AS "callAt", coalesce(a.finished_at, a.changed_at) AS "checkedAt",
             json_build_object('id', s.id, 'key', s.key, 'name', s.name, 'version', v.number) AS "ruleSet",
             ${HISTORY_SQL} AS reviews`,
    from: `${PENDING_FINDINGS_FROM_SQL} WHERE ${p.and(pendingFindingConditions(actor, filters, config.APP_TIMEZONE))}`,
    order: filters.decided ? `${LAST_DECISION_SQL} DESC, f.id` : URGENCY_ORDER_SQL,
    values: p.values,
  }
  const { items: rows, ...result } = await listPage<PendingReviewRow>(pool, list, { page, pageSize })
  const rules = await loadRulesByVersion(pool, [...new Set(rows.map(({ versionId }) => versionId))])
  const findings = rows.map((row) => {
    const rule = rules.get(row.versionId)!.find(({ key }) => key === row.ruleKey)!
    return { ...row, rule, kind: rule.kind }
  })
  const [contexts, outcomes, agreement] = await Promise.all([
    loadReviewContexts(pool, findings, searched),
    loadScoresByVerdict(pool, rows),
    loadRuleAgreement(pool, actor),
  ])
  const items = findings.map((row): PendingReviewJson => {
    const { rule } = row
    const { name, kind, weight = 0, critical = false } = rule
    const { recordingId, phoneNumber, managerName, durationSeconds, hasAudio } = row
    return {
      id: row.id,
      rule: { key: row.ruleKey, name, kind, weight, critical },
      verdict: row.verdict,
      machineVerdict: row.machineVerdict,
      decidedBy: row.decidedBy,
      why: formatVerdictReason(row.why),
      whyCode: row.why,
      evidence: row.evidence,
      reason: row.reason,
      recording: {
        id: recordingId,
        phoneNumber,
        managerName,
        callAt: row.callAt.toISOString(),
        durationSeconds,
        hasAudio,
      },
      ruleSet: row.ruleSet,
      dispute: row.reason === 'disputed' ? (findReviewMoment(row).dispute ?? null) : null,
      checkedAt: row.checkedAt.toISOString(),
      phrases: presentPhrases(rule),
      context: contexts.get(row.id) ?? null,
      score: outcomes.get(row.id) ?? null,
      reviews: row.reviews.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
    }
  })
  return { ...result, items, agreement }
}

const PHRASE_EXAMPLES = 2

function presentPhrases({ any, all, side = 'any' }: Rule): SearchedPhrasesJson | null {
  if (!any || all) return null
  const { en = [], ru = [] } = any
  const examples = { en: en.slice(0, PHRASE_EXAMPLES), ru: ru.slice(0, PHRASE_EXAMPLES) }
  return { count: en.length + ru.length, examples, side }
}
