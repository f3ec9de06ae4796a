import type { Actor } from '../../platform/http/actor.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { visibleRecordingsCondition } from '../../people/managers/visibility.ts'
import { hashRule } from '../rule-sets/hash.ts'
import type { Rule } from '../rules/types.ts'
import type { RuleAgreementJson } from './schema.ts'

/** Rules with a lower agreement are flagged for a revision of their phrases. */
const MIN_AGREEMENT_PERCENT = 85
/** Fewer judged verdicts say too little about a rule to flag it. */
const MIN_JUDGED = 10

/** Selects the decisions of people that were not undone. An undo is the next review after its decision. */
export const VALID_REVIEW_DECISIONS_SQL = `(
  SELECT * FROM (SELECT w.*, lead(w.kind = 'verdict' AND w.verdict IS NULL) OVER (
                          PARTITION BY w.recording_id, w.rule_set_id, w.rule_key, w.rule_hash, w.transcript_hash
                          ORDER BY w.id) AS is_undone
                   FROM reviews w) w
   WHERE w.kind = 'verdict' AND w.verdict IS NOT NULL AND w.is_undone IS NOT TRUE)`

interface AgreementRow extends Pick<RuleAgreementJson, 'ruleSet' | 'rule' | 'judged' | 'agreed'> {
  ruleHash: string
  /** The rule in the published version, or else in the last version that had it. */
  last: Rule | null
}

/**
 * Loads how often people confirmed the verdicts on each rule in its current wording, from the calls that the actor can see.
 * Only the last decision on each verdict counts.
 */
export async function loadRuleAgreement(sql: Sql, actor: Actor): Promise<RuleAgreementJson[]> {
  const p = new SqlParameters()
  const { rows } = await sql.query<AgreementRow>({
    text: `SELECT json_build_object('id', s.id, 'key', s.key, 'name', s.name) AS "ruleSet", w.rule_key AS rule,
                  w.rule_hash AS "ruleHash",
                  (SELECT n.rule FROM rule_set_versions v, jsonb_array_elements(v.rules) AS n (rule)
                    WHERE v.rule_set_id = s.id AND v.state <> 'draft' AND n.rule ->> 'key' = w.rule_key
                    ORDER BY v.state = 'published' DESC, v.published_at DESC NULLS LAST, v.number DESC LIMIT 1) AS last,
                  count(*)::int AS judged, count(*) FILTER (WHERE w.verdict = w.machine_verdict)::int AS agreed
             FROM (SELECT DISTINCT ON (w.recording_id, w.rule_set_id, w.rule_key, w.rule_hash, w.transcript_hash) w.*
                     FROM ${VALID_REVIEW_DECISIONS_SQL} w JOIN recordings r ON r.id = w.recording_id
                    WHERE ${p.and(visibleRecordingsCondition(actor))}
                    ORDER BY w.recording_id, w.rule_set_id, w.rule_key, w.rule_hash, w.transcript_hash, w.id DESC) w
             JOIN rule_sets s ON s.id = w.rule_set_id
            GROUP BY s.id, w.rule_key, w.rule_hash ORDER BY s.position, s.key, w.rule_key`,
    values: p.values,
  })
  return rows.flatMap(({ ruleHash, last, ...row }) => {
    if (!last || hashRule(last) !== ruleHash) return []
    const percent = Math.round((1000 * row.agreed) / row.judged) / 10
    const flagged = row.judged >= MIN_JUDGED && percent < MIN_AGREEMENT_PERCENT
    return [{ ...row, name: last.name, percent, flagged }]
  })
}
