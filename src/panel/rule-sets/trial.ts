import type { Rule, VerdictReason } from '../../check/rules/types.ts'
import type { DraftTrialJson } from '../../check/backtests/schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, returnApiError } from '../frame/api-client.ts'
import { redirect, type PageContext } from '../frame/context.ts'
import { parseForm } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/verdict-reason.ts'
import { findUuid, getPinnedId, ignoreMissing, setPinnedCall } from './pinned-call.ts'
import { buildQuoteLinks } from './quotes.ts'
import { formatRuleSetApiPath, rejectManagers, type RuleSet } from './rule-set.ts'

/** Pins the chosen call. */
export async function pinCall(context: PageContext): Promise<void> {
  const { ctx } = context
  const fields = await parseForm(ctx)
  setPinnedCall(context, fields.text('call'))
  redirect(ctx, `/rule-sets/${ctx.params.id}/draft`)
}

/** The same from the page of the call: redirects to the set that judged it, or to the sets if the person cannot edit it. */
export async function pinCallFromRecording(context: PageContext): Promise<void> {
  const { ctx, api } = context
  rejectManagers(context)
  const fields = await parseForm(ctx)
  setPinnedCall(context, fields.text('call'))
  const id = findUuid(fields.text('set'))
  const set = id && (await api.fetch<RuleSet>(`/v1/rule-sets/${id}`).catch(ignoreMissing))
  if (set && set.mayEdit && !set.archivedAt) return redirect(ctx, `/rule-sets/${id}/draft`)
  redirect(ctx, '/rule-sets', context.language.words.ruleSets.trial.pinned)
}

/** Tries rules on the pinned call, by words alone: a look costs nothing. @throws ApiError 400 for invalid rules */
export const tryRules = (context: PageContext, rules: Rule[]): Promise<DraftTrialJson | undefined> =>
  sendTrial(context, rules, { wordsOnly: true }).catch(ignoreMissing)

/** A model is slow: the page waits a little longer than the API, which then reports why there is no answer. */
const MODEL_TIMEOUT_MS = 270_000

/** The same, once with the model: it gets the text of the call and costs money. Words decide what it does not answer. */
export async function askModel(context: PageContext, rules: Rule[]): Promise<Trial> {
  const tried = await sendTrial(context, rules, {}, MODEL_TIMEOUT_MS).catch(returnApiError(409))
  if (!(tried instanceof ApiError)) return { tried }
  return { tried: await tryRules(context, rules), rejection: tried.messages.map(({ text }) => text).join(' ') }
}

/** The result of asking the model; `refused` is why it did not answer. */
export interface Trial {
  tried: DraftTrialJson | undefined
  rejection?: string
}

async function sendTrial(context: PageContext, rules: Rule[], options: { wordsOnly?: true }, timeoutMs?: number) {
  const recordingId = getPinnedId(context)
  if (recordingId === undefined || rules.length === 0) return undefined
  const path = `${formatRuleSetApiPath(context)}/draft/try`
  const { body } = await context.api.send<DraftTrialJson>('POST', path, { recordingId, rules, ...options }, timeoutMs)
  return body
}

export function buildCallView(recording: RecordingJson, { words, format }: Language) {
  const { id, phoneNumber, fileName, managerName, callStartedAt, createdAt, durationSeconds } = recording
  const parts = [
    format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    managerName ?? '—',
    format.shortTime(callStartedAt ?? createdAt),
    ...(durationSeconds === null ? [] : [format.length(durationSeconds)]),
  ]
  return { id, href: `/recordings/${id}`, text: parts.join(' · ') }
}

export function buildVerdictView(
  tried: DraftTrialJson | undefined,
  { key, kind }: Rule,
  id: string | undefined,
  language: Language,
) {
  const finding = tried?.findings.find(({ rule }) => rule === key)
  if (!finding) return undefined
  const { verdict, evidence, whyCode, decidedBy } = finding
  const t = language.words.ruleSets.trial
  const wasModelAsked = tried!.usage !== null
  return {
    verdict,
    text: language.words.recording.check.verdicts[verdict]!,
    // A model that was not asked cannot fail to answer.
    why:
      whyCode.code === 'noAnswer' && !wasModelAsked
        ? t.notAsked
        : formatVerdictReason(whyCode as VerdictReason, kind, language),
    by: wasModelAsked ? t.decidedBy[decidedBy] : null,
    quotes: buildQuoteLinks(evidence, id, language),
  }
}

export function buildScoreView(tried: DraftTrialJson | undefined, { words, format }: Language) {
  if (!tried) return undefined
  const t = words.ruleSets.trial
  return {
    score: tried.score === null ? t.noScore : format.number(tried.score),
    coverage:
      tried.coverage === null ? null : t.coverage(words.common.percent(format.number(Math.round(tried.coverage)))),
  }
}

/** The address and size of a request to the model, and its tokens if it was asked. */
export function buildModelView({ tried, rejection }: Trial, { words, format }: Language) {
  if (!tried?.model) return undefined
  const t = words.ruleSets.trial
  const { model, usage, cost } = tried
  const { usage: tokens } = words.recording.check
  const usageFacts = usage && [
    t.asked(model.name, model.host),
    tokens(format.number(usage.inputTokens), format.number(usage.outputTokens)),
    cost && format.money(cost.amount, cost.currency),
  ]
  return {
    sends: t.sends(model.host, model.name) + (model.masksNames ? t.withoutNames : t.withNames),
    taken: usageFacts ? usageFacts.filter(Boolean).join(' · ') : null,
    refused: rejection,
  }
}
