import { KINDS } from '../../check/rules/values.ts'
import type { Kind, Rule } from '../../check/rules/types.ts'
import { ApiError } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, redirect, type PageContext, type Route } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import { changedSince, fingerprintsOf, revisionOf, rulesOf } from './draft.ts'
import { keyOf } from './keys.ts'
import { isKind, KIND_VIEWS } from './kind-views.ts'
import { changedRule, errorsOfRules, fieldsOfRule, groupCount, ruleOf } from './rule-form.ts'
import { ruleLine, type RuleLine } from './sentence.ts'
import { apiPath, headOf, loadEditable, type RuleSet } from './set.ts'
import { askModel, callView, modelOf, readCalls, scoreOf, tryRules, verdictOf, type Asked } from './trial.ts'

/** The form of one rule of the draft; of a new one under /draft/new. */
export const editorRoutes: Route[] = ['/rule-sets/:id/draft/new', '/rule-sets/:id/draft/rules/:key'].flatMap(
  (path): Route[] => [
    { method: 'get', path, handle: showRule },
    { method: 'post', path, handle: saveRule },
    ...['fields', 'try', 'ask'].map((name): Route => ({ method: 'get', path: `${path}/${name}`, handle: leadToRule })),
    { method: 'post', path: `${path}/fields`, handle: showFields },
    { method: 'post', path: `${path}/try`, handle: (context) => tryTyped(context, byWords) },
    { method: 'post', path: `${path}/ask`, handle: (context) => tryTyped(context, askModel) },
  ],
)

/** These addresses belong to forms; other requests show the stored rule. */
async function leadToRule({ ctx }: PageContext): Promise<void> {
  redirect(ctx, ctx.path.slice(0, ctx.path.lastIndexOf('/')))
}

/** The set, its rules to edit, and the one in the address; a new one comes last. */
interface Edited {
  set: RuleSet
  rules: Rule[]
  rule: Rule | undefined
  index: number
}

async function loadRule(context: PageContext): Promise<Edited> {
  const set = await loadEditable(context)
  const { key } = context.ctx.params
  const rules = rulesOf(set)
  const index = key === undefined ? rules.length : rules.findIndex((rule) => rule.key === key)
  // If somebody has deleted the rule meanwhile, the form loses nothing: it adds the rule again.
  if (index < 0 && context.ctx.method === 'GET') throw new PageError(404)
  return { set, rules, rule: rules[index], index: index < 0 ? rules.length : index }
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
  await renderRule(context, edited, form, rule ? await byWords(context, rules) : {})
}

/** The form for further editing: from the current draft. */
const withSeen = (fields: Fields, set: RuleSet): Fields =>
  fields.with('revision', String(revisionOf(set))).with('seen', fingerprintsOf(rulesOf(set)))

/** The fields of a form for an existing kind. @throws PageError 400 */
async function readTyped({ ctx }: PageContext): Promise<Fields> {
  const fields = await readFields(ctx)
  if (!isKind(fields.text('kind'))) throw new PageError(400)
  return fields
}

function typedRules({ set, rules, rule, index }: Edited, fields: Fields, key?: string): { typed: Rule; all: Rule[] } {
  const names = new Set(rules.map((one) => one.key))
  const named = (which: number): string => keyOf(fields.text('name.en') || fields.text('name.ru'), 'rule', which)
  const free = () => Array.from({ length: 102 }, (_, n) => named(n + 1)).find((name) => !names.has(name))!
  const scored = set.mode === 'score'
  const typed = rule ? changedRule(rule, fields, scored) : ruleOf(fields, key ?? free(), scored)
  return { typed, all: rules.toSpliced(index, rule ? 1 : 0, typed) }
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
    const { errors, others } = errorsOfRules(error, edited.index, [...rules, typed], context.language)
    context.ctx.status = 400
    const said = others.join(' ') || context.language.words.rules.notAccepted
    return renderRule(context, edited, { values: fields, errors, error: said })
  }
  const draft = `/rule-sets/${set.id}/draft`
  const more = fields.has('again') ? `${draft}/rules/${encodeURIComponent(typed.key)}` : `${draft}#rule-${typed.key}`
  redirect(context.ctx, more, context.language.words.ruleSets.draft.saved)
}

/** Somebody else was faster: shows their change, and keeps the typed values to be saved on top of it. */
async function showConflict(context: PageContext, edited: Edited, fields: Fields): Promise<void> {
  const { set, rules, rule } = edited
  const { language } = context
  const t = language.words.ruleSets.draft
  const changed = changedSince(fields.text('seen'), rules, language)
  const who = set.draft?.author?.name ?? t.somebody
  const seen = fields.text('seen').split(' ')
  const touched = rule && !seen.includes(fingerprintsOf([rule]))
  context.ctx.status = 409
  const said = `${set.draft ? t.conflict(who, changed.join(', ')) : t.gone} ${t.nothingLost}`
  await renderRule(
    context,
    edited,
    { values: withSeen(fields, set), errors: {}, error: said },
    { theirs: touched ? ruleLine(rule, rules, language) : undefined },
  )
}

async function showFields(context: PageContext): Promise<void> {
  const fields = await readTyped(context)
  await renderRule(context, await loadRule(context), freshForm(fields))
}

type TryOut = (context: PageContext, rules: Rule[]) => Promise<Asked>

const byWords: TryOut = async (context, rules) => ({ tried: await tryRules(context, rules) })

/** Tries the typed rule on the pinned call; stores nothing. */
async function tryTyped(context: PageContext, tryOut: TryOut): Promise<void> {
  const fields = await readTyped(context)
  const edited = await loadRule(context)
  const { typed, all } = typedRules(edited, fields)
  const sentOnce = tryOut === askModel
  // The result for the last typed words arrives after the model's answer, and must not replace it.
  if (!sentOnce && fields.text('asked') === fingerprintsOf([typed])) {
    context.ctx.status = 204
    return
  }
  const form = freshForm(fields)
  try {
    await renderRule(context, edited, form, { ...(await tryOut(context, all)), typed, sentOnce })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
    // Rules are often incomplete while people type: show that as a hint, not as an error.
    const { errors, others } = errorsOfRules(error, edited.index, all, context.language)
    await renderRule(context, edited, { ...form, errors }, { typed, unfinished: [...Object.values(errors), ...others] })
  }
}

interface Shown extends Partial<Asked> {
  typed?: Rule
  /** Whether reloading the page must not send the form again. */
  sentOnce?: boolean
  /** The remaining problems. */
  unfinished?: string[]
  /** The rule as changed by somebody else. */
  theirs?: RuleLine | undefined
}

async function renderRule(context: PageContext, edited: Edited, form: Form, more: Shown = {}): Promise<void> {
  const { set, rule, rules, index } = edited
  const { language } = context
  const { words, code } = language
  const t = words.ruleSets
  const kind = form.values.text('kind') as Kind
  const { pinned } = await readCalls(context)
  const base = `/rule-sets/${set.id}/draft`
  const action = rule ? `${base}/rules/${encodeURIComponent(rule.key)}` : `${base}/new`
  const line = more.typed ?? rule
  const trial = {
    line: line && ruleLine(line, rules.toSpliced(index, rule ? 1 : 0, line), language),
    pinned: pinned && callView(pinned, language),
    tried: line && verdictOf(more.tried, line, pinned?.id, language),
    whole: scoreOf(more.tried, language),
    model: modelOf({ tried: more.tried, ...more }, language),
    ask: `${action}/ask`,
    asked: more.sentOnce && line ? fingerprintsOf([line]) : undefined,
    unfinished: more.unfinished ?? [],
  }
  if (isRefresh(context.ctx)) return renderParts(context, ['rule-sets/_trial'], { trial })
  const { form: parts, unit } = KIND_VIEWS[kind]
  await renderPage(context, 'rule-sets/rule', {
    title: `${rule?.name[code] ?? t.draft.newRule}, ${set.name[code]}`,
    heading: rule?.name[code] ?? t.draft.newRule,
    head: headOf(set, language),
    scripts: ['rule-sets.js'],
    here: rule ? action : `${action}?kind=${kind}`,
    sentOnce: more.sentOnce,
    draft: base,
    action,
    edited: rule,
    isFirst: index === 0,
    isLast: index === rules.length - 1,
    revision: revisionOf(set),
    scored: set.mode === 'score',
    form,
    kind,
    kinds: KINDS.map((value) => ({ value, text: t.kinds[value].title })),
    unit: unit && `, ${unit[code]}`,
    has: (part: (typeof parts)[number]) => parts.includes(part),
    groups: groupCount(form.values, kind),
    languages: code === 'ru' ? ['ru', 'en'] : ['en', 'ru'],
    otherRules: rules.filter((one) => one !== rule).map((one) => ({ value: one.key, text: one.name[code] })),
    theirs: more.theirs,
    trial,
  })
}
