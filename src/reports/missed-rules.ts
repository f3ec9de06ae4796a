import type { Core } from '../platform/core.ts'
import { loadRulesByVersion } from '../check/checks/published-sets.ts'
import type { Evidence, VerdictReason } from '../check/rules/types.ts'
import { chooseFindingPlaybackStart } from './playback-start.ts'
import { queryRows } from './query-rows.ts'

interface MissedRow {
  call: string
  versionId: string
  ruleKey: string
  evidence: Evidence[]
  why: VerdictReason
}

/**
 * Lists the missed rules of calls, each with the second from which to hear it. Critical rules and rules with more points come
 * first.
 */
export async function listMissedRules({ pool }: Core, calls: string[]) {
  const rows = await queryRows<MissedRow>(
    pool,
    (p) => `SELECT a.recording_id AS call, f.version_id AS "versionId", f.rule_key AS "ruleKey", f.evidence, f.why
              FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
             WHERE a.recording_id = ANY(${p.add(calls)}::uuid[]) AND a.is_current AND a.provider IS DISTINCT FROM 'mock'
             ORDER BY f.position`,
  )
  const rules = await loadRulesByVersion(pool, [...new Set(rows.map(({ versionId }) => versionId))])
  return rows
    .map(({ call, versionId, ruleKey, evidence, why }) => {
      const { key, name, weight = 0, critical = false } = rules.get(versionId)!.find((rule) => rule.key === ruleKey)!
      return { call, rule: { key, name, points: weight, critical }, moment: chooseFindingPlaybackStart(evidence, why) }
    })
    .sort((a, b) => Number(b.rule.critical) - Number(a.rule.critical) || b.rule.points - a.rule.points)
}
