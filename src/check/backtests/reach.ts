import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { SqlParameters, type SqlConditions } from '../../platform/lib/sql-conditions.ts'
import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { isRuleSetApplicable, ruleSetScopeConditions, type RuleSetCandidateCall } from '../checks/published-sets.ts'
import { isRuleSetForDepartments, loadPrecedingRuleSets } from '../rule-sets/order.ts'
import { loadEditableRuleSet } from '../rule-sets/service.ts'
import type { RuleSetScope } from '../rules/types.ts'
import { callPeriodConditions } from './estimate.ts'
import type { RuleSetReachJson } from './schema.ts'

const DAY_MS = 24 * 3600_000
const MAX_COUNTED_CALLS = 1000
/** More characters than an average word has, so that the loaded text has the words that a scope requires. */
const CHARS_PER_WORD = 20

/**
 * Counts the recent calls that fit the scope of a rule set, and those that earlier score sets get instead.
 * @param days the length of the period before now
 * @throws HttpError 403, 404
 */
export async function loadRuleSetReach(
  { pool }: Core,
  actor: PersonActor,
  id: string,
  { days }: { days: number },
): Promise<RuleSetReachJson> {
  const to = new Date()
  const from = new Date(to.getTime() - days * DAY_MS)
  const set = await loadEditableRuleSet(pool, actor.person, id)
  const preceding = (await loadPrecedingRuleSets(pool, set)).map((one) => ({ ...one, calls: 0 }))
  const scopes = [set, ...preceding].map(({ applies }) => applies)
  const conditions = [...callPeriodConditions(actor, { from, to }), ...ruleSetScopeConditions(set.applies)]
  const candidates = await loadCandidates(pool, conditions, scopes)
  const counts = { calls: 0, received: 0 }
  for (const call of candidates.slice(0, MAX_COUNTED_CALLS)) {
    if (shouldYield()) await yieldToEventLoop()
    if (!isRuleSetApplicable(set, call)) continue
    counts.calls++
    const first = preceding.find((one) => isRuleSetApplicable(one, call))
    if (first) first.calls++
    else counts.received++
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    isLimited: candidates.length > MAX_COUNTED_CALLS,
    ...counts,
    preceding: preceding
      .filter(({ calls }) => calls > 0)
      .map(({ applies, ...one }) => ({
        ...one,
        canPassIt: isRuleSetForDepartments({ applies }) === isRuleSetForDepartments(set),
      })),
  }
}

/** Loads the newest calls with a transcript, one more than are counted. It loads only as much text as the scopes need. */
async function loadCandidates(
  sql: Sql,
  conditions: SqlConditions,
  scopes: RuleSetScope[],
): Promise<RuleSetCandidateCall[]> {
  const minWords = Math.max(...scopes.map((scope) => scope.minWords ?? 0))
  const p = new SqlParameters()
  const { rows } = await sql.query<CandidateRow>({
    text: `SELECT r.direction, m.department_id AS "departmentId", left(t.text, ${minWords * CHARS_PER_WORD}) AS text,
                  coalesce(r.duration_seconds, (SELECT max((s ->> 'end')::float8) FROM json_array_elements(t.segments) s), 0)
                    AS "durationSeconds"
             FROM recordings r JOIN transcripts t ON t.recording_id = r.id
             LEFT JOIN department_managers m ON m.manager_id = r.manager_id
            WHERE ${p.and(conditions)}
            ORDER BY r.call_at DESC, r.id DESC LIMIT ${MAX_COUNTED_CALLS + 1}`,
    values: p.values,
  })
  return rows.map(({ departmentId, text, ...dialogue }) => ({
    departmentId,
    dialogue: { ...dialogue, segments: [{ text }] },
  }))
}

interface CandidateRow extends Pick<RuleSetCandidateCall['dialogue'], 'direction' | 'durationSeconds'> {
  departmentId: string | null
  text: string
}
