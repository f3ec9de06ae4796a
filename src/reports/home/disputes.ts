import type { Core } from '../../platform/core.ts'
import { personOf, type Actor } from '../../platform/http/actor.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { VALID_REVIEW_DECISIONS_SQL } from '../../check/reviews/agreement.ts'
import type { Verdict } from '../../check/rules/types.ts'
import { isoTimeSql, queryRows } from '../query-rows.ts'
import type { HomeSectionJson } from './schema.ts'

const MAX_ITEMS = 50

type Dispute = HomeSectionJson<'disputes'>[number]

interface DisputeRow extends Omit<Dispute, 'state'> {
  /** The verdict before the dispute. */
  disputed: Verdict
}

/** Matches reviews w of the same call and rule as dispute d. */
const SAME_FINDING_SQL = 'w.recording_id = d.recording_id AND w.rule_set_id = d.rule_set_id AND w.rule_key = d.rule_key'

/**
 * Loads the person's last disputes with the last decision that was not undone. Omits undecided disputes that no longer wait, for example because other
 * rules apply to the call.
 */
export async function loadDisputesSection({ pool }: Core, actor: Actor): Promise<HomeSectionJson<'disputes'>> {
  const rows = await queryRows<DisputeRow>(
    pool,
    (p) => `
      SELECT d.recording_id AS "recordingId", coalesce(before.verdict, d.machine_verdict) AS disputed, answer.verdict,
             r.phone_number AS "phoneNumber", ${isoTimeSql('r.call_at')} AS "callAt",
             json_build_object('key', d.rule_key, 'name', named.name) AS rule, r.score::float8 AS score,
             checked.score_auto::float8 AS "automaticScore",
             ${isoTimeSql('d.created_at')} AS "disputedAt", ${isoTimeSql('answer.created_at')} AS "decidedAt",
             answer.person_name AS "decidedBy", nullif(answer.comment, '') AS comment
        FROM (SELECT DISTINCT ON (recording_id, rule_set_id, rule_key) * FROM reviews
               WHERE kind = 'dispute' AND person_id = ${p.add(personOf(actor).id)}
               ORDER BY recording_id, rule_set_id, rule_key, id DESC) d
        JOIN recordings r ON r.id = d.recording_id AND ${p.and(visibleRecordingsCondition(actor))}
        JOIN LATERAL (SELECT n.rule -> 'name' AS name FROM rule_set_versions v, jsonb_array_elements(v.rules) AS n (rule)
                       WHERE v.rule_set_id = d.rule_set_id AND v.state <> 'draft' AND n.rule ->> 'key' = d.rule_key
                       ORDER BY v.number DESC LIMIT 1) named ON true
        LEFT JOIN analyses checked ON checked.recording_id = d.recording_id AND checked.is_current
        LEFT JOIN LATERAL (SELECT w.* FROM ${VALID_REVIEW_DECISIONS_SQL} w WHERE ${SAME_FINDING_SQL} AND w.id > d.id
                            ORDER BY w.id DESC LIMIT 1) answer ON true
        LEFT JOIN LATERAL (SELECT w.verdict FROM ${VALID_REVIEW_DECISIONS_SQL} w WHERE ${SAME_FINDING_SQL} AND w.id < d.id
                            ORDER BY w.id DESC LIMIT 1) before ON true
       WHERE answer.id IS NOT NULL OR EXISTS (
             SELECT FROM analyses a JOIN findings f ON f.analysis_id = a.id AND f.rule_key = d.rule_key
              WHERE a.recording_id = d.recording_id AND a.is_current AND f.waits = 'disputed')
       ORDER BY coalesce(answer.created_at, d.created_at) DESC LIMIT ${MAX_ITEMS}`,
  )
  return rows.map(({ disputed, ...row }) => ({
    ...row,
    state: row.verdict === null ? 'waiting' : row.verdict === disputed ? 'kept' : 'changed',
  }))
}
