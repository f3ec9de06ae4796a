import type { Applies, Rule } from '../../check/rules/types.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import { DIRECTIONS } from '../../calls/recordings/values.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type Person, type Route } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { departmentsOf, readAll } from '../frame/read-all.ts'
import { keyOf } from './keys.ts'
import { apiPath, headOf, loadEditable, refuseManagers, type RuleSet } from './set.ts'

export const formRoutes: Route[] = [
  { method: 'get', path: '/rule-sets/new', handle: showNew },
  { method: 'post', path: '/rule-sets/new', handle: create },
  { method: 'get', path: '/rule-sets/:id/settings', handle: showSettings },
  { method: 'post', path: '/rule-sets/:id/settings', handle: change },
]

const NAMES = ['name.en', 'name.ru', 'applies.direction', 'applies.departmentIds', 'applies.minDurationSeconds'].concat(
  ['applies.minWords', 'position', 'key', 'copyOf'],
)

interface Surroundings {
  person: Person
  departments: DepartmentJson[]
  sets: RuleSetSummaryJson[]
}

async function surroundingsOf(context: PageContext): Promise<Surroundings> {
  refuseManagers(context)
  const { person } = context
  const [departments, sets] = await Promise.all([
    departmentsOf(context),
    readAll<RuleSetSummaryJson>(context.api, '/v1/rule-sets'),
  ])
  return { person, departments, sets }
}

async function showNew(context: PageContext): Promise<void> {
  const around = await surroundingsOf(context)
  const copyOf = around.sets.find(({ id }) => id === context.ctx.query.copyOf)
  await renderForm(
    context,
    around,
    freshForm(copyOf ? fieldsOfCopy(copyOf, around.person) : fieldsOfNew(around.person)),
  )
}

/** A head's sets are for their departments. */
const ownDepartments = ({ role, departments }: Person): string[] =>
  role === 'head' ? departments.map(({ id }) => id) : []

const fieldsOfNew = (person: Person): Fields =>
  Fields.of({ begin: 'score', 'applies.departmentIds': ownDepartments(person) })

function fieldsOfCopy(set: RuleSetSummaryJson, person: Person): Fields {
  const departmentIds = person.role === 'head' ? ownDepartments(person) : set.applies.departmentIds
  return fieldsOf({ ...set, applies: { ...set.applies, departmentIds } }).with('begin', set.id)
}

function fieldsOf({ name, applies, position }: Pick<RuleSetSummaryJson, 'name' | 'applies' | 'position'>): Fields {
  return Fields.of({
    'name.en': name.en,
    'name.ru': name.ru,
    'applies.direction': (applies.direction ?? []).map((one) => one ?? 'none'),
    'applies.departmentIds': applies.departmentIds ?? [],
    'applies.minDurationSeconds': applies.minDurationSeconds,
    'applies.minWords': applies.minWords,
    position,
  })
}

/** The name in both languages: an omitted one equals the other. */
export function bothNames(fields: Fields): { en: string; ru: string } {
  const [en, ru] = [fields.text('name.en'), fields.text('name.ru')]
  return { en: en || ru, ru: ru || en }
}

export const numberOf = (text: string): number | string | undefined => {
  const value = Number(text.replace(',', '.'))
  return text === '' ? undefined : Number.isNaN(value) ? text : value
}

function appliesOf(fields: Fields): Applies {
  const direction = fields.all('applies.direction').map((one) => (one === 'none' ? null : one))
  const seconds = numberOf(fields.text('applies.minDurationSeconds'))
  const words = numberOf(fields.text('applies.minWords'))
  return {
    ...(direction.length > 0 && { direction }),
    departmentIds: fields.all('applies.departmentIds'),
    ...(seconds !== undefined && { minDurationSeconds: seconds }),
    ...(words !== undefined && { minWords: words }),
  } as Applies
}

/** The first rule of a new set: the API requires one. */
function starterOf(mode: 'score' | 'label', { words }: Language): Rule {
  const name = words.ruleSets.starter[mode]
  const both = { en: name, ru: name }
  return mode === 'score'
    ? {
        key: 'greeting',
        name: both,
        kind: 'said',
        side: 'agent',
        window: { first: 20 },
        any: { ru: ['здравствуйте', 'добрый день'], en: ['hello', 'good morning'] },
        weight: 10,
      }
    : { key: 'price', name: both, kind: 'said', side: 'client', any: { ru: ['дорого'], en: ['too expensive'] } }
}

async function create(context: PageContext): Promise<void> {
  const fields = await readFields(context.ctx)
  const around = await surroundingsOf(context)
  const begin = fields.text('begin')
  const name = bothNames(fields)
  const pattern =
    begin === 'score' || begin === 'label'
      ? { mode: begin, rules: [starterOf(begin, context.language)] }
      : { copyOf: begin }
  try {
    const body = { name, applies: appliesOf(fields), ...pattern }
    const made = await createUnderFreeKey(context, body)
    redirect(context.ctx, `/rule-sets/${made.id}/draft`, context.language.words.ruleSets.created)
  } catch (error) {
    await showErrors(context, around, fields, error)
  }
}

/** People know a set by its name; its key follows from the name, with a number if another set has it. */
async function createUnderFreeKey(context: PageContext, body: object & { name: Rule['name'] }): Promise<RuleSet> {
  for (let attempt = 1; ; attempt++) {
    try {
      const key = keyOf(body.name.en, 'set', attempt)
      return (await context.api.send<RuleSet>('POST', '/v1/rule-sets', { key, ...body })).body
    } catch (error) {
      const isTaken = error instanceof ApiError && error.status === 409
      if (!isTaken || attempt >= 20) throw error
    }
  }
}

async function showSettings(context: PageContext): Promise<void> {
  const [set, around] = await Promise.all([loadEditable(context), surroundingsOf(context)])
  await renderForm(context, around, freshForm(fieldsOf(set)), set)
}

async function change(context: PageContext): Promise<void> {
  const fields = await readFields(context.ctx)
  const [set, around] = await Promise.all([loadEditable(context), surroundingsOf(context)])
  const position = numberOf(fields.text('position'))
  const changes = { name: bothNames(fields), applies: appliesOf(fields), ...(position !== undefined && { position }) }
  try {
    await context.api.send('PATCH', apiPath(context), changes)
    redirect(context.ctx, `/rule-sets/${set.id}`, context.language.words.ruleSets.saved)
  } catch (error) {
    await showErrors(context, around, fields, error, set)
  }
}

async function showErrors(
  context: PageContext,
  around: Surroundings,
  fields: Fields,
  error: unknown,
  set?: RuleSet,
): Promise<void> {
  const form = formWithErrors(error, fields, NAMES, context.language)
  context.ctx.status = (error as { status: number }).status
  await renderForm(context, around, form, set)
}

async function renderForm(
  context: PageContext,
  { person, departments, sets }: Surroundings,
  form: Form,
  set?: RuleSet,
): Promise<void> {
  const { language } = context
  const t = language.words.ruleSets
  const mine = person.departments.map(({ id }) => id)
  const offered = person.role === 'owner' ? departments : departments.filter(({ id }) => mine.includes(id))
  await renderPage(context, 'rule-sets/form', {
    title: set ? `${t.settings}, ${set.name[language.code]}` : t.newTitle,
    heading: set ? t.settings : t.newTitle,
    head: set && headOf(set, language),
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
    directions: ([...DIRECTIONS, 'none'] as const).map((value) => ({
      value,
      text: t.applies.directions[value],
    })),
    departments: offered.map(({ id, name }) => ({ value: id, text: name })),
    departmentsHint: person.role === 'owner' ? t.departmentsHint : undefined,
  })
}
