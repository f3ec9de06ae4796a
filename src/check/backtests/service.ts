import type { Sql } from '../../platform/db/sql.ts'
import type { ActingPerson, Actor, PersonActor } from '../../platform/http/actor.ts'
import { whereApplies } from '../checks/applies.ts'
import { loadCalls, type Call } from '../checks/call.ts'
import { judge } from '../rules/judge.ts'
import type { Judgement, RuleSetBody } from '../rules/types.ts'
import { refuseInvisible } from '../checks/read.ts'
import { loadSettings } from '../checks/service.ts'
import { recordChange } from '../../platform/audit/record.ts'
import type { Core } from '../../platform/core.ts'
import { transaction } from '../../platform/db/db.ts'
import { badRequest, conflict, forbidden } from '../../platform/errors.ts'
import { newId } from '../../platform/lib/ids.ts'
import { withinLimit } from '../../platform/lib/time-limit.ts'
import { parseDayOrTime, parseEnd } from '../../platform/lib/time.ts'
import { Parameters, where, type Where } from '../../platform/lib/where.ts'
import { visibleTo } from '../../people/managers/visibility.ts'
import { judgeByModel } from '../model/judge.ts'
import { costOf } from '../model/ledger.ts'
import { modelMessages } from '../model/messages.ts'
import { ModelAway } from '../model/state.ts'
import { JobFailed } from '../../platform/queue/queue.ts'
import { mayEdit } from '../rule-sets/policy.ts'
import type { SetRow } from '../rule-sets/present.ts'
import { asObject, findSet } from '../rule-sets/service.ts'
import { checkedRules } from '../rule-sets/violations.ts'
import { estimateOf, type Estimate } from './estimate.ts'
import { emptyFigures } from './figures.ts'
import { findBacktest, wordsOf } from './read.ts'
import type { BacktestJson, TriedJson } from './schema.ts'
import { backtestMessages } from './messages.ts'

/** A set that the person may edit. @throws HttpError 403, 404 */
async function editable(sql: Sql, me: ActingPerson, id: string): Promise<SetRow> {
  const set = await findSet(sql, me, id)
  if (!mayEdit(me, set.applies)) throw forbidden()
  return set
}

/** The same with its draft. @throws HttpError 403, 404, 409 without a draft */
async function withDraft(sql: Sql, me: ActingPerson, id: string): Promise<SetRow & { draft: object }> {
  const set = await editable(sql, me, id)
  if (!set.draft) throw conflict(backtestMessages.noDraft())
  return set as SetRow & { draft: object }
}

const bodyOf = ({ key, name, mode, applies }: SetRow, rules: RuleSetBody['rules']): RuleSetBody => ({
  key,
  name,
  mode,
  applies,
  rules,
})

/** A call to try rules on; `rules` stand for those of the draft, `wordsOnly` leaves the model out. */
interface Trial {
  recordingId: string
  rules?: unknown[]
  wordsOnly?: boolean
}

/** What became of a trial, with what a model has taken for it, and which model judges where one does. */
export interface Tried extends Pick<TriedJson, 'model' | 'usage' | 'cost'> {
  judgement: Judgement
}

/** So long a person waits for a model at most, however often it is asked again. */
const LONGEST_TRIAL_MS = 240_000

/**
 * What the draft of a set, or rules not stored yet, make of a call; nothing is stored.
 * @param waitedFor nobody asks a model any longer once it is aborted
 * @throws HttpError 400, 403, 404, 409
 */
export async function tryDraft(
  core: Core,
  actor: PersonActor,
  id: string,
  { recordingId, rules, wordsOnly = false }: Trial,
  waitedFor: AbortSignal,
): Promise<Tried> {
  const set = await (rules ? editable : withDraft)(core.pool, actor.person, id)
  const body = bodyOf(set, rules ? await checkedRules(set, rules) : set.draft!.rules)
  await refuseInvisible(core.pool, actor, recordingId)
  const [call] = await loadCalls(core.pool, [recordingId])
  if (!call) throw conflict(backtestMessages.noText())
  const model = await modelOf(core)
  if (wordsOnly || !model) return { judgement: await judge(body, call.dialogue), model, usage: null, cost: null }
  return { ...(await tryByModel(core, call, body, model.masksNames, waitedFor)), model }
}

/** The model that judges calls, where one does. */
async function modelOf(core: Core): Promise<Tried['model']> {
  const { ANALYSIS_PROVIDER, ANALYSIS_BASE_URL, ANALYSIS_MODEL } = core.config
  if (ANALYSIS_PROVIDER !== 'llm-compatible') return null
  const { maskNames = false } = await loadSettings(core)
  return { name: ANALYSIS_MODEL!, host: new URL(ANALYSIS_BASE_URL!).host, masksNames: maskNames }
}

/** @throws HttpError 409 with what the model, or its absence, says */
async function tryByModel(
  core: Core,
  call: Call,
  body: RuleSetBody,
  names: boolean,
  waitedFor: AbortSignal,
): Promise<Omit<Tried, 'model'>> {
  const { config } = core
  const limitMs = Math.min(config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 2000, LONGEST_TRIAL_MS)
  const signal = withinLimit(limitMs, waitedFor)
  const purpose = { purpose: 'try', analysisId: null, token: null, attempt: 1, signal } as const
  try {
    const { judgement, tokens } = await judgeByModel(core, call, body, names, purpose)
    const amount = costOf(config, tokens)
    return {
      judgement,
      usage: { inputTokens: tokens.input, outputTokens: tokens.output },
      cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    }
  } catch (error) {
    if (error instanceof ModelAway || error instanceof JobFailed) throw conflict(error.reason)
    throw signal.aborted ? conflict(modelMessages.noAnswer({ reason: 'timeout' })) : error
  }
}

/** A period as it was asked for. */
export interface Period {
  from: string
  to: string
}

const DEFAULT_MS = 30 * 24 * 3600_000

/** What is not said is the last 30 days. @throws HttpError 400 */
export function readPeriod({ config }: Core, asked: Partial<Period>): { from: Date; to: Date } {
  const zone = config.APP_TIMEZONE
  const to = asked.to === undefined ? new Date() : parseEnd(asked.to, zone)!
  const from = asked.from === undefined ? new Date(to.getTime() - DEFAULT_MS) : parseDayOrTime(asked.from, zone)!
  if (from >= to) throw badRequest([backtestMessages.backwards().about('to')])
  return { from, to }
}

/** The calls of a period that have a text, as conditions on recordings r. */
export const callsOf = (actor: Actor, { from, to }: { from: Date; to: Date }): Where => [
  ...where([`r.status = ?`, 'DONE'], ['r.call_at >= ?::timestamptz', from], ['r.call_at < ?::timestamptz', to]),
  ...visibleTo(actor),
]

/** A condition on recordings r. */
export const hasText = { sql: 'EXISTS (SELECT FROM transcripts t WHERE t.recording_id = r.id)', values: [] }

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
export async function estimateDraft(
  core: Core,
  actor: PersonActor,
  id: string,
  period: Partial<Period>,
): Promise<Estimate> {
  const set = await withDraft(core.pool, actor.person, id)
  const counted = await countCalls(core.pool, [
    ...callsOf(actor, readPeriod(core, period)),
    ...whereApplies(set.applies),
  ])
  return estimateOf(core.config, counted, [set.draft.rules])
}

/** Begins a backtest of the draft on the newest calls of a period that the set applies to. @throws HttpError 400, 403, 404, 409 */
export async function startBacktest(
  core: Core,
  actor: PersonActor,
  id: string,
  { limit, ...period }: Period & { limit: number },
): Promise<BacktestJson> {
  const { from, to } = readPeriod(core, period)
  const backtestId = newId()
  const backtest = await transaction(core.db, async (sql) => {
    const set = await withDraft(sql, actor.person, id)
    const [draft, published] = [set.draft.rules, set.published?.rules ?? null]
    const p = new Parameters()
    const conditions = p.and([...callsOf(actor, { from, to }), ...whereApplies(set.applies), hasText])
    const { rows } = await sql.query<{ id: string }>({
      text: `SELECT r.id FROM recordings r WHERE ${conditions} ORDER BY r.call_at DESC, r.id DESC LIMIT ${limit}`,
      values: p.values,
    })
    const ids = rows.map((row) => row.id)
    const { rows: counts } = await sql.query<{ words: number }>({ text: wordsOf('$1::uuid[]'), values: [ids] })
    await sql.query({
      text: `INSERT INTO backtests (id, rule_set_id, from_at, to_at, draft_revision, draft, published, recording_ids,
                                    figures, person_id, person_name, scope)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      values: [
        backtestId,
        id,
        from,
        to,
        set.draft.revision,
        JSON.stringify(bodyOf(set, draft)),
        published && JSON.stringify(bodyOf(set, published)),
        ids,
        JSON.stringify({ ...emptyFigures(draft, published), words: counts[0]!.words }),
        actor.person.id,
        actor.person.name,
        JSON.stringify({ role: actor.person.role }),
      ],
    })
    const details = { after: { from, to, calls: rows.length, revision: set.draft.revision } }
    await recordChange(sql, actor, { action: 'backtest.start', object: asObject(set), details })
    return findBacktest(core, sql, actor.person, backtestId)
  })
  core.notify('backtests')
  return backtest
}

/** Stops a backtest; what it has found stays. @throws HttpError 404, 409 for one that has ended */
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
