import type { Core } from '../../platform/core.ts'
import { conflict } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { withinLimit } from '../../platform/lib/time-limit.ts'
import { JobFailed } from '../../platform/queue/queue.ts'
import { loadCalls, type Call } from '../checks/check.ts'
import { refuseInvisible } from '../checks/read.ts'
import { loadSettings } from '../checks/service.ts'
import { judgeByModel } from '../model/judge.ts'
import { costOf } from '../model/ledger.ts'
import { modelMessages } from '../model/messages.ts'
import { ModelAway } from '../model/state.ts'
import { findEditableSet } from '../rule-sets/service.ts'
import { checkedRules } from '../rule-sets/violations.ts'
import { judge } from '../rules/judge.ts'
import type { Judgement, RuleSetBody } from '../rules/types.ts'
import { formatWhy } from '../rules/why.ts'
import { backtestMessages } from './messages.ts'
import type { TriedJson } from './schema.ts'
import { bodyOf, findDraft } from './service.ts'

/** A call to try rules on; `rules` replace those of the draft, `wordsOnly` skips the model. */
interface Trial {
  recordingId: string
  rules?: unknown[]
  wordsOnly?: boolean
}

/** The longest time for a trial with a model, with all repetitions. */
const LONGEST_TRIAL_MS = 240_000

/**
 * Tries the draft of a set, or rules not stored yet, on a call; stores nothing.
 * @param waitedFor once it is aborted, the model is not asked again
 * @throws HttpError 400, 403, 404, 409
 */
export async function tryDraft(
  core: Core,
  actor: PersonActor,
  id: string,
  { recordingId, rules, wordsOnly = false }: Trial,
  waitedFor: AbortSignal,
): Promise<TriedJson> {
  const body = rules
    ? await givenBody(core, actor, id, rules)
    : await findDraft(core.pool, actor.person, id).then((set) => bodyOf(set, set.draft.rules))
  await refuseInvisible(core.pool, actor, recordingId)
  const [call] = await loadCalls(core.pool, [recordingId])
  if (!call) throw conflict(backtestMessages.noText())
  const model = await modelOf(core)
  if (wordsOnly || !model) return present(await judge(body, call.dialogue), { model, usage: null, cost: null })
  return tryByModel(core, call, body, model, waitedFor)
}

async function givenBody({ pool }: Core, { person }: PersonActor, id: string, rules: unknown[]): Promise<RuleSetBody> {
  const set = await findEditableSet(pool, person, id)
  return bodyOf(set, await checkedRules(set, rules))
}

type Costs = Pick<TriedJson, 'model' | 'usage' | 'cost'>

function present({ score, scoreBeforeCritical, coverage, findings }: Judgement, costs: Costs): TriedJson {
  const shown = findings.map((finding) => ({ ...finding, why: formatWhy(finding.why), whyCode: finding.why }))
  return { score, scoreBeforeCritical, coverage, findings: shown, ...costs }
}

/** The model that judges calls; null if only words judge. */
async function modelOf(core: Core): Promise<TriedJson['model']> {
  const { ANALYSIS_PROVIDER, ANALYSIS_BASE_URL, ANALYSIS_MODEL } = core.config
  if (ANALYSIS_PROVIDER !== 'llm-compatible') return null
  const { maskNames = false } = await loadSettings(core.pool)
  return { name: ANALYSIS_MODEL!, host: new URL(ANALYSIS_BASE_URL!).host, masksNames: maskNames }
}

/** @throws HttpError 409 with the model's error */
async function tryByModel(
  core: Core,
  call: Call,
  body: RuleSetBody,
  model: NonNullable<TriedJson['model']>,
  waitedFor: AbortSignal,
): Promise<TriedJson> {
  const { config } = core
  const limitMs = Math.min(config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 2000, LONGEST_TRIAL_MS)
  const signal = withinLimit(limitMs, waitedFor)
  const purpose = { purpose: 'try', analysisId: null, token: null, attempt: 1, signal } as const
  try {
    const { judgement, tokens } = await judgeByModel(core, call, body, model.masksNames, purpose)
    const amount = costOf(config, tokens)
    return present(judgement, {
      model,
      usage: { inputTokens: tokens.input, outputTokens: tokens.output },
      cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    })
  } catch (error) {
    if (error instanceof ModelAway || error instanceof JobFailed) throw conflict(error.reason)
    throw signal.aborted ? conflict(modelMessages.noAnswer({ reason: 'timeout' })) : error
  }
}
