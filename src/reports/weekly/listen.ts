import type { Sql } from '../../platform/db/sql.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { findRules } from '../definitions/rules.ts'
import { callsOf, type Scope } from '../frame.ts'
import type { RuleNames } from './gather.ts'

/** So many calls to hear of each kind. */
export const TO_HEAR = 3
/** Shorter ones teach nothing. */
const LEAST_SECONDS = 60

/** A call with what its check found to be missing. */
export interface CallToHear {
  id: string
  at: string
  score: number
  missed: RuleNames[]
}

interface Ranked extends Omit<CallToHear, 'missed' | 'at'> {
  managerId: string | null
  at: Date
  fromBelow: number
  fromAbove: number
}

type OfManager = (managerId: string | null) => Record<'worst' | 'best', CallToHear[]>

/** The calls with the lowest and the highest scores of each manager, the most telling first. */
export async function readCallsToHear(sql: Sql, scope: Scope): Promise<OfManager> {
  const p = new Parameters()
  const within = callsOf(p, scope)
  const rank = (order: string) =>
    `row_number() OVER (PARTITION BY r.manager_id ORDER BY r.score ${order}, r.call_at, r.id)::int`
  const { rows } = await sql.query<Ranked>({
    text: `SELECT * FROM (
             SELECT r.id, r.manager_id AS "managerId", r.call_at AS at, r.score::float8 AS score,
                    ${rank('ASC')} AS "fromBelow", ${rank('DESC')} AS "fromAbove"
               FROM recordings r WHERE ${within} AND r.score IS NOT NULL AND r.duration_seconds >= ${LEAST_SECONDS}) r
            WHERE "fromBelow" <= ${TO_HEAR} OR "fromAbove" <= ${TO_HEAR}`,
    values: p.values,
  })
  const missed = await readMissed(
    sql,
    rows.map(({ id }) => id),
  )
  return (managerId) => {
    const best = (by: 'fromBelow' | 'fromAbove') =>
      rows
        .filter((row) => row.managerId === managerId && row[by] <= TO_HEAR)
        .sort((a, b) => a[by] - b[by])
        .map(({ id, at, score }) => ({ id, at: at.toISOString(), score, missed: missed.get(id) ?? [] }))
    return { worst: best('fromBelow'), best: best('fromAbove') }
  }
}

/** The rules that calls missed, in the order of their sets. */
async function readMissed(sql: Sql, calls: string[]): Promise<Map<string, RuleNames[]>> {
  const { rows } = await sql.query<{ call: string; versionId: string; ruleKey: string }>({
    text: `SELECT a.recording_id AS call, f.version_id AS "versionId", f.rule_key AS "ruleKey"
             FROM analyses a JOIN findings f ON f.analysis_id = a.id AND NOT f.is_label AND f.verdict = 'missed'
            WHERE a.recording_id = ANY($1::uuid[]) AND a.is_current AND a.provider IS DISTINCT FROM 'mock'`,
    values: [calls],
  })
  const find = await findRules(sql, [...new Set(rows.map(({ versionId }) => versionId))])
  const named = rows.map(({ call, versionId, ruleKey }) => ({ call, ...find(versionId, ruleKey).named }))
  const byCall = new Map<string, RuleNames[]>()
  for (const { call, set, rule } of named.sort((a, b) => a.position - b.position)) {
    byCall.set(call, [...(byCall.get(call) ?? []), { set, rule }])
  }
  return byCall
}
