import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { listFunnels } from '../../crm/managers/schema.ts'
import type { DepartmentChanges, DepartmentJson, NewDepartment } from '../../people/departments/schema.ts'
import { cleanName } from '../../platform/lib/names.ts'
import { renderPage, redirect, type Person, type PageContext } from '../frame/context.ts'
import type { AnswerTo } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { foldName } from '../frame/managers.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { departmentsOf } from '../frame/read-all.ts'
import { departments } from './words.ts'

export const departmentsPage: Page<'departments', typeof departments> = {
  name: 'departments',
  words: departments,
  menu: { href: '/departments', title: departments.title, group: 'settings', for: isOwnerOrHead },
  styles: ['departments'],
  routes: [
    { method: 'get', path: '/departments', handle: showList },
    { method: 'get', path: '/departments/new', handle: showNew },
    { method: 'post', path: '/departments/new', handle: create },
    { method: 'get', path: '/departments/:id', handle: showOne },
    { method: 'post', path: '/departments/:id', handle: change },
    { method: 'post', path: '/departments/:id/delete', handle: remove },
  ],
}

/** The number of roster names in the list, and of names from calls as choices. */
const SHOWN_NAMES = 12
const OFFERED_NAMES = 40

/** The number of a funnel in the API. */
const LARGEST_NUMBER = 2_147_483_647

/** The counts of the visible calls; the frame uses the same request. */
const countsOf = ({ api }: PageContext): Promise<FacetsJson> => api.read<FacetsJson>('/v1/recordings/facets')

type Funnel = AnswerTo<typeof listFunnels>[number]

/** Names of the CRM's funnels: for owners, who choose them. */
const funnelsOf = ({ api }: PageContext): Promise<Funnel[]> => api.read<Funnel[]>('/v1/crm/funnels')

async function showList(context: PageContext): Promise<void> {
  const [departments, counts] = await Promise.all([departmentsOf(context), countsOf(context)])
  const { words, format } = context.language
  const me = context.person
  const funnels = me.role === 'owner' ? await funnelsOf(context) : []
  const assigned = counts.departments.reduce((sum, { count }) => sum + count, 0)
  const unassigned = me.role === 'owner' && departments.length > 0 ? counts.total - assigned : 0
  await renderPage(context, 'departments/index', {
    title: words.departments.title,
    isOwner: me.role === 'owner',
    rows: departments.map((department) => departmentRow(department, me, counts, funnels, context.language)),
    unassigned: unassigned > 0 ? words.departments.unassigned(unassigned, format.number(unassigned)) : undefined,
  })
}

function departmentRow(
  { id, name, managers, people, funnels: chosen }: DepartmentJson,
  me: Person,
  counts: FacetsJson,
  funnels: Funnel[],
  { format }: Language,
) {
  const more = managers.length - SHOWN_NAMES
  return {
    id,
    href: me.role === 'owner' ? `/departments/${id}` : undefined,
    name,
    funnels: me.role === 'owner' ? chosen.map((number) => nameOf(number, funnels)).join(', ') : '',
    // For a head this is the only page with the roster: they see all of it.
    managers: me.role === 'owner' && more > 0 ? managers.slice(0, SHOWN_NAMES) : managers,
    more: me.role === 'owner' && more > 0 ? format.number(more) : undefined,
    people: { href: `/people?department=${id}`, text: format.number(people) },
    calls: {
      href: `/recordings?department=${id}`,
      text: format.number(counts.departments.find((counted) => counted.id === id)?.count ?? 0),
    },
  }
}

/** A funnel by its name and number; an unread one only by its number. */
const nameOf = (number: number, funnels: Funnel[]): string => {
  const found = funnels.find(({ id }) => id === number)
  return found ? `${found.name} (${number})` : String(number)
}

async function showNew(context: PageContext): Promise<void> {
  await renderForm(context, undefined, await aroundOf(context), freshForm())
}

/** The choices of the form. @throws PageError 403 for others than owners */
async function aroundOf(context: PageContext): Promise<Around> {
  if (context.person.role !== 'owner') throw new PageError(403)
  const [departments, counts, funnels] = await Promise.all([
    departmentsOf(context),
    countsOf(context),
    funnelsOf(context),
  ])
  return { departments, counts, funnels }
}

async function create(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const around = await aroundOf(context)
  try {
    const given = { ...fields.filled('name'), managers: namesOf(fields), funnels: numbersOf(fields) } as NewDepartment
    const { body } = await api.send<DepartmentJson>('POST', '/v1/departments', given)
    redirect(ctx, '/departments', context.language.words.departments.added(body.name))
  } catch (error) {
    await showErrors(context, undefined, around, fields, error)
  }
}

/** The chosen funnels, or their typed numbers. Other text stays unchanged for the API to reject. */
function numbersOf(fields: Fields): number[] {
  const given = fields.raw('withFunnels') === 'typed' ? typedIn(fields) : fields.all('funnels')
  return [...new Set(given.map((text) => (isFunnel(text) ? Number(text) : (text as unknown as number))))]
}

const typedIn = (fields: Fields): string[] =>
  fields
    .raw('funnels')
    .split(/[\s,;]+/)
    .filter((text) => text !== '')

const isFunnel = (text: string): boolean => /^\d{1,10}$/.test(text) && Number(text) <= LARGEST_NUMBER

/** The names of the roster: the typed lines, and the chosen names of calls. */
function namesOf(fields: Fields): string[] {
  const lines = fields.raw('managers').split(/\r\n|\r|\n/)
  return [...lines, ...fields.all('found')].map(cleanName).filter((name) => name !== '')
}

const pathOf = ({ ctx }: PageContext): string => `/v1/departments/${encodeURIComponent(String(ctx.params.id))}`

/** Loads the data for the page of one department. */
async function load(context: PageContext) {
  const [around, department] = await Promise.all([aroundOf(context), context.api.read<DepartmentJson>(pathOf(context))])
  return { around, department }
}

interface Around {
  departments: DepartmentJson[]
  counts: FacetsJson
  funnels: Funnel[]
}

async function showOne(context: PageContext): Promise<void> {
  const { around, department } = await load(context)
  await renderForm(context, department, around, freshForm(fieldsOf(department, around)))
}

/** Without known names, funnels are typed as numbers. */
const fieldsOf = ({ name, managers, funnels }: DepartmentJson, { funnels: known }: Around): Fields =>
  Fields.of({
    name,
    managers: managers.join('\n'),
    funnels: known.length > 0 ? funnels.map(String) : funnels.join(', '),
  })

async function change(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const { around, department } = await load(context)
  try {
    const given: DepartmentChanges = {
      name: fields.text('name'),
      managers: namesOf(fields),
      ...(fields.has('withFunnels') && { funnels: numbersOf(fields) }),
    }
    await api.send('PATCH', pathOf(context), given)
    redirect(ctx, `/departments/${department.id}`, context.language.words.departments.saved)
  } catch (error) {
    await showErrors(context, department, around, fields, error)
  }
}

async function remove(context: PageContext): Promise<void> {
  const { around, department } = await load(context)
  try {
    await context.api.send('DELETE', pathOf(context))
    redirect(context.ctx, '/departments', context.language.words.departments.deleted(department.name))
  } catch (error) {
    await showErrors(context, department, around, fieldsOf(department, around), error)
  }
}

async function showErrors(
  context: PageContext,
  department: DepartmentJson | undefined,
  around: Around,
  fields: Fields,
  error: unknown,
): Promise<void> {
  const form = formWithErrors(error, fields, ['name', 'managers', 'funnels'], context.language)
  const wrong = fields.raw('withFunnels') === 'typed' ? typedIn(fields).filter((text) => !isFunnel(text)) : []
  if (wrong.length > 0) form.errors.funnels = context.language.words.departments.notFunnels(wrong.join(', '))
  context.ctx.status = (error as { status: number }).status
  await renderForm(context, department, around, form)
}

async function renderForm(
  context: PageContext,
  department: DepartmentJson | undefined,
  { departments, counts, funnels }: Around,
  form: Form,
): Promise<void> {
  const { words, format } = context.language
  const t = words.departments
  const count = counts.departments.find(({ id }) => id === department?.id)?.count ?? 0
  await renderPage(context, 'departments/form', {
    title: department?.name ?? t.addTitle,
    form,
    edited: department,
    people: department && t.people(department.people, format.number(department.people)),
    calls: department && t.calls(count, format.number(count)),
    occupied: department && department.people > 0 && t.occupied(department.people, format.number(department.people)),
    funnels: funnels.length > 0 ? choicesOf(funnels, department) : [],
    found: unassignedNames(departments, counts).map(({ name, count }) => ({
      value: name,
      text: t.fromCall(name, format.number(count)),
    })),
  })
}

/** The known funnels, and other funnels of the department. */
const choicesOf = (funnels: Funnel[], department: DepartmentJson | undefined) =>
  [...new Set([...funnels.map(({ id }) => id), ...(department?.funnels ?? [])])].map((number) => ({
    value: String(number),
    text: nameOf(number, funnels),
  }))

/** The most frequent names in calls that no roster has; compared like in the API. */
function unassignedNames(departments: DepartmentJson[], { managers }: FacetsJson): { name: string; count: number }[] {
  const assigned = new Set(departments.flatMap(({ managers }) => managers.map(foldName)))
  const found: { name: string; count: number }[] = []
  for (const { name, count } of managers) {
    if (!assigned.has(foldName(name))) found.push({ name: cleanName(name), count })
  }
  return found.slice(0, OFFERED_NAMES)
}
