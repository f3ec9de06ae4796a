import type { Rule, Why } from '../../check/rules/types.ts'
import type { TriedJson } from '../../check/backtests/schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { redirect, type PageContext } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatVerdictReason } from '../recording/why.ts'
import { quoteLinks } from './quotes.ts'
import { apiPath, refuseManagers, type RuleSet } from './set.ts'

/** The call beside the draft during editing, stored in a cookie. */
const COOKIE = 'panel_tried_call'
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

const pinnedId = ({ ctx }: PageContext): string | undefined =>
  ID.exec(ctx.cookies.get(COOKIE, { signed: false }) ?? '')?.[0]

const OFFERED = 25

/** The pinned call and the possible ones; the page works without them. */
export async function readCalls(context: PageContext): Promise<{ pinned?: RecordingJson; offered: RecordingJson[] }> {
  const { api } = context
  const id = pinnedId(context)
  const [pinned, { items }] = await Promise.all([
    id === undefined ? undefined : api.read<RecordingJson>(`/v1/recordings/${id}`).catch(unlessGone),
    api.read<{ items: RecordingJson[] }>(`/v1/recordings?status=DONE&pageSize=${OFFERED}`),
  ])
  return { ...(pinned && { pinned }), offered: items }
}

/** Pins the chosen call, or the one of an address; without one, unpins. */
export async function pinCall(context: PageContext): Promise<void> {
  const { ctx } = context
  const fields = await readFields(ctx)
  pin(context, fields.text('address') || fields.text('call'))
  redirect(ctx, `/rule-sets/${ctx.params.id}/draft`)
}

/** The same from the page of the call: redirects to the set that judged it, or to the sets if the person cannot edit it. */
export async function pinFromCall(context: PageContext): Promise<void> {
  const { ctx, api } = context
  refuseManagers(context)
  const fields = await readFields(ctx)
  pin(context, fields.text('call'))
  const id = ID.exec(fields.text('set'))?.[0]
  const set = id && (await api.read<RuleSet>(`/v1/rule-sets/${id}`).catch(unlessGone))
  if (set && set.mayEdit && !set.archivedAt) return redirect(ctx, `/rule-sets/${id}/draft`)
  redirect(ctx, '/rule-sets', context.language.words.ruleSets.trial.pinned)
}

function pin({ ctx }: PageContext, address: string): void {
  const id = ID.exec(address)?.[0] ?? ''
  const kept = { path: '/rule-sets', httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const
  ctx.cookies.set(COOKIE, id, { ...kept, maxAge: id ? 30 * 86_400_000 : 0 })
}

/** Tries rules on the pinned call, by words alone: a look costs nothing. @throws ApiError 400 for invalid rules */
export const tryRules = (context: PageContext, rules: Rule[]): Promise<TriedJson | undefined> =>
  tryBy(context, rules, { wordsOnly: true }).catch(unlessGone)

/** A model is slow: the page waits a little longer than the API, which then reports why there is no answer. */
const ASKED_FOR_MS = 270_000

/** The same, once with the model: it gets the text of the call and costs money. Words decide what it does not answer. */
export async function askModel(context: PageContext, rules: Rule[]): Promise<Asked> {
  const tried = await tryBy(context, rules, {}, ASKED_FOR_MS).catch(refusal(409))
  if (!(tried instanceof ApiError)) return { tried }
  return { tried: await tryRules(context, rules), refused: tried.messages.map(({ text }) => text).join(' ') }
}

/** The result of asking the model; `refused` is why it did not answer. */
export interface Asked {
  tried: TriedJson | undefined
  refused?: string
}

async function tryBy(context: PageContext, rules: Rule[], how: { wordsOnly?: true }, limitMs?: number) {
  const recordingId = pinnedId(context)
  if (recordingId === undefined || rules.length === 0) return undefined
  const path = `${apiPath(context)}/draft/try`
  const { body } = await context.api.send<TriedJson>('POST', path, { recordingId, rules, ...how }, limitMs)
  return body
}

/** Treat a call as missing if it is deleted, has no text or is not visible any more. */
function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && [404, 409].includes(error.status)) return undefined
  throw error
}

export function callView(recording: RecordingJson, { words, format }: Language) {
  const { id, phoneNumber, fileName, managerName, callStartedAt, createdAt, durationSeconds } = recording
  const parts = [
    format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    managerName ?? '—',
    format.shortTime(callStartedAt ?? createdAt),
    ...(durationSeconds === null ? [] : [format.length(durationSeconds)]),
  ]
  return { id, href: `/recordings/${id}`, text: parts.join(' · ') }
}

export function verdictOf(
  tried: TriedJson | undefined,
  { key, kind }: Rule,
  id: string | undefined,
  language: Language,
) {
  const finding = tried?.findings.find(({ rule }) => rule === key)
  if (!finding) return undefined
  const { verdict, evidence, whyCode, decidedBy } = finding
  const t = language.words.ruleSets.trial
  const wasAsked = tried!.usage !== null
  return {
    verdict,
    text: language.words.recording.check.verdicts[verdict]!,
    // A model that was not asked cannot fail to answer.
    why: whyCode.code === 'noAnswer' && !wasAsked ? t.notAsked : formatVerdictReason(whyCode as Why, kind, language),
    by: wasAsked ? t.decidedBy[decidedBy] : null,
    quotes: quoteLinks(evidence, id, language),
  }
}

export function scoreOf(tried: TriedJson | undefined, { words, format }: Language) {
  if (!tried) return undefined
  const t = words.ruleSets.trial
  return {
    score: tried.score === null ? t.noScore : format.number(tried.score),
    coverage:
      tried.coverage === null ? null : t.coverage(words.common.percent(format.number(Math.round(tried.coverage)))),
  }
}

/** The address and size of a request to the model, and its tokens if it was asked. */
export function modelOf({ tried, refused }: Asked, { words, format }: Language) {
  if (!tried?.model) return undefined
  const t = words.ruleSets.trial
  const { model, usage, cost } = tried
  const { usage: tokens } = words.recording.check
  const taken = usage && [
    t.asked(model.name, model.host),
    tokens(format.number(usage.inputTokens), format.number(usage.outputTokens)),
    cost && format.money(cost.amount, cost.currency),
  ]
  return {
    sends: t.sends(model.host, model.name) + (model.masksNames ? t.withoutNames : t.withNames),
    taken: taken ? taken.filter(Boolean).join(' · ') : null,
    refused,
  }
}
