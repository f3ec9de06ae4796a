import type { Sql } from '../../platform/db/sql.ts'
import { findRules, type RuleNames } from '../definitions/rules.ts'
import { isoTime, queryRows } from '../query-rows.ts'
import { callsInScope, type Scope } from '../scope.ts'

/** The number of calls to hear of each kind. */
export const TO_HEAR = 3
/** Shorter ones are not worth hearing. */
const LEAST_SECONDS = 60

/** A call with the rules that it missed. */
export interface CallToHear {
  id: string
  at: string
  score: number
  missed: RuleNames[]
}

interface Ranked extends Omit<CallToHear, 'missed'> {
  managerId: string | null
  fromBelow: number
  fromAbove: number
}

type OfManager = (managerId: string | null) => Record<'worst' | 'best', CallToHear[]>

/** Each manager's calls with the lowest and the highest scores, the most telling first. */
export async function readCallsToHear(sql: Sql, scope: Scope): Promise<OfManager> {
  const rank = (order: string) =>
    `row_number() OVER (PARTITION BY r.manager_id ORDER BY r.score ${order}, r.call_at, r.id)::int`
  const rows = await queryRows<Ranked>(
    sql,
    (p) => `SELECT * FROM (
             SELECT r.id, r.manager_id AS "managerId", ${isoTime('r.call_at')} AS at, r.score::float8 AS score,
                    ${rank('ASC')} AS "fromBelow", ${rank('DESC')} AS "fromAbove"
               FROM recordings r WHERE ${callsInScope(p, scope)} AND r.score IS NOT NULL AND r.duration_seconds >= ${LEAST_SECONDS}) r
            WHERE "fromBelow" <= ${TO_HEAR} OR "fromAbove" <= ${TO_HEAR}`,
  )
  const missed = await readMissed(sql, rows)
  return (managerId) => {
    const best = (by: 'fromBelow' | 'fromAbove') =>
      rows
        .filter((row) => row.managerId === managerId && row[by] <= TO_HEAR)
        .sort((a, b) => a[by] - b[by])
        .map(({ id, at, score }) => ({ id, at, score, missed: missed.get(id) ?? [] }))
    return { worst: best('fromBelow'), best: best('fromAbove') }
  }
}

/** The rules that calls missed, in the order of their sets. */
async function readMissed(sql: Sql, calls: { id: string }[]): Promise<Map<string, RuleNames[]>> {
  const { rows } = await sql.query<{ call: string; versionId: string; ruleKey: string }>({
    text: `SELECT a.recording_id AS call, f.version_id AS "versionId", f.rule_key AS "ruleKey"
             FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
            WHERE a.recording_id = ANY($1::uuid[]) AND a.is_current AND a.provider IS DISTINCT FROM 'mock'`,
    values: [calls.map(({ id }) => id)],
  })
  const find = await findRules(sql, rows)
  const named = rows.map((row) => ({ call: row.call, ...find(row).named }))
  const byCall = new Map<string, RuleNames[]>()
  for (const { call, set, rule } of named.sort((a, b) => a.position - b.position)) {
    byCall.set(call, [...(byCall.get(call) ?? []), { set, rule }])
  }
  return byCall
}
