import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { insertRow } from '../../platform/db/insert.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { conflict } from '../../platform/errors.ts'
import type { ActingPerson, PersonActor } from '../../platform/http/actor.ts'
import { newId } from '../../platform/lib/ids.ts'
import { Parameters } from '../../platform/lib/where.ts'
import { whereApplies } from '../checks/sets.ts'
import type { SetRow } from '../rule-sets/present.ts'
import { asObject, findEditableSet, findSet } from '../rule-sets/service.ts'
import type { RuleSetBody } from '../rules/types.ts'
import { callsOf, countCalls, estimateOf, hasText, parsePeriod, WORDS, type Period } from './estimate.ts'
import { emptyFigures } from './figures.ts'
import { backtestMessages } from './messages.ts'
import { findBacktest } from './read.ts'
import type { BacktestJson } from './schema.ts'

/** A set with its draft, if the person can edit it. @throws HttpError 403, 404, 409 without a draft */
export async function findDraft(sql: Sql, me: ActingPerson, id: string) {
  const set = await findEditableSet(sql, me, id)
  if (!set.draft) throw conflict(backtestMessages.noDraft())
  return { ...set, draft: set.draft }
}

export const bodyOf = ({ key, name, mode, applies }: SetRow, rules: RuleSetBody['rules']): RuleSetBody => ({
  key,
  name,
  mode,
  applies,
  rules,
})

/** Estimates checking the calls of a period by the draft. @throws HttpError 400, 403, 404, 409 */
export async function estimateDraft(core: Core, actor: PersonActor, id: string, period: Partial<Period>) {
  const set = await findDraft(core.pool, actor.person, id)
  const conditions = [...callsOf(actor, parsePeriod(core, period)), ...whereApplies(set.applies)]
  return estimateOf(core.config, await countCalls(core.pool, conditions), [set.draft.rules])
}

/** Starts a backtest of the draft on the newest matching calls of a period. @throws HttpError 400, 403, 404, 409 */
export async function startBacktest(
  core: Core,
  actor: PersonActor,
  id: string,
  { limit, ...period }: Period & { limit: number },
): Promise<BacktestJson> {
  const { from, to } = parsePeriod(core, period)
  const backtestId = newId()
  const backtest = await transaction(core.db, async (sql) => {
    const set = await findDraft(sql, actor.person, id)
    const [draft, published] = [set.draft.rules, set.published?.rules ?? null]
    const p = new Parameters()
    const conditions = p.and([...callsOf(actor, { from, to }), ...whereApplies(set.applies), hasText])
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT r.id FROM recordings r WHERE ${conditions} ORDER BY r.call_at DESC, r.id DESC LIMIT ${limit}`,
      values: p.values,
    })
    const ids = rows.map((row) => row.id)
    const { rows: counts } = await sql.query<{ words: number }>({
      text: `SELECT ${WORDS} FROM transcripts t WHERE t.recording_id = ANY($1::uuid[])`,
      values: [ids],
    })
    await insertRow(sql, 'backtests', {
      id: backtestId,
      rule_set_id: id,
      from_at: from,
      to_at: to,
      draft_revision: set.draft.revision,
      draft: bodyOf(set, draft),
      published: published && bodyOf(set, published),
      recording_ids: ids,
      figures: emptyFigures(draft, published, counts[0]!.words),
      person_id: actor.person.id,
      person_name: actor.person.name,
      scope: { role: actor.person.role },
    })
    const details = { after: { from, to, calls: rows.length, revision: set.draft.revision } }
    await recordChange(sql, actor, { action: 'backtest.start', object: asObject(set), details })
    return findBacktest(core, sql, actor.person, backtestId)
  })
  core.notify('backtests')
  return backtest
}

/** Stops a backtest; its results stay. @throws HttpError 404, 409 for one that has ended */
export async function cancelBacktest(core: Core, actor: PersonActor, id: string): Promise<BacktestJson> {
  return transaction(core.db, async (sql) => {
    const { ruleSetId } = await findBacktest(core, sql, actor.person, id)
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
              WHERE id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
      values: [id],
    })
    if (rowCount !== 1) throw conflict(backtestMessages.ended())
    const set = await findSet(sql, actor.person, ruleSetId)
    await recordChange(sql, actor, { action: 'backtest.cancel', object: asObject(set), details: { after: { id } } })
    return findBacktest(core, sql, actor.person, id)
  })
}
