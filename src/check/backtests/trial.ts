import type { Core } from '../../platform/core.ts'
import { conflictError } from '../../platform/errors.ts'
import type { PersonActor } from '../../platform/http/actor.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import { JobFailedError } from '../../platform/queue/queue.ts'
import { loadCallsWithTranscripts, type CallWithTranscript } from '../checks/check-call.ts'
import { requireVisibleRecording } from '../checks/queries.ts'
import { loadAnalysisSettings } from '../checks/service.ts'
import { judgeCallByModel } from '../model/judge-by-model.ts'
import { calculateTokenCost } from '../model/ledger.ts'
import { modelMessages } from '../model/messages.ts'
import { ModelUnavailableError } from '../model/model-pause.ts'
import { loadEditableRuleSet } from '../rule-sets/service.ts'
import { validateRules } from '../rule-sets/violations.ts'
import { judgeCall } from '../rules/judge-call.ts'
import type { CallJudgement, RuleSetBody } from '../rules/types.ts'
import { formatVerdictReason } from '../rules/verdict-reason.ts'
import { backtestMessages } from './messages.ts'
import type { DraftTrialJson } from './schema.ts'
import { toRuleSetBody, loadRuleSetWithDraft } from './service.ts'

/** A call to try rules on. `rules` replace those of the draft, and `wordsOnly` skips the model. */
interface TrialRequest {
  recordingId: string
  rules?: unknown[]
  wordsOnly?: boolean
}

/** A trial with a model lasts at most this long, including repeated requests. */
const MAX_TRIAL_MS = 240_000

/**
 * Judges a call by the draft of a rule set, or by the rules of the request. It stores no verdicts.
 * @param clientSignal stops further requests to the model when the client disconnects
 * @throws HttpError 400, 403, 404, 409 if there is no draft, no transcript, or the model fails
 */
export async function runDraftTrial(
  core: Core,
  actor: PersonActor,
  id: string,
  { recordingId, rules, wordsOnly = false }: TrialRequest,
  clientSignal: AbortSignal,
): Promise<DraftTrialJson> {
  const body = rules
    ? await buildRequestedBody(core, actor, id, rules)
    : await loadRuleSetWithDraft(core.pool, actor.person, id).then((set) => toRuleSetBody(set, set.draft.rules))
  await requireVisibleRecording(core.pool, actor, recordingId)
  const [call] = await loadCallsWithTranscripts(core.pool, [recordingId])
  if (!call) throw conflictError(backtestMessages.noText())
  const model = await loadModelInfo(core)
  if (wordsOnly || !model) return presentTrial(await judgeCall(body, call.dialogue), { model, usage: null, cost: null })
  return judgeTrialByModel(core, call, body, model, clientSignal)
}

async function buildRequestedBody(
  { pool }: Core,
  { person }: PersonActor,
  id: string,
  rules: unknown[],
): Promise<RuleSetBody> {
  const set = await loadEditableRuleSet(pool, person, id)
  return toRuleSetBody(set, await validateRules(set, rules))
}

type TrialCosts = Pick<DraftTrialJson, 'model' | 'usage' | 'cost'>

function presentTrial(
  { score, scoreBeforeCritical, coverage, findings }: CallJudgement,
  costs: TrialCosts,
): DraftTrialJson {
  const shown = findings.map((finding) => ({ ...finding, why: formatVerdictReason(finding.why), whyCode: finding.why }))
  return { score, scoreBeforeCritical, coverage, findings: shown, ...costs }
}

/** Returns null if no model judges calls. */
async function loadModelInfo(core: Core): Promise<DraftTrialJson['model']> {
  const { ANALYSIS_PROVIDER, ANALYSIS_BASE_URL, ANALYSIS_MODEL } = core.config
  if (ANALYSIS_PROVIDER !== 'llm-compatible') return null
  const { maskNames = false } = await loadAnalysisSettings(core.pool)
  return { name: ANALYSIS_MODEL!, host: new URL(ANALYSIS_BASE_URL!).host, masksNames: maskNames }
}

/** @throws HttpError 409 with the reason of the model's failure */
async function judgeTrialByModel(
  core: Core,
  call: CallWithTranscript,
  body: RuleSetBody,
  model: NonNullable<DraftTrialJson['model']>,
  clientSignal: AbortSignal,
): Promise<DraftTrialJson> {
  const { config } = core
  const limitMs = Math.min(config.ANALYSIS_REQUEST_TIMEOUT_SECONDS * 2000, MAX_TRIAL_MS)
  const signal = createTimeoutSignal(limitMs, clientSignal)
  const purpose = { purpose: 'try', analysisId: null, token: null, attempt: 1, signal } as const
  try {
    const { judgement, tokens } = await judgeCallByModel(core, call, body, model.masksNames, purpose)
    const amount = calculateTokenCost(config, tokens)
    return presentTrial(judgement, {
      model,
      usage: { inputTokens: tokens.input, outputTokens: tokens.output },
      cost: amount === null ? null : { amount, currency: config.ANALYSIS_PRICE_CURRENCY },
    })
  } catch (error) {
    if (error instanceof ModelUnavailableError || error instanceof JobFailedError) throw conflictError(error.reason)
    throw signal.aborted ? conflictError(modelMessages.noAnswer({ reason: 'timeout' })) : error
  }
}
