import { loadCalls } from '../analysis/call.ts'
import { judge } from '../analysis/rules/judge.ts'
import type { Judgement, RuleSetBody } from '../analysis/rules/types.ts'
import { refuseInvisible } from '../analysis/read.ts'
import { loadSettings } from '../analysis/service.ts'
import { recordChange } from '../audit/record.ts'
import type { Core } from '../core.ts'
import { transaction, type Sql } from '../db.ts'
import { badRequest, conflict, forbidden, notFound } from '../errors.ts'
import type { ActingPerson, Actor } from '../http/access.ts'
import { newId } from '../lib/ids.ts'
import { parseDayOrTime } from '../lib/time.ts'
import { Parameters, where, type Where } from '../lib/where.ts'
import { visibleTo } from '../managers/visibility.ts'
import { judgeByModel } from '../model/judge.ts'
import { mayEdit } from '../rule-sets/policy.ts'
import type { SetRow } from '../rule-sets/present.ts'
import { asObject, findSet, type Editor } from '../rule-sets/service.ts'
import { estimateOf, type Estimate } from './estimate.ts'
import { emptyFigures, rateOf, warningsOf, type Change, type Figures } from './figures.ts'
import type { BacktestJson } from './schema.ts'

/** A set that the person may edit, with its draft. @throws HttpError 403, 404, 409 without a draft */
async function withDraft(sql: Sql, me: ActingPerson, id: string): Promise<SetRow & { draft: object }> {
  const set = await findSet(sql, me, id)
  if (!mayEdit(me, set.applies)) throw forbidden()
  if (!set.draft) throw conflict('The rule set has no draft')
  return set as SetRow & { draft: object }
}

const bodyOf = ({ key, name, mode, applies }: SetRow, rules: RuleSetBody['rules']): RuleSetBody => ({
  key,
  name,
  mode,
  applies,
  rules,
})

/** What the draft of a set makes of a call; nothing is stored. @throws HttpError 403, 404, 409 */
export async function tryDraft(core: Core, actor: Editor, id: string, recordingId: string): Promise<Judgement> {
  const set = await withDraft(core.pool, actor.person, id)
  await refuseInvisible(core.pool, actor, recordingId)
  const [call] = await loadCalls(core.pool, [recordingId])
  if (!call) throw conflict('The call has no text')
  const body = bodyOf(set, set.draft.rules)
  if (core.config.ANALYSIS_PROVIDER !== 'llm-compatible') return judge(body, call.dialogue)
  const { maskNames = false } = await loadSettings(core)
  const signal = AbortSignal.timeout(core.config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 2000)
  const purpose = { purpose: 'try', analysisId: null, attempt: 1, signal } as const
  return (await judgeByModel(core, call, body, maskNames, purpose)).judgement
}

/** A period as it was asked for. */
export interface Period {
  from: string
  to: string
}

/** @throws HttpError 400 */
export function readPeriod({ config }: Core, { from, to }: Period): { from: Date; to: Date } {
  const [begin, end] = [from, to].map((text) => parseDayOrTime(text, config.APP_TIMEZONE)!)
  if (begin! >= end!) throw badRequest(['to must be after from'])
  return { from: begin!, to: end! }
}

/** The calls of a period that have a text, as conditions on recordings r. */
export const callsOf = (actor: Actor, { from, to }: { from: Date; to: Date }): Where => [
  ...where([`r.status = ?`, 'DONE'], ['r.call_at >= ?::timestamptz', from], ['r.call_at < ?::timestamptz', to]),
  ...visibleTo(actor),
]

/** How many calls of a period there are, and about how many words. */
export async function countCalls(sql: Sql, conditions: Where): Promise<{ calls: number; words: number }> {
  const p = new Parameters()
  const { rows } = await sql.query<{ calls: number; words: number }>({
    text: `SELECT count(*)::int AS calls, coalesce(sum(length(t.text)) / 6.2, 0)::int AS words
             FROM recordings r JOIN transcripts t ON t.recording_id = r.id WHERE ${p.and(conditions)}`,
    values: p.values,
  })
  return rows[0]!
}

/** About what checking the calls of a period by the draft would take. @throws HttpError 400, 403, 404, 409 */
export async function estimateDraft(core: Core, actor: Editor, id: string, period: Period): Promise<Estimate> {
  const set = await withDraft(core.pool, actor.person, id)
  const counted = await countCalls(core.pool, callsOf(actor, readPeriod(core, period)))
  return estimateOf(core.config, counted, set.draft.rules)
}

/** Begins a backtest of the draft on the newest calls of a period. @throws HttpError 400, 403, 404, 409 */
export async function startBacktest(
  core: Core,
  actor: Editor,
  id: string,
  { limit, ...period }: Period & { limit: number },
): Promise<BacktestJson> {
  const { from, to } = readPeriod(core, period)
  const backtestId = newId()
  return transaction(core.db, async (sql) => {
    const set = await withDraft(sql, actor.person, id)
    const [draft, published] = [set.draft.rules, set.published?.rules ?? null]
    const p = new Parameters()
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT r.id FROM recordings r WHERE ${p.and(callsOf(actor, { from, to }))} ORDER BY r.call_at DESC, r.id DESC LIMIT ${limit}`,
      values: p.values,
    })
    await sql.query({
      text: `INSERT INTO backtests (id, rule_set_id, state, from_at, to_at, draft_revision, draft, published, recording_ids,
                                    figures, person_id, person_name, scope)
             VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      values: [
        backtestId,
        id,
        from,
        to,
        set.draft.revision,
        JSON.stringify(bodyOf(set, draft)),
        published && JSON.stringify(bodyOf(set, published)),
        rows.map((row) => row.id),
        JSON.stringify(emptyFigures(draft, published)),
        actor.person.id,
        actor.person.name,
        JSON.stringify({ role: actor.person.role }),
      ],
    })
    const details = { after: { from, to, calls: rows.length, revision: set.draft.revision } }
    await recordChange(sql, actor, { action: 'backtest.start', object: asObject(set), details })
    return findBacktest(core, sql, actor.person, backtestId)
  })
}

interface Row {
  id: string
  ruleSetId: string
  state: BacktestJson['state']
  from: Date
  to: Date
  revision: number
  draft: RuleSetBody
  total: number
  done: number
  figures: Figures
  createdAt: Date
  finishedAt: Date | null
  words: number
}

const NO_SUCH_BACKTEST = 'There is no such backtest'

/** A backtest of a set that the person may edit. @throws HttpError 404 */
export const readBacktest = (core: Core, me: ActingPerson, id: string): Promise<BacktestJson> =>
  findBacktest(core, core.pool, me, id)

async function findBacktest({ config }: Core, sql: Sql, me: ActingPerson, id: string): Promise<BacktestJson> {
  const { rows } = await sql.query<Row>({
    text: `SELECT b.id, b.rule_set_id AS "ruleSetId", b.state, b.from_at AS "from", b.to_at AS "to",
                  b.draft_revision AS revision, b.draft, cardinality(b.recording_ids) AS total, b.done, b.figures,
                  b.created_at AS "createdAt", b.finished_at AS "finishedAt",
                  (SELECT coalesce(sum(length(t.text)) / 6.2, 0)::int FROM transcripts t
                    WHERE t.recording_id = ANY(b.recording_ids)) AS words
             FROM backtests b WHERE b.id = $1`,
    values: [id],
  })
  const row = rows[0]
  if (!row) throw notFound(NO_SUCH_BACKTEST)
  const set = await findSet(sql, me, row.ruleSetId).catch(() => undefined)
  if (!set || !mayEdit(me, set.applies)) throw notFound(NO_SUCH_BACKTEST)
  const { ruleSetId, state, from, to, revision, draft, total, done, figures, words } = row
  return {
    id,
    ruleSetId,
    state,
    from: from.toISOString(),
    to: to.toISOString(),
    revision,
    total,
    done,
    changed: figures.changed,
    skipped: figures.skipped,
    rules: figures.rules.map((rule) => ({ ...rule, oldRate: rateOf(rule.old), newRate: rateOf(rule.new) })),
    histogram: figures.histogram,
    newZeros: figures.newZeros.filter(({ calls }) => calls > 0),
    warnings: warningsOf(figures),
    estimate: estimateOf(config, { calls: total, words }, draft.rules),
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt && row.finishedAt.toISOString(),
  }
}

/** A page of the calls whose verdicts change, those whose score changes most first. @throws HttpError 404 */
export async function listChanged(
  core: Core,
  actor: Editor,
  id: string,
  { page, pageSize }: { page: number; pageSize: number },
) {
  await readBacktest(core, actor.person, id)
  const p = new Parameters()
  const from = `backtest_calls c JOIN recordings r ON r.id = c.recording_id
    WHERE ${p.and([...where(['c.backtest_id = ?::uuid', id]), ...visibleTo(actor)])}`
  const { rows } = await core.pool.query<{
    recordingId: string
    oldScore: number | null
    newScore: number | null
    changes: Change[]
  }>({
    text: `SELECT c.recording_id AS "recordingId", c.old_score AS "oldScore", c.new_score AS "newScore", c.changes
             FROM ${from} ORDER BY abs(coalesce(c.new_score, 0) - coalesce(c.old_score, 0)) DESC, c.recording_id
            LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
    values: p.values,
  })
  const counts = await core.pool.query<{ total: number }>({
    text: `SELECT count(*)::int AS total FROM ${from}`,
    values: p.values,
  })
  return { items: rows, total: counts.rows[0]!.total, page, pageSize }
}

/** Stops a backtest; what it has found stays. @throws HttpError 404, 409 for one that has ended */
export async function cancelBacktest(core: Core, actor: Editor, id: string): Promise<BacktestJson> {
  return transaction(core.db, async (sql) => {
    const { ruleSetId } = await findBacktest(core, sql, actor.person, id)
    const { rowCount } = await sql.query({
      text: `UPDATE backtests SET state = 'cancelled', finished_at = now(), run_token = NULL WHERE id = $1 AND state = 'running'`,
      values: [id],
    })
    if (rowCount !== 1) throw conflict('The backtest has ended')
    const set = await findSet(sql, actor.person, ruleSetId)
    await recordChange(sql, actor, { action: 'backtest.cancel', object: asObject(set), details: { after: { id } } })
    return findBacktest(core, sql, actor.person, id)
  })
}
