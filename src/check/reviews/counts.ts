import { v7 } from 'uuid'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { formatDay, parseDayOrTime } from '../../platform/lib/time.ts'
import { loadRulesByVersion } from '../checks/published-sets.ts'
import type { ReviewReason } from '../checks/values.ts'
import type { Rule } from '../rules/types.ts'
import { PENDING_FINDINGS_FROM_SQL, pendingFindingConditions, type PendingReviewFilters } from './filters.ts'
import type { PendingReviewCountsJson } from './schema.ts'

interface CountRow {
  reason: ReviewReason
  versionId: string
  ruleKey: string
  ruleSet: PendingReviewCountsJson['rules'][number]['ruleSet']
  count: number
}

/**
 * Counts the verdicts that wait for a review, by reason and by rule, and the decisions of the person since midnight.
 * The counts by rule ignore the filter `rule`.
 */
export async function countPendingReviews(
  { pool, config }: Core,
  actor: PersonActor,
  { rule, ...filters }: PendingReviewFilters,
): Promise<PendingReviewCountsJson> {
  const p = new SqlParameters()
  const [{ rows }, today] = await Promise.all([
    pool.query<CountRow>({
      text: `SELECT f.waits AS reason, v.id AS "versionId", f.rule_key AS "ruleKey", count(*)::int AS count,
                    json_build_object('id', s.id, 'key', s.key, 'name', s.name) AS "ruleSet"
               FROM ${PENDING_FINDINGS_FROM_SQL} WHERE ${p.and(pendingFindingConditions(actor, filters, config.APP_TIMEZONE))}
              GROUP BY f.waits, v.id, f.rule_key, s.id ORDER BY s.position, s.key, f.rule_key, v.id`,
      values: p.values,
    }),
    countToday(pool, actor.person.id, config.APP_TIMEZONE),
  ])
  const waiting = { critical: 0, unknown: 0, disputed: 0, random: 0 }
  for (const { reason, ruleSet, ruleKey, count } of rows)
    if (rule === undefined || rule === `${ruleSet.key}/${ruleKey}`) waiting[reason] += count
  const rulesByVersion = await loadRulesByVersion(pool, [...new Set(rows.map(({ versionId }) => versionId))])
  return { waiting, rules: groupByRule(rows, rulesByVersion), today }
}

/** Sums the versions of a rule and uses the name of the last one. */
function groupByRule(rows: CountRow[], rulesByVersion: ReadonlyMap<string, Rule[]>): PendingReviewCountsJson['rules'] {
  const rules = new Map<string, PendingReviewCountsJson['rules'][number]>()
  for (const { ruleSet, ruleKey, versionId, count } of rows) {
    const id = `${ruleSet.id}/${ruleKey}`
    const { name } = rulesByVersion.get(versionId)!.find(({ key }) => key === ruleKey)!
    rules.set(id, { ruleSet, rule: { key: ruleKey, name }, count: count + (rules.get(id)?.count ?? 0) })
  }
  return [...rules.values()]
}

/** Counts the verdicts that the person decided today, without undone decisions. */
async function countToday(sql: Sql, personId: string, timeZone: string): Promise<PendingReviewCountsJson['today']> {
  const midnight = parseDayOrTime(formatDay(new Date(), timeZone), timeZone)!
  const { rows } = await sql.query<PendingReviewCountsJson['today']>({
    text: `SELECT count(*)::int AS decided,
                  count(*) FILTER (WHERE verdict = 'met' AND machine_verdict <> 'met')::int AS "changedToMet"
             FROM (SELECT DISTINCT ON (recording_id, rule_set_id, rule_key) verdict, machine_verdict FROM reviews
                    WHERE id >= $2::uuid AND person_id = $1 AND kind = 'verdict'
                    ORDER BY recording_id, rule_set_id, rule_key, id DESC) last
            WHERE verdict IS NOT NULL`,
    // Ids contain their time of creation, so the primary key finds the rows of today.
    values: [personId, v7({ msecs: midnight.getTime(), random: new Uint8Array(16), seq: 0 })],
  })
  return rows[0]!
}
