import type { Sql } from '../../platform/db/sql.ts'
import { loadRulesByVersion } from '../checks/published-sets.ts'
import { calculateCallScore } from '../rules/judge-call.ts'
import type { Verdict } from '../rules/types.ts'
import type { PendingReviewJson } from './schema.ts'

export interface ScoredFinding {
  id: string
  analysisId: string
  versionId: string
  ruleKey: string
  isLabel: boolean
}

/**
 * Calculates the current score of each call, and its score if the finding were met or missed.
 * @returns scores by finding id; labels are omitted because they have no score
 */
export async function loadScoresByVerdict(
  sql: Sql,
  findings: ScoredFinding[],
): Promise<Map<string, NonNullable<PendingReviewJson['score']>>> {
  const scored = findings.filter(({ isLabel }) => !isLabel)
  const { rows } = await sql.query<{ id: string; verdicts: { rule: string; verdict: Verdict }[] }>({
    text: `SELECT f.analysis_id AS id, json_agg(json_build_object('rule', f.rule_key, 'verdict', f.verdict)) AS verdicts
             FROM findings f WHERE f.analysis_id = ANY($1::uuid[]) AND NOT f.is_label GROUP BY f.analysis_id`,
    values: [[...new Set(scored.map(({ analysisId }) => analysisId))]],
  })
  const verdictsByAnalysis = new Map(rows.map(({ id, verdicts }) => [id, verdicts]))
  const rulesByVersion = await loadRulesByVersion(sql, [...new Set(scored.map(({ versionId }) => versionId))])
  return new Map(
    scored.map(({ id, analysisId, versionId, ruleKey }) => {
      const set = { mode: 'score', rules: rulesByVersion.get(versionId)! } as const
      const verdicts = verdictsByAnalysis.get(analysisId)!
      const scoreWith = (verdict: Verdict) =>
        calculateCallScore(set, [...verdicts.filter(({ rule }) => rule !== ruleKey), { rule: ruleKey, verdict }]).score
      return [
        id,
        { now: calculateCallScore(set, verdicts).score, ifMet: scoreWith('met'), ifMissed: scoreWith('missed') },
      ]
    }),
  )
}
