import { createHash } from 'node:crypto'
import type { Rule } from '../../check/rules/types.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { parsePostedForm } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { splitRuleErrors } from './rule-form.ts'
import { buildRuleLine } from './sentence.ts'
import { formatRuleSetApiPath, buildRuleSetHead, fetchEditableRuleSet, type RuleSetWithRules } from './rule-set.ts'
import { fetchTrialCallChooser } from './call-chooser.ts'
import { fetchPinnedCall } from './pinned-call.ts'
import {
  fetchDraftTrialWithModel,
  buildTrialCallView,
  buildTrialModelView,
  pinTrialCall,
  pinTrialCallFromRecording,
  buildTrialScoreView,
  fetchDraftTrial,
  buildTrialVerdictView,
  type DraftTrial,
} from './trial.ts'

export const ruleDraftRoutes: PanelRoute[] = [
  { method: 'post', path: '/rule-sets/call', handle: pinTrialCallFromRecording },
  { method: 'get', path: '/rule-sets/:id/draft', handle: showDraft },
  { method: 'post', path: '/rule-sets/:id/draft/call', handle: pinTrialCall },
  { method: 'get', path: '/rule-sets/:id/draft/ask', handle: redirectToDraft },
  { method: 'post', path: '/rule-sets/:id/draft/ask', handle: askModelAboutDraft },
  { method: 'post', path: '/rule-sets/:id/draft/discard', handle: discardDraft },
  {
    method: 'post',
    path: '/rule-sets/:id/draft/rules/:key/delete',
    handle: (context) => changeDraftRules(context, removeRule),
  },
  {
    method: 'post',
    path: '/rule-sets/:id/draft/rules/:key/up',
    handle: (context) => changeDraftRules(context, moveRuleUp),
  },
  {
    method: 'post',
    path: '/rule-sets/:id/draft/rules/:key/down',
    handle: (context) => changeDraftRules(context, moveRuleDown),
  },
]

/** Redirects a GET of the form's address to the draft, because only the form asks the model. */
async function redirectToDraft(context: PageContext): Promise<void> {
  redirect(context.ctx, formatDraftHref(context))
}

const formatDraftHref = ({ ctx }: PageContext): string => `/rule-sets/${ctx.params.id}/draft`

/** Returns the rules to edit: those of the draft, or the published ones without a draft. */
export const getEditableRules = ({ draft, rules }: RuleSetWithRules): Rule[] => draft?.rules ?? rules ?? []

/** Returns the revision of the draft, or 0 without a draft, because the first change creates it. */
export const getDraftRevision = ({ draft }: RuleSetWithRules): number => draft?.revision ?? 0

/** Formats a fingerprint of each rule. A form sends them back, so that changes by other people are found. */
export const formatRuleFingerprints = (rules: readonly Rule[]): string =>
  rules.map((rule) => `${rule.key}:${computeFingerprint(rule)}`).join(' ')

const computeFingerprint = (rule: Rule): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('base64url').slice(0, 8)

/** Limits the fingerprints that a form can send. A rule set has at most 100 rules. */
const MAX_SEEN_RULES = 200

/** Lists the rules that changed since the form was loaded, by name with the kind of change. Removed rules are listed by key. */
export function describeRuleChangesSince(
  seenFingerprints: string,
  rules: readonly Rule[],
  { code, words }: Language,
): string[] {
  const t = words.ruleSets.change
  const before = new Map(seenFingerprints.split(' ', MAX_SEEN_RULES).map((pair) => pair.split(':') as [string, string]))
  const changedRules = rules.flatMap((rule) => {
    const seenFingerprint = before.get(rule.key)
    if (seenFingerprint === computeFingerprint(rule)) return []
    return [`${rule.name[code]} (${seenFingerprint === undefined ? t.added : t.changed})`]
  })
  const removedRules = [...before.keys()].filter((key) => key && !rules.some((rule) => rule.key === key))
  return [...changedRules, ...removedRules.map((key) => `${key} (${t.removed})`)]
}

function showDraft(context: PageContext): Promise<void> {
  return renderDraft(context, async (rules) => ({ tried: await fetchDraftTrial(context, rules) }))
}

/** Tests the draft with the model on the pinned call. Reloading the page does not ask the model again. */
async function askModelAboutDraft(context: PageContext): Promise<void> {
  await parsePostedForm(context.ctx)
  await renderDraft(context, (rules) => fetchDraftTrialWithModel(context, rules))
}

async function renderDraft(context: PageContext, runTrial: (rules: Rule[]) => Promise<DraftTrial>): Promise<void> {
  const [set, pinned, chooser] = await Promise.all([
    fetchEditableRuleSet(context),
    fetchPinnedCall(context),
    fetchTrialCallChooser(context, String(context.ctx.query.find ?? '').trim()),
  ])
  const rules = getEditableRules(set)
  const trial = pinned ? await runTrial(rules) : { tried: undefined }
  const { tried } = trial
  const { language } = context
  const { words, format } = language
  const t = words.ruleSets
  const { draft } = set
  const by = draft?.author?.name
  await renderPage(context, 'rule-sets/draft', {
    title: `${t.draft.title}, ${set.name[language.code]}`,
    head: buildRuleSetHead(set, language),
    here: formatDraftHref(context),
    sentOnce: context.ctx.method === 'POST',
    isDraft: draft !== null,
    revision: getDraftRevision(set),
    changed: draft && { by, at: { iso: draft.changedAt, text: format.shortTime(draft.changedAt) } },
    scored: set.mode === 'score',
    total: format.number(rules.length),
    rows: rules.map((rule) => ({
      line: buildRuleLine(rule, rules, language),
      href: `/rule-sets/${set.id}/draft/rules/${encodeURIComponent(rule.key)}`,
      tried: buildTrialVerdictView(tried, rule, pinned?.id, language),
    })),
    pinned: pinned && buildTrialCallView(pinned, language),
    chooser,
    whole: buildTrialScoreView(tried, language),
    model: buildTrialModelView(trial, language),
  })
}

async function discardDraft(context: PageContext): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const set = await fetchEditableRuleSet(context)
  const t = context.language.words.ruleSets
  const path = `${formatRuleSetApiPath(context)}/draft?revision=${Number(fields.text('revision')) || 0}`
  const response = await context.api.send('DELETE', path).catch(returnApiErrorWithStatus(404, 409))
  if (response instanceof ApiError) redirect(context.ctx, `/rule-sets/${set.id}/draft`, t.errors.stale)
  else redirect(context.ctx, set.rules ? `/rule-sets/${set.id}` : '/rule-sets', t.draft.discarded)
}

const removeRule = (rules: Rule[], index: number): Rule[] => rules.toSpliced(index, 1)
const moveRuleUp = (rules: Rule[], index: number): Rule[] => moveRule(rules, index, index - 1)
const moveRuleDown = (rules: Rule[], index: number): Rule[] => moveRule(rules, index, index + 1)

function moveRule(rules: Rule[], from: number, to: number): Rule[] {
  return to < 0 || to >= rules.length ? rules : rules.toSpliced(from, 1).toSpliced(to, 0, rules[from]!)
}

/** Deletes or moves a rule of the draft. @param change returns the new rules for the index of the rule */
async function changeDraftRules(context: PageContext, change: (rules: Rule[], index: number) => Rule[]): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const set = await fetchEditableRuleSet(context)
  const t = context.language.words.ruleSets
  const before = getEditableRules(set)
  const index = before.findIndex(({ key }) => key === context.ctx.params.key)
  const rules = change(before, Math.max(0, index))
  const draft = `/rule-sets/${set.id}/draft`
  if (index < 0) return redirect(context.ctx, draft, t.errors.stale)
  const body = { revision: Number(fields.text('revision')), rules }
  const response = await context.api
    .send('PUT', `${formatRuleSetApiPath(context)}/draft`, body)
    .catch(returnApiErrorWithStatus(400, 409))
  if (!(response instanceof ApiError))
    return redirect(context.ctx, `${draft}#rule-${encodeURIComponent(String(context.ctx.params.key))}`)
  const reasons = splitRuleErrors(response, -1, rules, context.language).others.join(' ')
  redirect(context.ctx, draft, response.status === 409 ? t.errors.stale : reasons)
}
