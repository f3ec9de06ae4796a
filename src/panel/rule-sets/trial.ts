import type { Rule, VerdictReason } from '../../check/rules/types.ts'
import type { DraftTrialJson } from '../../check/backtests/schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, type PageContext } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/verdict-reason.ts'
import { extractUuid, getPinnedCallId, ignoreUnavailableCall, setPinnedCall } from './pinned-call.ts'
import { buildQuoteLinks } from './quotes.ts'
import { formatRuleSetApiPath, rejectManagerRole, type RuleSetWithRules } from './rule-set.ts'

/** Pins the call in the posted form and redirects to the draft. */
export async function pinTrialCall(context: PageContext): Promise<void> {
  const { ctx } = context
  const fields = await parsePostedForm(ctx)
  setPinnedCall(context, fields.text('call'))
  redirect(ctx, `/rule-sets/${ctx.params.id}/draft`)
}

/**
 * Pins the call from its own page. Redirects to the draft of the rule set, or to the list of sets if the person cannot edit the
 * set.
 */
export async function pinTrialCallFromRecording(context: PageContext): Promise<void> {
  const { ctx, api } = context
  rejectManagerRole(context)
  const fields = await parsePostedForm(ctx)
  setPinnedCall(context, fields.text('call'))
  const id = extractUuid(fields.text('set'))
  const set = id && (await api.fetch<RuleSetWithRules>(`/v1/rule-sets/${id}`).catch(ignoreUnavailableCall))
  if (set && set.mayEdit && !set.archivedAt) return redirect(ctx, `/rule-sets/${id}/draft`)
  redirect(ctx, '/rule-sets', context.language.words.ruleSets.trial.pinned)
}

/**
 * Tests rules on the pinned call without the model, so it costs nothing. @returns undefined without rules or an available pinned call
 * @throws ApiError 400 for invalid rules
 */
export const fetchDraftTrial = (context: PageContext, rules: Rule[]): Promise<DraftTrialJson | undefined> =>
  sendTrial(context, rules, { wordsOnly: true }).catch(ignoreUnavailableCall)

/** The page waits longer than the API, so that the API can respond why the model did not. */
const MODEL_TIMEOUT_MS = 270_000

/**
 * Tests rules on the pinned call with the model, which can cost money. If the API responds 409, tests them without the model and
 * returns the reason as `rejection`.
 */
export async function fetchDraftTrialWithModel(context: PageContext, rules: Rule[]): Promise<DraftTrial> {
  const tried = await sendTrial(context, rules, {}, MODEL_TIMEOUT_MS).catch(returnApiErrorWithStatus(409))
  if (!(tried instanceof ApiError)) return { tried }
  return { tried: await fetchDraftTrial(context, rules), rejection: tried.messages.map(({ text }) => text).join(' ') }
}

/** The result of testing rules on a call. `rejection` explains why the model was not used. */
export interface DraftTrial {
  tried: DraftTrialJson | undefined
  rejection?: string
}

async function sendTrial(context: PageContext, rules: Rule[], options: { wordsOnly?: true }, timeoutMs?: number) {
  const recordingId = getPinnedCallId(context)
  if (recordingId === undefined || rules.length === 0) return undefined
  const path = `${formatRuleSetApiPath(context)}/draft/try`
  const { body } = await context.api.send<DraftTrialJson>('POST', path, { recordingId, rules, ...options }, timeoutMs)
  return body
}

/** Describes the pinned call in one line, with a link to its page. */
export function buildTrialCallView(recording: RecordingJson, { words, format }: Language) {
  const { id, phoneNumber, fileName, managerName, callStartedAt, createdAt, durationSeconds } = recording
  const parts = [
    format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    managerName ?? '—',
    format.shortTime(callStartedAt ?? createdAt),
    ...(durationSeconds === null ? [] : [format.length(durationSeconds)]),
  ]
  return { id, href: `/recordings/${id}`, text: parts.join(' · ') }
}

/** Builds the verdict of a rule on the pinned call; undefined without a result for the rule. */
export function buildTrialVerdictView(
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
    // Without a request to the model, the reason "no answer" would be wrong.
    why:
      whyCode.code === 'noAnswer' && !wasModelAsked
        ? t.notAsked
        : formatVerdictReason(whyCode as VerdictReason, kind, language),
    by: wasModelAsked ? t.decidedBy[decidedBy] : null,
    quotes: buildQuoteLinks(evidence, id, language),
  }
}

/** Builds the score of the pinned call by the draft; undefined without a trial. */
export function buildTrialScoreView(tried: DraftTrialJson | undefined, { words, format }: Language) {
  if (!tried) return undefined
  const t = words.ruleSets.trial
  return {
    score: tried.score === null ? t.noScore : format.number(tried.score),
    coverage:
      tried.coverage === null ? null : t.coverage(words.common.percent(format.number(Math.round(tried.coverage)))),
  }
}

/** Describes which data the model gets, and how many tokens it used. Returns undefined if the trial involves no model. */
export function buildTrialModelView({ tried, rejection }: DraftTrial, { words, format }: Language) {
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
