import type { Sql } from '../../platform/db/sql.ts'
import type { Core } from '../../platform/core.ts'
import { Parameters, type Where } from '../../platform/lib/where.ts'
import { splitRange } from '../../calls/list/counts.ts'
import { rangeWhere } from '../../calls/list/selection.ts'
import type { Scope } from '../frame.ts'
import { of, type Managers } from '../scope.ts'

/** What the current checks of calls have found by one rule of one version. */
export interface Results {
  managerId: string | null
  versionId: string
  ruleKey: string
  met: number
  missed: number
  notApplicable: number
  unknown: number
}

const NOBODY = '00000000-0000-0000-0000-000000000000'
const FIGURES = 'met, missed, not_applicable, unknown'

/**
 * The results of a scope by manager, version and rule: of score sets, or of labels, which are only told where they are
 * met. Whole days of UTC come from the counters, what the period cuts off from the findings: in one statement, so of
 * one moment.
 */
export async function readResults(sql: Sql, { period, managers }: Scope, labels: boolean): Promise<Results[]> {
  const p = new Parameters()
  const range = { name: 'call' as const, from: period.since.getTime(), to: period.until.getTime(), closed: false }
  const { whole, edges } = splitRange(range)
  const parts = edges.map((edge) => edgeOf(p, [...rangeWhere(edge), ...of(managers)], labels))
  if (whole) parts.push(...wholeOf(p, whole, managers, labels))
  const { rows } = await sql.query<Results>({
    text: `SELECT nullif(manager_id, '${NOBODY}') AS "managerId", version_id AS "versionId", rule_key AS "ruleKey",
                  sum(met)::int AS met, sum(missed)::int AS missed, sum(not_applicable)::int AS "notApplicable",
                  sum(unknown)::int AS unknown
             FROM (${parts.join(' UNION ALL ')}) parts (manager_id, version_id, rule_key, ${FIGURES})
            GROUP BY manager_id, version_id, rule_key`,
    values: p.values,
  })
  return rows.filter(({ met, missed, notApplicable, unknown }) => met + missed + notApplicable + unknown > 0)
}

function wholeOf(
  p: Parameters,
  { from, to }: { from?: number; to?: number },
  managers: Managers,
  labels: boolean,
): string[] {
  const within = `day >= ${p.add(from)} AND day < ${p.add(to)} AND ${p.and(of(managers && managers.map((id) => id ?? NOBODY), 'manager_id'))}`
  return ['rule_counts', 'rule_count_changes'].map(
    (table) =>
      `SELECT manager_id, version_id, rule_key, ${FIGURES} FROM ${table} WHERE is_label = ${labels} AND ${within}`,
  )
}

const edgeOf = (p: Parameters, conditions: Where, labels: boolean): string => `
  SELECT coalesce(r.manager_id, '${NOBODY}'), f.version_id, f.rule_key, (f.verdict = 'met')::int,
         (f.verdict = 'missed')::int, (f.verdict = 'not_applicable')::int, (f.verdict = 'unknown')::int
    FROM recordings r JOIN analyses a ON a.recording_id = r.id AND a.is_current AND a.provider IS DISTINCT FROM 'mock'
    JOIN findings f ON f.analysis_id = a.id AND f.is_label = ${labels}
   WHERE ${p.and(conditions)}`

/** Adds up what has changed, so that reading the counts stays short. */
export async function addUpRuleCounts({ pool }: Core): Promise<void> {
  await pool.query({ text: 'SELECT add_up_rule_counts()' })
}
