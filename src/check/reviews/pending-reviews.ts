import type { Actor } from '../../platform/http/actor.ts'
import type { FindingRow } from '../checks/entity.ts'
import { REVIEW_REASONS, type ReviewReason } from '../checks/values.ts'
import { loadRulesByVersion } from '../checks/published-sets.ts'
import type { Rule } from '../rules/types.ts'
import { formatVerdictReason } from '../rules/verdict-reason.ts'
import type { Core } from '../../platform/core.ts'
import { listPage, type PageRequest } from '../../platform/db/page.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { SqlParameters, where } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { hashRule } from '../rule-sets/hash.ts'
import type { AgreementJson, PendingReviewJson } from './schema.ts'

/** Below it, a rule's words need a review. */
const MIN_AGREEMENT_PERCENT = 85

interface PendingReviewRow extends Pick<
  FindingRow,
  'id' | 'versionId' | 'ruleKey' | 'verdict' | 'decidedBy' | 'why' | 'evidence'
> {
  reason: ReviewReason
  recordingId: string
  phoneNumber: string | null
  managerName: string | null
  callAt: Date
  ruleSet: PendingReviewJson['ruleSet']
  dispute: string | null
}

interface PendingReviewQuery extends PageRequest {
  reason?: ReviewReason[]
  ruleSet?: string
}

/** A page of verdicts that wait for a person, of visible calls, most urgent first. */
export async function listPendingReviews(
  { pool }: Core,
  actor: Actor,
  { reason, ruleSet, ...page }: PendingReviewQuery,
) {
  const p = new SqlParameters()
  const conditions = [
    ...visibleRecordingsCondition(actor),
    ...where(['f.waits = ANY(?::text[])', reason], ['v.rule_set_id = ?::uuid', ruleSet]),
  ]
  const list = {
    select: `f.id, f.version_id AS "versionId", f.rule_key AS "ruleKey", f.verdict, f.decided_by AS "decidedBy", f.why,
             f.evidence, f.waits AS reason, r.id AS "recordingId", r.phone_number AS "phoneNumber",
             r.manager_name AS "managerName", coalesce(r.call_started_at, r.created_at) AS "callAt",
             json_build_object('id', s.id, 'key', s.key, 'name', s.name, 'version', v.number) AS "ruleSet",
             (SELECT w.comment FROM reviews w WHERE w.recording_id = r.id AND w.rule_set_id = s.id
                 AND w.rule_key = f.rule_key AND w.kind = 'dispute' AND f.waits = 'disputed'
               ORDER BY w.id DESC LIMIT 1) AS dispute`,
    from: `findings f JOIN analyses a ON a.id = f.analysis_id AND a.is_current
             JOIN recordings r ON r.id = a.recording_id JOIN rule_set_versions v ON v.id = f.version_id
             JOIN rule_sets s ON s.id = v.rule_set_id
            WHERE f.waits IS NOT NULL AND ${p.and(conditions)}`,
    order: `array_position('{${REVIEW_REASONS.join()}}'::text[], f.waits), f.id`,
    values: p.values,
  }
  const { items: rows, ...result } = await listPage<PendingReviewRow>(pool, list, page)
  const rules = await loadRulesByVersion(pool, [...new Set(rows.map(({ versionId }) => versionId))])
  const items = rows.map(
    ({ versionId, ruleKey, why, recordingId, phoneNumber, managerName, callAt, ...row }): PendingReviewJson => {
      const { name, kind, weight = 0, critical = false } = rules.get(versionId)!.find(({ key }) => key === ruleKey)!
      return {
        ...row,
        rule: { key: ruleKey, name, kind, weight, critical },
        why: formatVerdictReason(why),
        whyCode: why,
        recording: { id: recordingId, phoneNumber, managerName, callAt: callAt.toISOString() },
      }
    },
  )
  return { ...result, items, agreement: await loadAgreement(pool, actor) }
}

interface AgreementRow extends Pick<AgreementJson, 'ruleSet' | 'rule' | 'judged' | 'agreed'> {
  ruleHash: string
  /** The rule in its current version, or its last one. */
  last: Rule | null
}

/** How often people agree with the machine on each rule in its current wording. The last review of each verdict counts. */
async function loadAgreement(sql: Sql, actor: Actor): Promise<AgreementJson[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<AgreementRow>({
    text: `SELECT json_build_object('id', s.id, 'key', s.key, 'name', s.name) AS "ruleSet", w.rule_key AS rule,
                  w.rule_hash AS "ruleHash",
                  (SELECT n.rule FROM rule_set_versions v, jsonb_array_elements(v.rules) AS n (rule)
                    WHERE v.rule_set_id = s.id AND v.state <> 'draft' AND n.rule ->> 'key' = w.rule_key
                    ORDER BY v.state = 'published' DESC, v.published_at DESC NULLS LAST, v.number DESC LIMIT 1) AS last,
                  count(*)::int AS judged, count(*) FILTER (WHERE w.verdict = w.machine_verdict)::int AS agreed
             FROM (SELECT DISTINCT ON (w.recording_id, w.rule_set_id, w.rule_key, w.rule_hash, w.transcript_hash) w.*
                     FROM reviews w JOIN recordings r ON r.id = w.recording_id
                    WHERE w.kind = 'verdict' AND ${p.and(visibleRecordingsCondition(actor))}
                    ORDER BY w.recording_id, w.rule_set_id, w.rule_key, w.rule_hash, w.transcript_hash, w.id DESC) w
             JOIN rule_sets s ON s.id = w.rule_set_id
            GROUP BY s.id, w.rule_key, w.rule_hash ORDER BY s.position, s.key, w.rule_key`,
    values: p.values,
  })
  return rows.flatMap(({ ruleHash, last, ...row }) => {
    if (!last || hashRule(last) !== ruleHash) return []
    const percent = Math.round((1000 * row.agreed) / row.judged) / 10
    return [{ ...row, name: last.name, percent, flagged: percent < MIN_AGREEMENT_PERCENT }]
  })
}
