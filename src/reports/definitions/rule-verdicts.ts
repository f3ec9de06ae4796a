import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { splitRangeIntoBuckets } from '../../calls/list/counts.ts'
import { recordingRangeCondition } from '../../calls/list/selection.ts'
import { queryRows } from '../query-rows.ts'
import { managerCondition, type ReportScope } from '../scope.ts'

/** Counts the verdicts on one rule of one version in the calls of one manager. Only current checks count. */
export interface RuleVerdictCounts {
  managerId: string | null
  versionId: string
  ruleKey: string
  met: number
  missed: number
  notApplicable: number
  unknown: number
}

const NO_MANAGER_ID = '00000000-0000-0000-0000-000000000000'
const VERDICT_COLUMNS = 'met, missed, not_applicable, unknown'

/** Counts verdicts by manager, version and rule, without labels. Counters serve whole UTC days, findings the remaining hours at both ends. */
export const countRuleVerdicts = (sql: Sql, { period, managers }: ReportScope): Promise<RuleVerdictCounts[]> =>
  queryRows(sql, (p) => {
    const range = { name: 'call' as const, from: period.since.getTime(), to: period.until.getTime(), closed: false }
    const { whole, edges } = splitRangeIntoBuckets(range)
    const managerFilter = managerCondition(managers && managers.map((id) => id ?? NO_MANAGER_ID), 'manager_id')
    // If the period has no whole day, the bounds are null and no row matches.
    const fromCounters = ['rule_counts', 'rule_count_changes'].map(
      (table) => `
      SELECT manager_id, version_id, rule_key, ${VERDICT_COLUMNS} FROM ${table}
       WHERE NOT is_label AND day >= ${p.add(whole?.from)} AND day < ${p.add(whole?.to)} AND ${p.and(managerFilter)}`,
    )
    const fromFindings = edges.map(
      (edge) => `
      SELECT coalesce(r.manager_id, '${NO_MANAGER_ID}'), f.version_id, f.rule_key, (f.verdict = 'met')::int,
             (f.verdict = 'missed')::int, (f.verdict = 'not_applicable')::int, (f.verdict = 'unknown')::int
        FROM recordings r JOIN analyses a ON a.recording_id = r.id AND a.is_current AND a.provider IS DISTINCT FROM 'mock'
        JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label
       WHERE ${p.and([...recordingRangeCondition(edge), ...managerCondition(managers)])}`,
    )
    return `
      SELECT nullif(manager_id, '${NO_MANAGER_ID}') AS "managerId", version_id AS "versionId", rule_key AS "ruleKey",
             sum(met)::int AS met, sum(missed)::int AS missed, sum(not_applicable)::int AS "notApplicable",
             sum(unknown)::int AS unknown
        FROM (${[...fromCounters, ...fromFindings].join(' UNION ALL ')}) parts (manager_id, version_id, rule_key, ${VERDICT_COLUMNS})
       GROUP BY manager_id, version_id, rule_key
      HAVING sum(met + missed + not_applicable + unknown) > 0`
  })

/** Adds pending changes to the counters of verdicts, so that reports read fewer rows. The schedule runs it. */
export async function aggregateRuleVerdictCounts({ pool }: Core): Promise<void> {
  await pool.query({ text: 'SELECT add_up_rule_counts()' })
}
