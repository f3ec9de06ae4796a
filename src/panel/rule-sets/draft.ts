import { createHash } from 'node:crypto'
import type { Rule } from '../../check/rules/types.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type Route } from '../frame/context.ts'
import { readFields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { errorsOfRules } from './rule-form.ts'
import { ruleLine } from './sentence.ts'
import { apiPath, headOf, loadEditable, type RuleSet } from './set.ts'
import {
  askModel,
  callView,
  modelOf,
  pinCall,
  pinFromCall,
  readCalls,
  scoreOf,
  tryRules,
  verdictOf,
  type Asked,
} from './trial.ts'

export const draftRoutes: Route[] = [
  { method: 'post', path: '/rule-sets/call', handle: pinFromCall },
  { method: 'get', path: '/rule-sets/:id/draft', handle: showDraft },
  { method: 'post', path: '/rule-sets/:id/draft/call', handle: pinCall },
  { method: 'get', path: '/rule-sets/:id/draft/ask', handle: leadToDraft },
  { method: 'post', path: '/rule-sets/:id/draft/ask', handle: askOfDraft },
  { method: 'post', path: '/rule-sets/:id/draft/discard', handle: discard },
  { method: 'post', path: '/rule-sets/:id/draft/rules/:key/delete', handle: (context) => rearrange(context, remove) },
  { method: 'post', path: '/rule-sets/:id/draft/rules/:key/up', handle: (context) => rearrange(context, moveUp) },
  { method: 'post', path: '/rule-sets/:id/draft/rules/:key/down', handle: (context) => rearrange(context, moveDown) },
]

/** Only a form asks the model; other requests of its address show the draft. */
async function leadToDraft(context: PageContext): Promise<void> {
  redirect(context.ctx, draftOf(context))
}

const draftOf = ({ ctx }: PageContext): string => `/rule-sets/${ctx.params.id}/draft`

/** The rules to edit: those of the draft, or else the published ones. */
export const rulesOf = ({ draft, rules }: RuleSet): Rule[] => draft?.rules ?? rules ?? []

/** 0 without a draft: the first change creates it. */
export const revisionOf = ({ draft }: RuleSet): number => draft?.revision ?? 0

/** The rules as a form has seen them, to find changes by others since. */
export const fingerprintsOf = (rules: readonly Rule[]): string =>
  rules.map((rule) => `${rule.key}:${fingerprint(rule)}`).join(' ')

const fingerprint = (rule: Rule): string =>
  createHash('sha256').update(JSON.stringify(rule)).digest('base64url').slice(0, 8)

/** Limit of the rules that a form lists as seen; a set has at most 100. */
const MOST_SEEN = 200

/** The names of the rules that have changed since the form was loaded, each with its change. */
export function changedSince(seen: string, rules: readonly Rule[], { code, words }: Language): string[] {
  const t = words.ruleSets.change
  const before = new Map(seen.split(' ', MOST_SEEN).map((pair) => pair.split(':') as [string, string]))
  const now = rules.flatMap((rule) => {
    const was = before.get(rule.key)
    if (was === fingerprint(rule)) return []
    return [`${rule.name[code]} (${was === undefined ? t.added : t.changed})`]
  })
  const gone = [...before.keys()].filter((key) => key && !rules.some((rule) => rule.key === key))
  return [...now, ...gone.map((key) => `${key} (${t.removed})`)]
}

function showDraft(context: PageContext): Promise<void> {
  return renderDraft(context, async (rules) => ({ tried: await tryRules(context, rules) }))
}

/** The draft's verdicts of the model on the pinned call, once. */
async function askOfDraft(context: PageContext): Promise<void> {
  await readFields(context.ctx)
  await renderDraft(context, (rules) => askModel(context, rules))
}

async function renderDraft(context: PageContext, tryOut: (rules: Rule[]) => Promise<Asked>): Promise<void> {
  const [set, calls] = await Promise.all([loadEditable(context), readCalls(context)])
  const rules = rulesOf(set)
  const asked = calls.pinned ? await tryOut(rules) : { tried: undefined }
  const { tried } = asked
  const { language } = context
  const { words, format } = language
  const t = words.ruleSets
  const { draft } = set
  const by = draft?.author?.name
  await renderPage(context, 'rule-sets/draft', {
    title: `${t.draft.title}, ${set.name[language.code]}`,
    head: headOf(set, language),
    here: draftOf(context),
    sentOnce: context.ctx.method === 'POST',
    isDraft: draft !== null,
    revision: revisionOf(set),
    changed: draft && { by, at: { iso: draft.changedAt, text: format.shortTime(draft.changedAt) } },
    scored: set.mode === 'score',
    total: format.number(rules.length),
    rows: rules.map((rule) => ({
      line: ruleLine(rule, rules, language),
      href: `/rule-sets/${set.id}/draft/rules/${encodeURIComponent(rule.key)}`,
      tried: verdictOf(tried, rule, calls.pinned?.id, language),
    })),
    pinned: calls.pinned && callView(calls.pinned, language),
    offered: calls.offered.map((call) => callView(call, language)),
    whole: scoreOf(tried, language),
    model: modelOf(asked, language),
  })
}

async function discard(context: PageContext): Promise<void> {
  const fields = await readFields(context.ctx)
  const set = await loadEditable(context)
  const t = context.language.words.ruleSets
  const path = `${apiPath(context)}/draft?revision=${Number(fields.text('revision')) || 0}`
  const answer = await context.api.send('DELETE', path).catch(refusal(404, 409))
  if (answer instanceof ApiError) redirect(context.ctx, `/rule-sets/${set.id}/draft`, t.errors.stale)
  else redirect(context.ctx, set.rules ? `/rule-sets/${set.id}` : '/rule-sets', t.draft.discarded)
}

const remove = (rules: Rule[], index: number): Rule[] => rules.toSpliced(index, 1)
const moveUp = (rules: Rule[], index: number): Rule[] => moved(rules, index, index - 1)
const moveDown = (rules: Rule[], index: number): Rule[] => moved(rules, index, index + 1)

function moved(rules: Rule[], from: number, to: number): Rule[] {
  return to < 0 || to >= rules.length ? rules : rules.toSpliced(from, 1).toSpliced(to, 0, rules[from]!)
}

/** Deletes or moves a rule in the draft that the page has shown. */
async function rearrange(context: PageContext, change: (rules: Rule[], index: number) => Rule[]): Promise<void> {
  const fields = await readFields(context.ctx)
  const set = await loadEditable(context)
  const t = context.language.words.ruleSets
  const before = rulesOf(set)
  const index = before.findIndex(({ key }) => key === context.ctx.params.key)
  const rules = change(before, Math.max(0, index))
  const draft = `/rule-sets/${set.id}/draft`
  if (index < 0) return redirect(context.ctx, draft, t.errors.stale)
  const body = { revision: Number(fields.text('revision')), rules }
  const answer = await context.api.send('PUT', `${apiPath(context)}/draft`, body).catch(refusal(400, 409))
  if (!(answer instanceof ApiError))
    return redirect(context.ctx, `${draft}#rule-${encodeURIComponent(String(context.ctx.params.key))}`)
  const reasons = errorsOfRules(answer, -1, rules, context.language).others.join(' ')
  redirect(context.ctx, draft, answer.status === 409 ? t.errors.stale : reasons)
}
