import { recordAuditChange } from '../../platform/audit/entries.ts'
import type { Core } from '../../platform/core.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert-row.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflictError } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { ruleSetScopeConditions } from '../checks/published-sets.ts'
import { loadPrecedingRuleSets } from '../rule-sets/order.ts'
import type { RuleSetRow } from '../rule-sets/present.ts'
import { toRuleSetAuditObject, loadEditableRuleSet, loadRuleSetRow } from '../rule-sets/service.ts'
import type { RuleSetBody } from '../rules/types.ts'
import {
  callPeriodConditions,
  countCallsAndWords,
  estimateCheckCost,
  TRANSCRIPT_EXISTS_CONDITION,
  parseCallPeriod,
  WORD_COUNT_SQL,
  type CallPeriod,
} from './estimate.ts'
import { createEmptyBacktestFigures } from './figures.ts'
import { backtestMessages } from './messages.ts'
import { loadBacktest } from './queries.ts'
import type { BacktestJson } from './schema.ts'

/**
 * Loads a rule set that the person can edit, with its draft.
 * @throws HttpError 403, 404, 409 if it has no draft
 */
export async function loadRuleSetWithDraft(sql: Sql, me: ActingPerson, id: string) {
  const set = await loadEditableRuleSet(sql, me, id)
  if (!set.draft) throw conflictError(backtestMessages.noDraft())
  return { ...set, draft: set.draft }
}

/** Builds the rule set that `judgeCall` expects, with the given rules instead of the stored ones. */
export const toRuleSetBody = ({ key, name, mode, applies }: RuleSetRow, rules: RuleSetBody['rules']): RuleSetBody => ({
  key,
  name,
  mode,
  applies,
  rules,
})

/**
 * Estimates the cost of checking the calls of a period by the draft of a rule set.
 * @throws HttpError 400, 403, 404, 409 if it has no draft
 */
export async function estimateDraftCheckCost(core: Core, actor: PersonActor, id: string, period: Partial<CallPeriod>) {
  const set = await loadRuleSetWithDraft(core.pool, actor.person, id)
  const conditions = [
    ...callPeriodConditions(actor, parseCallPeriod(core, period)),
    ...ruleSetScopeConditions(set.applies),
  ]
  return estimateCheckCost(core.config, await countCallsAndWords(core.pool, conditions), [set.draft.rules])
}

/**
 * Starts a test run of the draft on the newest calls of a period that fit the scope.
 * @param limit the maximum number of calls
 * @throws HttpError 400, 403, 404, 409 if the rule set has no draft
 */
export async function startBacktest(
  core: Core,
  actor: PersonActor,
  id: string,
  { limit, ...period }: CallPeriod & { limit: number },
): Promise<BacktestJson> {
  const { from, to } = parseCallPeriod(core, period)
  const backtestId = generateId()
  const backtest = await runInTransaction(core.db, async (sql) => {
    const set = await loadRuleSetWithDraft(sql, actor.person, id)
    const precedingSets = await loadPrecedingRuleSets(sql, set)
    const [draft, published] = [set.draft.rules, set.published?.rules ?? null]
    const p = new SqlParameters()
    const conditions = p.and([
      ...callPeriodConditions(actor, { from, to }),
      ...ruleSetScopeConditions(set.applies),
      TRANSCRIPT_EXISTS_CONDITION,
    ])
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT r.id FROM recordings r WHERE ${conditions} ORDER BY r.call_at DESC, r.id DESC LIMIT ${limit}`,
      values: p.values,
    })
    const ids = rows.map((row) => row.id)
    const { rows: counts } = await sql.query<{ words: number }>({
      text: `SELECT ${WORD_COUNT_SQL} FROM transcripts t WHERE t.recording_id = ANY($1::uuid[])`,
      values: [ids],
    })
    await insertRow(sql, 'backtests', {
      id: backtestId,
      rule_set_id: id,
      from_at: from,
      to_at: to,
      draft_revision: set.draft.revision,
      draft: toRuleSetBody(set, draft),
      published: published && toRuleSetBody(set, published),
      recording_ids: ids,
      figures: createEmptyBacktestFigures(
        draft,
        published,
        counts[0]!.words,
        precedingSets.map(({ applies }) => applies),
      ),
      person_id: actor.person.id,
      person_name: actor.person.name,
      scope: { role: actor.person.role },
    })
    const details = { after: { from, to, calls: rows.length, revision: set.draft.revision } }
    await recordAuditChange(sql, actor, { action: 'backtest.start', object: toRuleSetAuditObject(set), details })
    return loadBacktest(core, sql, actor.person, backtestId)
  })
  core.notify('backtests')
  return backtest
}

/** Stops a test run and keeps its results. @throws HttpError 404, 409 if it has ended */
export async function cancelBacktest(core: Core, actor: PersonActor, id: string): Promise<BacktestJson> {
  return runInTransaction(core.db, async (sql) => {
    const { ruleSetId } = await loadBacktest(core, sql, actor.person, id)
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
              WHERE id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
      values: [id],
    })
    if (rowCount !== 1) throw conflictError(backtestMessages.ended())
    const set = await loadRuleSetRow(sql, actor.person, ruleSetId)
    await recordAuditChange(sql, actor, {
      action: 'backtest.cancel',
      object: toRuleSetAuditObject(set),
      details: { after: { id } },
    })
    return loadBacktest(core, sql, actor.person, id)
  })
}
