import { RULE_KIND_NAMES } from '../../check/rules/values.ts'
import type { RuleKindName, Rule } from '../../check/rules/types.ts'
import { ApiError } from '../frame/api-client.ts'
import {
  isPartialRefresh,
  renderPage,
  renderPageParts,
  redirect,
  type PageContext,
  type PanelRoute,
} from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import { describeRuleChangesSince, formatRuleFingerprints, getDraftRevision, getEditableRules } from './draft.ts'
import { formatNameAsKey } from './keys.ts'
import { isRuleKind, RULE_KIND_VIEWS } from './kind-views.ts'
import {
  parseChangedRuleForm,
  splitRuleErrors,
  buildRuleFormFields,
  countPhraseGroupFields,
  parseRuleForm,
} from './rule-form.ts'
import { buildRuleLine, type RuleLine } from './sentence.ts'
import { formatRuleSetApiPath, buildRuleSetHead, fetchEditableRuleSet, type RuleSetWithRules } from './rule-set.ts'
import { fetchTrialCallChooser } from './call-chooser.ts'
import { fetchPinnedCall, getPinnedCallId, setPinnedCall } from './pinned-call.ts'
import {
  fetchDraftTrialWithModel,
  buildTrialCallView,
  buildTrialModelView,
  buildTrialScoreView,
  fetchDraftTrial,
  buildTrialVerdictView,
  type DraftTrial,
} from './trial.ts'

/** Routes of the form that edits one rule of the draft. /draft/new adds a rule. */
export const ruleEditorRoutes: PanelRoute[] = ['/rule-sets/:id/draft/new', '/rule-sets/:id/draft/rules/:key'].flatMap(
  (path): PanelRoute[] => [
    { method: 'get', path, handle: showRule },
    { method: 'post', path, handle: saveRule },
    ...['fields', 'try', 'ask'].map((name): PanelRoute => ({
      method: 'get',
      path: `${path}/${name}`,
      handle: redirectToRule,
    })),
    { method: 'get', path: `${path}/calls`, handle: findCallsForRule },
    { method: 'post', path: `${path}/fields`, handle: showFields },
    { method: 'post', path: `${path}/try`, handle: (context) => tryTypedRule(context, tryByPhrases) },
    { method: 'post', path: `${path}/ask`, handle: (context) => tryTypedRule(context, fetchDraftTrialWithModel) },
  ],
)

/** Only forms send requests to these addresses. Redirects a GET to the form of the rule. */
async function redirectToRule({ ctx }: PageContext): Promise<void> {
  redirect(ctx, ctx.path.slice(0, ctx.path.lastIndexOf('/')))
}

/** Renders only the list of calls beside the form, so that the form keeps the typed rule. */
async function findCallsForRule(context: PageContext): Promise<void> {
  const { ctx } = context
  if (!isPartialRefresh(ctx)) return redirectToRule(context)
  const action = ctx.path.slice(0, ctx.path.lastIndexOf('/'))
  await renderPageParts(context, ['rule-sets/_call-chooser'], {
    chooser: await fetchTrialCallChooser(context, String(ctx.query.find ?? '').trim()),
    draft: `/rule-sets/${ctx.params.id}/draft`,
    action,
    calls: ctx.path,
    pinnedId: getPinnedCallId(context),
  })
}

/** The rule set and the rule whose key is in the address. For a new or deleted rule, `index` is the number of rules. */
interface EditedRule {
  set: RuleSetWithRules
  rules: Rule[]
  rule: Rule | undefined
  index: number
}

async function fetchEditedRule(context: PageContext): Promise<EditedRule> {
  const set = await fetchEditableRuleSet(context)
  const { key } = context.ctx.params
  const rules = getEditableRules(set)
  const index = key === undefined ? rules.length : rules.findIndex((rule) => rule.key === key)
  // If the rule was deleted in the meantime, saving adds it again, so that no input is lost.
  if (index < 0 && context.ctx.method === 'GET') throw new PageError(404)
  return { set, rules, rule: rules[index], index: index < 0 ? rules.length : index }
}

async function showRule(context: PageContext): Promise<void> {
  const edited = await fetchEditedRule(context)
  const { rule, rules, set } = edited
  const requestedKind = String(context.ctx.query.kind ?? '')
  const emptyFields = FormValues.of({
    kind: isRuleKind(requestedKind) ? requestedKind : 'said',
    side: 'agent',
    window: 'none',
    mono: 'usual',
    weight: 5,
  })
  const form = createFormState(addRevision(rule ? buildRuleFormFields(rule) : emptyFields, set))
  await renderRule(context, edited, form, rule ? await tryByPhrases(context, rules) : {})
}

/** Adds the revision and the fingerprints of the current draft to the form, so that saving can detect later changes. */
const addRevision = (fields: FormValues, set: RuleSetWithRules): FormValues =>
  fields.with('revision', String(getDraftRevision(set))).with('seen', formatRuleFingerprints(getEditableRules(set)))

/** Parses the posted form of a rule. @throws PageError 400 for an unknown rule kind */
async function parseRuleFields({ ctx }: PageContext): Promise<FormValues> {
  const fields = await parsePostedForm(ctx)
  if (!isRuleKind(fields.text('kind'))) throw new PageError(400)
  return fields
}

function applyTypedRule(
  { set, rules, rule, index }: EditedRule,
  fields: FormValues,
  key?: string,
): { typed: Rule; all: Rule[] } {
  const names = new Set(rules.map((one) => one.key))
  const formatRuleKey = (number: number): string =>
    formatNameAsKey(fields.text('name.en') || fields.text('name.ru'), 'rule', number)
  const findFreeKey = () =>
    Array.from({ length: 102 }, (_, n) => formatRuleKey(n + 1)).find((name) => !names.has(name))!
  const scored = set.mode === 'score'
  const typed = rule ? parseChangedRuleForm(rule, fields, scored) : parseRuleForm(fields, key ?? findFreeKey(), scored)
  return { typed, all: rules.toSpliced(index, rule ? 1 : 0, typed) }
}

async function saveRule(context: PageContext): Promise<void> {
  const fields = await parseRuleFields(context)
  const edited = await fetchEditedRule(context)
  const { set, rules } = edited
  const { typed, all } = applyTypedRule(edited, fields, context.ctx.params.key as string | undefined)
  if (Number(fields.text('revision')) !== getDraftRevision(set)) return showConflict(context, edited, fields)
  try {
    await context.api.send('PUT', `${formatRuleSetApiPath(context)}/draft`, {
      revision: getDraftRevision(set),
      rules: all,
    })
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
    if (error.status === 409) return showConflict(context, await fetchEditedRule(context), fields)
    const { errors, others } = splitRuleErrors(error, edited.index, [...rules, typed], context.language)
    context.ctx.status = 400
    const errorMessage = others.join(' ') || context.language.words.rules.notAccepted
    return renderRule(context, edited, { values: fields, errors, error: errorMessage })
  }
  const draft = `/rule-sets/${set.id}/draft`
  const more = fields.has('again') ? `${draft}/rules/${encodeURIComponent(typed.key)}` : `${draft}#rule-${typed.key}`
  redirect(context.ctx, more, context.language.words.ruleSets.draft.saved)
}

/** Shows what another person changed. Keeps the typed rule; saving it again replaces only this rule in the changed draft. */
async function showConflict(context: PageContext, edited: EditedRule, fields: FormValues): Promise<void> {
  const { set, rules, rule } = edited
  const { language } = context
  const t = language.words.ruleSets.draft
  const changed = describeRuleChangesSince(fields.text('seen'), rules, language)
  const author = set.draft?.author?.name ?? t.somebody
  const seenFingerprints = fields.text('seen').split(' ')
  const isRuleChanged = rule && !seenFingerprints.includes(formatRuleFingerprints([rule]))
  context.ctx.status = 409
  const errorMessage = `${set.draft ? t.conflict(author, changed.join(', ')) : t.gone} ${t.nothingLost}`
  await renderRule(
    context,
    edited,
    { values: addRevision(fields, set), errors: {}, error: errorMessage },
    { conflictingRule: isRuleChanged ? buildRuleLine(rule, rules, language) : undefined },
  )
}

async function showFields(context: PageContext): Promise<void> {
  const fields = await parseRuleFields(context)
  await renderRule(context, await fetchEditedRule(context), createFormState(fields))
}

type RunTrial = (context: PageContext, rules: Rule[]) => Promise<DraftTrial>

const tryByPhrases: RunTrial = async (context, rules) => ({ tried: await fetchDraftTrial(context, rules) })

/** Tests the typed rule on the pinned call without storing it. */
async function tryTypedRule(context: PageContext, runTrial: RunTrial): Promise<void> {
  const fields = await parseRuleFields(context)
  if (fields.has('call')) setPinnedCall(context, fields.text('call'))
  const edited = await fetchEditedRule(context)
  const { typed, all } = applyTypedRule(edited, fields)
  const sentOnce = runTrial === fetchDraftTrialWithModel
  // The page already shows the model's result for this rule. A trial without the model would replace it.
  if (!sentOnce && fields.text('asked') === formatRuleFingerprints([typed])) {
    context.ctx.status = 204
    return
  }
  const form = createFormState(fields)
  try {
    await renderRule(context, edited, form, { ...(await runTrial(context, all)), typed, sentOnce })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
    // Typed rules are often incomplete, so the page shows their problems with status 200.
    const { errors, others } = splitRuleErrors(error, edited.index, all, context.language)
    await renderRule(context, edited, { ...form, errors }, { typed, unfinished: [...Object.values(errors), ...others] })
  }
}

interface RuleViewOptions extends Partial<DraftTrial> {
  typed?: Rule
  /** True if reloading the page must not send the form again. */
  sentOnce?: boolean
  /** Problems that belong to no field. */
  unfinished?: string[]
  /** The rule as another person has changed it meanwhile. */
  conflictingRule?: RuleLine | undefined
}

async function renderRule(
  context: PageContext,
  edited: EditedRule,
  form: FormState,
  more: RuleViewOptions = {},
): Promise<void> {
  const { set, rule, rules, index } = edited
  const { language } = context
  const { words, code } = language
  const t = words.ruleSets
  const kind = form.values.text('kind') as RuleKindName
  const pinned = await fetchPinnedCall(context)
  const base = `/rule-sets/${set.id}/draft`
  const action = rule ? `${base}/rules/${encodeURIComponent(rule.key)}` : `${base}/new`
  const line = more.typed ?? rule
  const trial = {
    line: line && buildRuleLine(line, rules.toSpliced(index, rule ? 1 : 0, line), language),
    pinned: pinned && buildTrialCallView(pinned, language),
    tried: line && buildTrialVerdictView(more.tried, line, pinned?.id, language),
    whole: buildTrialScoreView(more.tried, language),
    model: buildTrialModelView({ tried: more.tried, ...more }, language),
    ask: `${action}/ask`,
    asked: more.sentOnce && line ? formatRuleFingerprints([line]) : undefined,
    unfinished: more.unfinished ?? [],
  }
  if (isPartialRefresh(context.ctx)) return renderPageParts(context, ['rule-sets/_trial'], { trial })
  const { form: parts, unit } = RULE_KIND_VIEWS[kind]
  await renderPage(context, 'rule-sets/rule', {
    title: `${rule?.name[code] ?? t.draft.newRule}, ${set.name[code]}`,
    heading: rule?.name[code] ?? t.draft.newRule,
    head: buildRuleSetHead(set, language),
    scripts: ['rule-sets.js'],
    here: rule ? action : `${action}?kind=${kind}`,
    sentOnce: more.sentOnce,
    draft: base,
    action,
    edited: rule,
    isFirst: index === 0,
    isLast: index === rules.length - 1,
    revision: getDraftRevision(set),
    scored: set.mode === 'score',
    form,
    kind,
    kinds: RULE_KIND_NAMES.map((value) => ({ value, text: t.kinds[value].title })),
    unit: unit && `, ${unit[code]}`,
    has: (part: (typeof parts)[number]) => parts.includes(part),
    groups: countPhraseGroupFields(form.values, kind),
    languages: code === 'ru' ? ['ru', 'en'] : ['en', 'ru'],
    otherRules: rules.filter((one) => one !== rule).map((one) => ({ value: one.key, text: one.name[code] })),
    theirs: more.conflictingRule,
    trial,
    chooser: await fetchTrialCallChooser(context, ''),
    calls: `${action}/calls`,
    pinnedId: pinned?.id,
  })
}
