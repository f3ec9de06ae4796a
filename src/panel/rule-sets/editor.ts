import type { Kind, Rule } from '../../analysis/rules/types.ts'
import type { TriedJson } from '../../backtests/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, seeOther, type PageContext, type Route } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import { changedSince, fingerprintsOf, revisionOf, rulesOf } from './draft.ts'
import { keyOf } from './keys.ts'
import { faultsOfRules, fieldsOfRule, groupCount, isKind, KINDS, partsOf, ruleOf } from './rule-form.ts'
import { ruleLine, type RuleLine } from './sentence.ts'
import { apiPath, headOf, loadEditable, type RuleSet } from './set.ts'
import { callView, readCalls, scoreOf, tryRules, verdictOf } from './trial.ts'

/** The form of one rule of the draft, that of a new one under /draft/new. */
export const editorRoutes: Route[] = ['/rule-sets/:id/draft/new', '/rule-sets/:id/draft/rules/:key'].flatMap(
  (path): Route[] => [
    { method: 'get', path, handle: showRule },
    { method: 'post', path, handle: saveRule },
    { method: 'post', path: `${path}/fields`, handle: showFields },
    { method: 'post', path: `${path}/try`, handle: tryTyped },
  ],
)

/** The set, its rules as one edits them, and which of them the address names; a new one comes last. */
interface Edited {
  set: RuleSet
  rules: Rule[]
  rule: Rule | undefined
  place: number
}

async function loadRule(context: PageContext): Promise<Edited> {
  const { set } = await loadEditable(context)
  const { key } = context.ctx.params
  const rules = rulesOf(set)
  const place = key === undefined ? rules.length : rules.findIndex((rule) => rule.key === key)
  // Of a form whose rule somebody has taken away meanwhile nothing is lost: it is added again.
  if (place < 0 && context.ctx.method === 'GET') throw new PageError(404)
  return { set, rules, rule: rules[place], place: place < 0 ? rules.length : place }
}

async function showRule(context: PageContext): Promise<void> {
  const edited = await loadRule(context)
  const { rule, rules, set } = edited
  const wanted = String(context.ctx.query.kind ?? '')
  const blank = Fields.of({
    kind: isKind(wanted) ? wanted : 'said',
    side: 'agent',
    window: 'none',
    mono: 'usual',
    weight: 5,
  })
  const form = freshForm(withSeen(rule ? fieldsOfRule(rule) : blank, set))
  const tried = rule && (await tryRules(context, rules))
  await renderRule(context, edited, form, { tried })
}

/** The form as one goes on with it: from the draft as it is now. */
const withSeen = (fields: Fields, set: RuleSet): Fields =>
  fields.with('revision', String(revisionOf(set))).with('seen', fingerprintsOf(rulesOf(set)))

/** What a form holds, of a kind that there is. @throws PageError 400 */
async function readTyped({ ctx }: PageContext): Promise<Fields> {
  const fields = await readFields(ctx)
  if (!isKind(fields.text('kind'))) throw new PageError(400)
  return fields
}

/** The rule that was typed, and all rules with it. */
function typedRules({ set, rules, rule, place }: Edited, fields: Fields, key?: string): { typed: Rule; all: Rule[] } {
  const names = new Set(rules.map((one) => one.key))
  const named = (which: number): string => keyOf(fields.text('name.en') || fields.text('name.ru'), 'rule', which)
  const free = () => Array.from({ length: 102 }, (_, n) => named(n + 1)).find((name) => !names.has(name))!
  const typed = ruleOf(fields, rule?.key ?? key ?? free(), set.mode === 'score')
  return { typed, all: rules.toSpliced(place, rule ? 1 : 0, typed) }
}

async function saveRule(context: PageContext): Promise<void> {
  const fields = await readTyped(context)
  const edited = await loadRule(context)
  const { set, rules } = edited
  const { typed, all } = typedRules(edited, fields, context.ctx.params.key as string | undefined)
  if (Number(fields.text('revision')) !== revisionOf(set)) return showConflict(context, edited, fields)
  try {
    await context.api.send('PUT', `${apiPath(context)}/draft`, { revision: revisionOf(set), rules: all })
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
    if (error.status === 409) return showConflict(context, await loadRule(context), fields)
    const { errors, others } = faultsOfRules(error, edited.place, [...rules, typed], context.language)
    context.ctx.status = 400
    const fault = others.join(' ') || context.language.words.rules.notFaulty
    return renderRule(context, edited, { values: fields, errors, fault })
  }
  const draft = `/rule-sets/${set.id}/draft`
  const more = fields.has('again') ? `${draft}/rules/${encodeURIComponent(typed.key)}` : `${draft}#rule-${typed.key}`
  seeOther(context.ctx, more, context.language.words.ruleSets.draft.saved)
}

/** Somebody else was quicker: what they did is named, and what was typed stays to be saved on top of it. */
async function showConflict(context: PageContext, edited: Edited, fields: Fields): Promise<void> {
  const { set, rules, rule } = edited
  const { language } = context
  const t = language.words.ruleSets.draft
  const changed = changedSince(fields.text('seen'), rules, language)
  const who = set.draft?.author?.name ?? t.somebody
  const seen = fields.text('seen').split(' ')
  const touched = rule && !seen.includes(fingerprintsOf([rule]))
  context.ctx.status = 409
  const fault = `${set.draft ? t.conflict(who, changed.join(', ')) : t.gone} ${t.nothingLost}`
  await renderRule(
    context,
    edited,
    { values: withSeen(fields, set), errors: {}, fault },
    { theirs: touched ? ruleLine(rule, rules, language) : undefined },
  )
}

/** The form of another kind, with what was typed so far. */
async function showFields(context: PageContext): Promise<void> {
  const fields = await readTyped(context)
  await renderRule(context, await loadRule(context), freshForm(fields))
}

/** What the rule as it is typed makes of the pinned call; nothing is stored. */
async function tryTyped(context: PageContext): Promise<void> {
  const fields = await readTyped(context)
  const edited = await loadRule(context)
  const { typed, all } = typedRules(edited, fields)
  const form = freshForm(fields)
  try {
    await renderRule(context, edited, form, { tried: await tryRules(context, all), typed })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
    // While one types, rules are often not whole yet: that is said, and no fault of the page.
    const { errors, others } = faultsOfRules(error, edited.place, all, context.language)
    await renderRule(context, edited, { ...form, errors }, { typed, unfinished: [...Object.values(errors), ...others] })
  }
}

interface Shown {
  tried?: TriedJson | undefined
  /** The rule as it is typed. */
  typed?: Rule
  /** What is still wrong with it. */
  unfinished?: string[]
  /** The rule as somebody else has left it. */
  theirs?: RuleLine | undefined
}

async function renderRule(context: PageContext, edited: Edited, form: Form, more: Shown = {}): Promise<void> {
  const { set, rule, rules, place } = edited
  const { language } = context
  const { words, code } = language
  const t = words.ruleSets
  const kind = form.values.text('kind') as Kind
  const { pinned } = await readCalls(context)
  const base = `/rule-sets/${set.id}/draft`
  const line = more.typed ?? rule
  const trial = {
    line: line && ruleLine(line, rules.toSpliced(place, rule ? 1 : 0, line), language),
    pinned: pinned && callView(pinned, language),
    tried: line && verdictOf(more.tried, line, pinned?.id, language),
    whole: scoreOf(more.tried, language),
    unfinished: more.unfinished ?? [],
  }
  if (isRefresh(context.ctx)) return renderParts(context, ['rule-sets/_trial'], { trial })
  const parts = partsOf(kind)
  renderPage(context, 'rule-sets/rule', {
    title: `${rule?.name[code] ?? t.draft.newRule}, ${set.name[code]}`,
    heading: rule?.name[code] ?? t.draft.newRule,
    head: headOf(set, language),
    scripts: ['rule-sets.js'],
    draft: base,
    action: rule ? `${base}/rules/${encodeURIComponent(rule.key)}` : `${base}/new`,
    edited: rule,
    isFirst: place === 0,
    isLast: place === rules.length - 1,
    revision: revisionOf(set),
    scored: set.mode === 'score',
    form,
    kind,
    kinds: KINDS.map((value) => ({ value, text: t.kinds[value] })),
    has: (part: string) => parts.includes(part),
    groups: groupCount(form.values, kind),
    languages: code === 'ru' ? ['ru', 'en'] : ['en', 'ru'],
    otherRules: rules.filter((one) => one !== rule).map((one) => ({ value: one.key, text: one.name[code] })),
    theirs: more.theirs,
    trial,
  })
}
