import type { RuleSetScope, Rule } from '../../check/rules/types.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import { CALL_DIRECTIONS } from '../../calls/recordings/values.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type LoggedInPerson, type PanelRoute } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { fetchVisibleDepartments, fetchAllItems } from '../frame/fetch-all.ts'
import { formatNameAsKey } from './keys.ts'
import {
  formatRuleSetApiPath,
  buildRuleSetHead,
  fetchEditableRuleSet,
  rejectManagerRole,
  type RuleSetWithRules,
} from './rule-set.ts'
import { ruleSetWords } from './words.ts'

export const ruleSetSettingsRoutes: PanelRoute[] = [
  { method: 'get', path: '/rule-sets/new', handle: showNew },
  { method: 'post', path: '/rule-sets/new', handle: createRuleSet },
  { method: 'get', path: '/rule-sets/:id/settings', handle: showSettings },
  { method: 'post', path: '/rule-sets/:id/settings', handle: changeSettings },
]

const FORM_FIELDS = [
  'name.en',
  'name.ru',
  'applies.direction',
  'applies.departmentIds',
  'applies.minDurationSeconds',
].concat(['applies.minWords', 'key', 'copyOf'])

interface FormContext {
  person: LoggedInPerson
  departments: DepartmentJson[]
  sets: RuleSetSummaryJson[]
}

async function fetchFormContext(context: PageContext): Promise<FormContext> {
  rejectManagerRole(context)
  const { person } = context
  const [departments, sets] = await Promise.all([
    fetchVisibleDepartments(context),
    fetchAllItems<RuleSetSummaryJson>(context.api, '/v1/rule-sets'),
  ])
  return { person, departments, sets }
}

async function showNew(context: PageContext): Promise<void> {
  const formContext = await fetchFormContext(context)
  const copyOf = formContext.sets.find(({ id }) => id === context.ctx.query.copyOf)
  await renderForm(
    context,
    formContext,
    createFormState(copyOf ? buildCopyFields(copyOf, formContext.person) : buildNewFields(formContext.person)),
  )
}

/** Returns the departments of a head, who can create rule sets only for them; none for an owner. */
const listOwnDepartmentIds = ({ role, departments }: LoggedInPerson): string[] =>
  role === 'head' ? departments.map(({ id }) => id) : []

const buildNewFields = (person: LoggedInPerson): FormValues =>
  FormValues.of({ begin: 'score', 'applies.departmentIds': listOwnDepartmentIds(person) })

function buildCopyFields(set: RuleSetSummaryJson, person: LoggedInPerson): FormValues {
  const departmentIds = person.role === 'head' ? listOwnDepartmentIds(person) : set.applies.departmentIds
  const { copyName } = ruleSetWords
  const name = { en: copyName.en(set.name.en), ru: copyName.ru(set.name.ru) }
  return buildSettingsFields({ name, applies: { ...set.applies, departmentIds } }).with('begin', set.id)
}

function buildSettingsFields({ name, applies }: Pick<RuleSetSummaryJson, 'name' | 'applies'>): FormValues {
  return FormValues.of({
    'name.en': name.en,
    'name.ru': name.ru,
    'applies.direction': (applies.direction ?? []).map((one) => one ?? 'none'),
    'applies.departmentIds': applies.departmentIds ?? [],
    'applies.minDurationSeconds': applies.minDurationSeconds,
    'applies.minWords': applies.minWords,
  })
}

/** Parses a name in both languages. A missing name gets the text of the other language. */
export function parseTranslatedName(fields: FormValues): { en: string; ru: string } {
  const [en, ru] = [fields.text('name.en'), fields.text('name.ru')]
  return { en: en || ru, ru: ru || en }
}

/**
 * Parses a number with a decimal point or comma. An empty text becomes undefined; other text stays unchanged, so that the API
 * rejects it.
 */
export const parseNumberField = (text: string): number | string | undefined => {
  const value = Number(text.replace(',', '.'))
  return text === '' ? undefined : Number.isNaN(value) ? text : value
}

function parseApplies(fields: FormValues): RuleSetScope {
  const direction = fields.allValues('applies.direction').map((one) => (one === 'none' ? null : one))
  const seconds = parseNumberField(fields.text('applies.minDurationSeconds'))
  const words = parseNumberField(fields.text('applies.minWords'))
  return {
    ...(direction.length > 0 && { direction }),
    departmentIds: fields.allValues('applies.departmentIds'),
    ...(seconds !== undefined && { minDurationSeconds: seconds }),
    ...(words !== undefined && { minWords: words }),
  } as RuleSetScope
}

/** Creates an example rule for a new set, because the API requires at least one rule. */
function createStarterRule(mode: 'score' | 'label', { words }: Language): Rule {
  const name = words.ruleSets.starter[mode]
  const translatedName = { en: name, ru: name }
  return mode === 'score'
    ? {
        key: 'greeting',
        name: translatedName,
        kind: 'said',
        side: 'agent',
        window: { first: 20 },
        any: { ru: ['здравствуйте', 'добрый день'], en: ['hello', 'good morning'] },
        weight: 10,
      }
    : {
        key: 'price',
        name: translatedName,
        kind: 'said',
        side: 'client',
        any: { ru: ['дорого'], en: ['too expensive'] },
      }
}

async function createRuleSet(context: PageContext): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const formContext = await fetchFormContext(context)
  const template = fields.text('begin')
  const name = parseTranslatedName(fields)
  const initialRules =
    template === 'score' || template === 'label'
      ? { mode: template, rules: [createStarterRule(template, context.language)] }
      : { copyOf: template }
  try {
    const body = { name, applies: parseApplies(fields), ...initialRules }
    const ruleSet = await createWithFreeKey(context, body)
    redirect(context.ctx, `/rule-sets/${ruleSet.id}/draft`, context.language.words.ruleSets.created)
  } catch (error) {
    await renderErrors(context, formContext, fields, error)
  }
}

/** Derives the key from the name. If another set has the key, appends a number. Makes at most 20 attempts. */
async function createWithFreeKey(
  context: PageContext,
  body: object & { name: Rule['name'] },
): Promise<RuleSetWithRules> {
  for (let attempt = 1; ; attempt++) {
    try {
      const key = formatNameAsKey(body.name.en, 'set', attempt)
      return (await context.api.send<RuleSetWithRules>('POST', '/v1/rule-sets', { key, ...body })).body
    } catch (error) {
      const isTaken = error instanceof ApiError && error.status === 409
      if (!isTaken || attempt >= 20) throw error
    }
  }
}

async function showSettings(context: PageContext): Promise<void> {
  const [set, formContext] = await Promise.all([fetchEditableRuleSet(context), fetchFormContext(context)])
  await renderForm(context, formContext, createFormState(buildSettingsFields(set)), set)
}

async function changeSettings(context: PageContext): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const [set, formContext] = await Promise.all([fetchEditableRuleSet(context), fetchFormContext(context)])
  const changes = { name: parseTranslatedName(fields), applies: parseApplies(fields) }
  try {
    await context.api.send('PATCH', formatRuleSetApiPath(context), changes)
    redirect(context.ctx, `/rule-sets/${set.id}`, context.language.words.ruleSets.saved)
  } catch (error) {
    await renderErrors(context, formContext, fields, error, set)
  }
}

async function renderErrors(
  context: PageContext,
  formContext: FormContext,
  fields: FormValues,
  error: unknown,
  set?: RuleSetWithRules,
): Promise<void> {
  const form = createFormWithErrors(error, fields, FORM_FIELDS, context.language)
  context.ctx.status = (error as { status: number }).status
  await renderForm(context, formContext, form, set)
}

async function renderForm(
  context: PageContext,
  { person, departments, sets }: FormContext,
  form: FormState,
  set?: RuleSetWithRules,
): Promise<void> {
  const { language } = context
  const t = language.words.ruleSets
  const ownDepartmentIds = person.departments.map(({ id }) => id)
  const offered = person.role === 'owner' ? departments : departments.filter(({ id }) => ownDepartmentIds.includes(id))
  await renderPage(context, 'rule-sets/form', {
    title: set ? `${t.settings}, ${set.name[language.code]}` : t.newTitle,
    heading: set ? t.settings : t.newTitle,
    head: set && buildRuleSetHead(set, language),
    edited: set,
    form,
    names: language.code === 'ru' ? ['ru', 'en'] : ['en', 'ru'],
    beginnings: [
      ...(['score', 'label'] as const).map((mode) => ({ value: mode, text: t.beginnings[mode] })),
      ...sets
        .filter(({ version, hasDraft }) => version !== null || hasDraft)
        .map(({ id, name }) => ({
          value: id,
          text: t.copyOf(name[language.code]),
        })),
    ],
    directions: ([...CALL_DIRECTIONS, 'none'] as const).map((value) => ({
      value,
      text: t.applies.directions[value],
    })),
    departments: offered.map(({ id, name }) => ({ value: id, text: name })),
    departmentsHint: person.role === 'owner' ? t.departmentsHint : undefined,
  })
}
