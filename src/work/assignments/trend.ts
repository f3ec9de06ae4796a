import { managerIdByNameSql } from '../../people/managers/name-sql.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { sumField } from '../../reports/definitions/figures.ts'
import { queryRows } from '../../reports/query-rows.ts'
import type { RuleTrendJson } from './schema.ts'

/** The calls of this many weeks before and after the assigned call was heard are compared. */
const TREND_WEEKS = 4

interface WeekCounts {
  assignmentId: string
  /** Weeks since the call was heard, rounded down; negative before. */
  week: number
  met: number
  judged: number
}

/**
 * Loads a function that returns the trend of an assignment by its id. It is meaningful for assignments with a rule whose call
 * was heard.
 */
export async function loadRuleTrends(sql: Sql, assignmentIds: string[]): Promise<(id: string) => RuleTrendJson> {
  const rows = await queryRows<WeekCounts>(
    sql,
    (p) => `
      SELECT a.id AS "assignmentId", floor(extract(epoch FROM c.call_at - a.acknowledged_at) / 604800)::int AS week,
             count(*) FILTER (WHERE f.verdict = 'met')::int AS met, count(*)::int AS judged
        FROM assignments a JOIN people p ON p.id = a.person_id
        JOIN recordings c ON c.manager_id = ${managerIdByNameSql('p.name')}
         AND c.call_at >= a.acknowledged_at - interval '${TREND_WEEKS} weeks'
         AND c.call_at < a.acknowledged_at + interval '${TREND_WEEKS} weeks'
        JOIN analyses n ON n.recording_id = c.id AND n.is_current AND n.provider IS DISTINCT FROM 'mock'
        JOIN findings f ON f.analysis_id = n.id AND f.rule_key = a.rule_key AND f.verdict IN ('met', 'missed')
         AND NOT f.is_label
        JOIN rule_set_versions v ON v.id = f.version_id AND v.rule_set_id = a.rule_set_id
       WHERE a.id = ANY(${p.add(assignmentIds)}::uuid[]) GROUP BY 1, 2`,
  )
  return (id) => toTrend(rows.filter(({ assignmentId }) => assignmentId === id))
}

function toTrend(counts: WeekCounts[]): RuleTrendJson {
  const weeks = Array.from({ length: 2 * TREND_WEEKS }, (_, n) => {
    const { met, judged } = counts.find(({ week }) => week === n - TREND_WEEKS) ?? { met: 0, judged: 0 }
    return { met, judged }
  })
  return {
    before: sumCounts(weeks.slice(0, TREND_WEEKS)),
    since: sumCounts(weeks.slice(TREND_WEEKS)),
    weeks: weeks.map(({ met, judged }) => (judged === 0 ? null : met / judged)),
  }
}

const sumCounts = (weeks: RuleTrendJson['before'][]): RuleTrendJson['before'] => ({
  met: sumField(weeks, 'met'),
  judged: sumField(weeks, 'judged'),
})
