import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { listCrmFunnelsOperation } from '../../crm/managers/schema.ts'
import type { DepartmentChanges, DepartmentJson, NewDepartment } from '../../people/departments/schema.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import { renderPage, redirect, type LoggedInPerson, type PageContext } from '../frame/context.ts'
import type { ApiResponseBody } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { foldManagerName } from '../frame/manager-names.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { fetchVisibleDepartments } from '../frame/fetch-all.ts'
import { departmentWords } from './words.ts'

export const departmentsPage: Page<'departments', typeof departmentWords> = {
  name: 'departments',
  words: departmentWords,
  menu: { href: '/departments', title: departmentWords.title, group: 'settings', for: isOwnerOrHead },
  styles: ['departments'],
  routes: [
    { method: 'get', path: '/departments', handle: showList },
    { method: 'get', path: '/departments/new', handle: showNew },
    { method: 'post', path: '/departments/new', handle: createDepartment },
    { method: 'get', path: '/departments/:id', handle: showDepartment },
    { method: 'post', path: '/departments/:id', handle: updateDepartment },
    { method: 'post', path: '/departments/:id/delete', handle: deleteDepartment },
  ],
}

/** Owners see the first names of each roster; heads see all names. */
const MAX_SHOWN_NAMES = 12
const MAX_SUGGESTED_NAMES = 40

/** The largest funnel id that the API accepts (int4). */
const MAX_FUNNEL_NUMBER = 2_147_483_647

/** Fetches the counts of the calls that the person sees. The menu uses the same path, so the response is already cached. */
const fetchCounts = ({ api }: PageContext): Promise<RecordingFacetsJson> =>
  api.fetch<RecordingFacetsJson>('/v1/recordings/facets')

type Funnel = ApiResponseBody<typeof listCrmFunnelsOperation>[number]

const fetchFunnels = ({ api }: PageContext): Promise<Funnel[]> => api.fetch<Funnel[]>('/v1/crm/funnels')

async function showList(context: PageContext): Promise<void> {
  const [departments, counts] = await Promise.all([fetchVisibleDepartments(context), fetchCounts(context)])
  const { words, format } = context.language
  const me = context.person
  const funnels = me.role === 'owner' ? await fetchFunnels(context) : []
  const assigned = counts.departments.reduce((sum, { count }) => sum + count, 0)
  const unassigned = me.role === 'owner' && departments.length > 0 ? counts.total - assigned : 0
  await renderPage(context, 'departments/index', {
    title: words.departments.title,
    isOwner: me.role === 'owner',
    rows: departments.map((department) => buildDepartmentRow(department, me, counts, funnels, context.language)),
    unassigned: unassigned > 0 ? words.departments.unassigned(unassigned, format.number(unassigned)) : undefined,
  })
}

function buildDepartmentRow(
  { id, name, managers, people, funnels: chosen }: DepartmentJson,
  me: LoggedInPerson,
  counts: RecordingFacetsJson,
  funnels: Funnel[],
  { format }: Language,
) {
  const more = managers.length - MAX_SHOWN_NAMES
  return {
    id,
    href: me.role === 'owner' ? `/departments/${id}` : undefined,
    name,
    funnels: me.role === 'owner' ? chosen.map((number) => formatFunnel(number, funnels)).join(', ') : '',
    // Heads get all names, because no other page shows them the roster.
    managers: me.role === 'owner' && more > 0 ? managers.slice(0, MAX_SHOWN_NAMES) : managers,
    more: me.role === 'owner' && more > 0 ? format.number(more) : undefined,
    people: { href: `/people?department=${id}`, text: format.number(people) },
    calls: {
      href: `/recordings?department=${id}`,
      text: format.number(counts.departments.find((counted) => counted.id === id)?.count ?? 0),
    },
  }
}

/** Formats a funnel as name and number. A funnel that was not synced from the CRM has only a number. */
const formatFunnel = (number: number, funnels: Funnel[]): string => {
  const found = funnels.find(({ id }) => id === number)
  return found ? `${found.name} (${number})` : String(number)
}

async function showNew(context: PageContext): Promise<void> {
  await renderForm(context, undefined, await fetchFormData(context), createFormState())
}

/** Fetches the options of the form. @throws PageError 403 if the person is no owner */
async function fetchFormData(context: PageContext): Promise<DepartmentFormData> {
  if (context.person.role !== 'owner') throw new PageError(403)
  const [departments, counts, funnels] = await Promise.all([
    fetchVisibleDepartments(context),
    fetchCounts(context),
    fetchFunnels(context),
  ])
  return { departments, counts, funnels }
}

async function createDepartment(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const formData = await fetchFormData(context)
  try {
    const input = {
      ...fields.collectFilled('name'),
      managers: parseManagerNames(fields),
      funnels: parseFunnelNumbers(fields),
    } as NewDepartment
    const { body } = await api.send<DepartmentJson>('POST', '/v1/departments', input)
    redirect(ctx, '/departments', context.language.words.departments.added(body.name))
  } catch (error) {
    await showErrors(context, undefined, formData, fields, error)
  }
}

/** Parses the chosen or typed funnel numbers. Other text stays unchanged, so that the API rejects it with a message. */
function parseFunnelNumbers(fields: FormValues): number[] {
  const input = fields.raw('withFunnels') === 'typed' ? splitTypedFunnels(fields) : fields.allValues('funnels')
  return [...new Set(input.map((text) => (isFunnelNumber(text) ? Number(text) : (text as unknown as number))))]
}

const splitTypedFunnels = (fields: FormValues): string[] =>
  fields
    .raw('funnels')
    .split(/[\s,;]+/)
    .filter((text) => text !== '')

const isFunnelNumber = (text: string): boolean => /^\d{1,10}$/.test(text) && Number(text) <= MAX_FUNNEL_NUMBER

/** Collects the typed lines and the chosen suggestions as roster names. */
function parseManagerNames(fields: FormValues): string[] {
  const lines = fields.raw('managers').split(/\r\n|\r|\n/)
  return [...lines, ...fields.allValues('found')].map(normalizeWhitespace).filter((name) => name !== '')
}

const formatDepartmentPath = ({ ctx }: PageContext): string =>
  `/v1/departments/${encodeURIComponent(String(ctx.params.id))}`

async function fetchDepartment(context: PageContext) {
  const [formData, department] = await Promise.all([
    fetchFormData(context),
    context.api.fetch<DepartmentJson>(formatDepartmentPath(context)),
  ])
  return { around: formData, department }
}

interface DepartmentFormData {
  departments: DepartmentJson[]
  counts: RecordingFacetsJson
  funnels: Funnel[]
}

async function showDepartment(context: PageContext): Promise<void> {
  const { around: formData, department } = await fetchDepartment(context)
  await renderForm(context, department, formData, createFormState(createDepartmentFields(department, formData)))
}

/** Lists the funnels as typed text if the CRM's funnels are unknown. */
const createDepartmentFields = (
  { name, managers, funnels }: DepartmentJson,
  { funnels: known }: DepartmentFormData,
): FormValues =>
  FormValues.of({
    name,
    managers: managers.join('\n'),
    funnels: known.length > 0 ? funnels.map(String) : funnels.join(', '),
  })

async function updateDepartment(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const { around: formData, department } = await fetchDepartment(context)
  try {
    const input: DepartmentChanges = {
      name: fields.text('name'),
      managers: parseManagerNames(fields),
      ...(fields.has('withFunnels') && { funnels: parseFunnelNumbers(fields) }),
    }
    await api.send('PATCH', formatDepartmentPath(context), input)
    redirect(ctx, `/departments/${department.id}`, context.language.words.departments.saved)
  } catch (error) {
    await showErrors(context, department, formData, fields, error)
  }
}

async function deleteDepartment(context: PageContext): Promise<void> {
  const { around: formData, department } = await fetchDepartment(context)
  try {
    await context.api.send('DELETE', formatDepartmentPath(context))
    redirect(context.ctx, '/departments', context.language.words.departments.deleted(department.name))
  } catch (error) {
    await showErrors(context, department, formData, createDepartmentFields(department, formData), error)
  }
}

async function showErrors(
  context: PageContext,
  department: DepartmentJson | undefined,
  formData: DepartmentFormData,
  fields: FormValues,
  error: unknown,
): Promise<void> {
  const form = createFormWithErrors(error, fields, ['name', 'managers', 'funnels'], context.language)
  const invalidFunnels =
    fields.raw('withFunnels') === 'typed' ? splitTypedFunnels(fields).filter((text) => !isFunnelNumber(text)) : []
  if (invalidFunnels.length > 0)
    form.errors.funnels = context.language.words.departments.notFunnels(invalidFunnels.join(', '))
  context.ctx.status = (error as { status: number }).status
  await renderForm(context, department, formData, form)
}

async function renderForm(
  context: PageContext,
  department: DepartmentJson | undefined,
  { departments, counts, funnels }: DepartmentFormData,
  form: FormState,
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
    funnels: funnels.length > 0 ? buildFunnelChoices(funnels, department) : [],
    found: collectUnassignedNames(departments, counts).map(({ name, count }) => ({
      value: name,
      text: t.fromCall(name, format.number(count)),
    })),
  })
}

/** Builds the options for the CRM's funnels and for further funnels of the department. */
const buildFunnelChoices = (funnels: Funnel[], department: DepartmentJson | undefined) =>
  [...new Set([...funnels.map(({ id }) => id), ...(department?.funnels ?? [])])].map((number) => ({
    value: String(number),
    text: formatFunnel(number, funnels),
  }))

/** Lists the names of calls that are in no roster, most frequent first. Compares names as the API does. */
function collectUnassignedNames(
  departments: DepartmentJson[],
  { managers }: RecordingFacetsJson,
): { name: string; count: number }[] {
  const assigned = new Set(departments.flatMap(({ managers }) => managers.map(foldManagerName)))
  const found: { name: string; count: number }[] = []
  for (const { name, count } of managers) {
    if (!assigned.has(foldManagerName(name))) found.push({ name: normalizeWhitespace(name), count })
  }
  return found.slice(0, MAX_SUGGESTED_NAMES)
}
