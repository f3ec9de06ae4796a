import type { Static } from 'typebox'
import type { CandidateJson, RosterJson, determineManagers } from '../../crm/managers/schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type Route } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { departmentsOf } from '../frame/read-all.ts'
import { moment } from './view.ts'

const PATH = '/automation/managers'

export const managersRoutes: Route[] = [
  { method: 'get', path: PATH, handle: showManagers },
  { method: 'post', path: PATH, handle: apply },
  { method: 'post', path: `${PATH}/determine`, handle: determine },
  { method: 'post', path: `${PATH}/changes`, handle: showChanges },
]

/** Signs of a sales manager; unknown for people who are only shown because of the roster. */
type About = Partial<Pick<CandidateJson, 'position' | 'departments' | 'active' | 'deals90d' | 'answeredCalls30d'>>

interface Shown extends About {
  userId: string
  name: string
  departmentId: string
}

interface Loaded {
  roster: RosterJson
  departments: DepartmentJson[]
  fields: Fields
}

async function load(context: PageContext): Promise<Loaded> {
  const [roster, departments, fields] = await Promise.all([
    context.api.read<RosterJson>('/v1/crm/roster'),
    departmentsOf(context),
    context.ctx.method === 'POST' ? readFields(context.ctx) : new Fields(),
  ])
  return { roster, departments, fields }
}

async function showManagers(context: PageContext): Promise<void> {
  const loaded = await load(context)
  await render(context, loaded, loaded.roster.members)
}

type Determined = Static<(typeof determineManagers.responses)[200]['json']>

async function determine(context: PageContext): Promise<void> {
  const loaded = await load(context)
  const { members } = loaded.roster
  try {
    const { body } = await context.api.send<Determined>('POST', '/v1/crm/managers/determine')
    const assigned = new Map(members.map(({ userId, departmentId }) => [userId, departmentId]))
    const shown = body.items.map((one) => ({
      ...one,
      departmentId: assigned.get(one.userId) ?? one.suggestedDepartmentId ?? '',
    }))
    await render(context, loaded, shown, { isDetermined: true, showsChanges: true })
  } catch (error) {
    await renderRefused(context, loaded, members, error)
  }
}

async function showChanges(context: PageContext): Promise<void> {
  const loaded = await load(context)
  await render(context, loaded, parseShown(loaded.fields), { showsChanges: true })
}

async function apply(context: PageContext): Promise<void> {
  const loaded = await load(context)
  const shown = parseShown(loaded.fields)
  const members = shown
    .filter(({ departmentId }) => departmentId !== '')
    .map(({ userId, departmentId }) => ({ userId, departmentId }))
  try {
    await context.api.send('PUT', '/v1/crm/roster', { members })
    redirect(context.ctx, PATH, context.language.words.crm.notices.roster)
  } catch (error) {
    await renderRefused(context, loaded, shown, error)
  }
}

function renderRefused(context: PageContext, loaded: Loaded, shown: Shown[], error: unknown): Promise<void> {
  const form = formWithErrors(error, loaded.fields, [], context.language)
  context.ctx.status = (error as ApiError).status
  return render(context, loaded, shown, { form })
}

const parseShown = (fields: Fields): Shown[] =>
  fields.all('user').map((userId) => ({
    ...parseAbout(fields.raw(`about-${userId}`)),
    userId,
    name: fields.raw(`name-${userId}`),
    departmentId: fields.text(`department-${userId}`),
  }))

function parseAbout(text: string): About {
  try {
    const about: unknown = JSON.parse(text)
    return typeof about === 'object' && about !== null ? about : {}
  } catch {
    return {}
  }
}

interface Options {
  form?: Form
  isDetermined?: boolean
  showsChanges?: boolean
}

async function render(
  context: PageContext,
  { roster, departments }: Loaded,
  shown: Shown[],
  { form = freshForm(), isDetermined = false, showsChanges = false }: Options = {},
): Promise<void> {
  const { words, format } = context.language
  await renderPage(context, 'crm/managers', {
    title: words.crm.roster.title,
    form,
    isDetermined,
    applied: moment(roster.appliedAt, context.language),
    changes: showsChanges ? changesOf(roster, shown, departments, context.language) : null,
    departments: departments.map(({ id, name }) => ({ value: id, text: name })),
    tellsMore: shown.some(({ deals90d }) => deals90d !== undefined),
    rows: shown.map((one) => {
      const { position, departments: theirs = [], active, deals90d, answeredCalls30d } = one
      return {
        ...one,
        about: JSON.stringify({ position, departments: theirs, active, deals90d, answeredCalls30d }),
        where: [position, ...theirs].filter(Boolean).join(' · '),
        deals: typeof deals90d === 'number' ? format.number(deals90d) : null,
        calls: typeof answeredCalls30d === 'number' ? format.number(answeredCalls30d) : null,
      }
    }),
  })
}

function changesOf(
  { members }: RosterJson,
  shown: Shown[],
  departments: DepartmentJson[],
  { words }: Language,
): string[] {
  const t = words.crm.roster
  const nameOf = (id: string): string => departments.find((one) => one.id === id)?.name ?? id
  const was = new Map(members.map(({ userId, departmentId }) => [userId, departmentId]))
  return shown.flatMap(({ userId, name, departmentId: now }) => {
    const before = was.get(userId) ?? ''
    if (before === now) return []
    if (before === '') return [t.comes(name, nameOf(now))]
    return [now === '' ? t.leaves(name, nameOf(before)) : t.moves(name, nameOf(before), nameOf(now))]
  })
}
