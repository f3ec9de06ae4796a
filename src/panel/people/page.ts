import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { PersonJson } from '../../people/people/schema.ts'
import {
  isHtmxRequest,
  redirectFullPage,
  renderPage,
  redirect,
  type LoggedInPerson,
  type PageContext,
} from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { formatPathWithQuery, FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isKnownManagerName } from '../frame/manager-names.ts'
import { formatPageTitle } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { fetchVisibleDepartments } from '../frame/fetch-all.ts'
import { canSeeAsPerson } from '../see-as/page.ts'
import {
  parsePersonChanges,
  buildPersonFormChoices,
  computeDefaultRights,
  createPersonFormFields,
  parseNewPerson,
  filterAssignableRoles,
} from './form.ts'
import { appendWeakPasswordWarning } from './password-warning.ts'
import { addRosterHint, buildManagerNameSuggestions } from './rosters.ts'
import { peopleWords } from './words.ts'
import { randomInt } from 'node:crypto'

export const peoplePage: Page<'people', typeof peopleWords> = {
  name: 'people',
  words: peopleWords,
  menu: { href: '/people', title: peopleWords.title, group: 'settings', for: isOwnerOrHead },
  styles: ['people'],
  scripts: ['people'],
  routes: [
    { method: 'get', path: '/people', handle: showList },
    { method: 'get', path: '/people/new', handle: showNew },
    { method: 'post', path: '/people/new', handle: createPerson },
    { method: 'get', path: '/people/:id', handle: showPerson },
    { method: 'post', path: '/people/:id', handle: updatePerson },
    { method: 'post', path: '/people/:id/deactivate', handle: (context) => setActive(context, false) },
    { method: 'post', path: '/people/:id/activate', handle: (context) => setActive(context, true) },
  ],
}

const PAGE_SIZE = 50
const FILTER_NAMES = ['q', 'role', 'department', 'active'] as const

async function showList(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const input = Object.fromEntries(FILTER_NAMES.map((name) => [name, cleanText(ctx.query[name])]))
  const page = parsePageNumber(ctx.query.page)
  const me = context.person
  const departments = await fetchVisibleDepartments(context)
  const { words } = context.language
  const t = words.people
  const createAnyOption = (text: string) => ({ value: '', text })
  const roles = filterAssignableRoles(me.role === 'owner' ? me : { ...me, role: 'owner' })
  const filters = {
    role: [
      createAnyOption(t.filters.anyRole),
      ...roles.map((role) => ({ value: role, text: words.frame.roles[role] })),
    ],
    department: [
      createAnyOption(t.filters.anyDepartment),
      ...departments.map(({ id, name }) => ({ value: id, text: name })),
    ],
    active: [
      createAnyOption(t.filters.any),
      { value: 'true', text: t.filters.active },
      { value: 'false', text: t.filters.inactive },
    ],
  }
  // Ignores values in the address that are no option of the filter.
  for (const [name, options] of Object.entries(filters)) {
    if (!options.some(({ value }) => value === input[name])) input[name] = ''
  }
  const address = (page: number) => formatPathWithQuery('/people', { ...input, page: page > 1 ? String(page) : '' })
  const query = formatPathWithQuery('/v1/people', { ...input, page: String(page), pageSize: String(PAGE_SIZE) })
  const { items, total } = await api.fetch<{ items: PersonJson[]; total: number }>(query)
  const chosen = Object.entries(filters).map(([name, [, ...options]]) =>
    options.find(({ value }) => value === input[name]),
  )
  await renderPage(context, 'people/index', {
    title: formatPageTitle(t.title, [input.q, ...chosen.map((option) => option?.text)]),
    heading: t.title,
    form: createFormState(FormValues.of(input)),
    filters,
    rows: items.map((person) => buildPersonRow(person, me, context.language)),
    total,
    paging: buildPaging(page, PAGE_SIZE, total, address),
  })
}

const cleanText = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 320) : '')

function buildPersonRow(person: PersonJson, me: LoggedInPerson, { words, format }: Language) {
  const { id, name, email, role, departments, active, lastLoginAt } = person
  return {
    id,
    href: `/people/${id}`,
    name,
    email,
    role: words.frame.roles[role],
    departments: departments.map(({ name }) => name).join(', '),
    may: formatRights(person, words),
    active,
    you: id === me.id,
    lastLogin: lastLoginAt && { iso: lastLoginAt, text: format.shortTime(lastLoginAt) },
  }
}

function formatRights({ role, rights }: PersonJson, { people }: Language['words']): string {
  if (role === 'owner') return people.everything
  const grantedRights = Object.entries(rights).filter(([, has]) => has)
  return grantedRights.map(([right]) => people.rightWords[right]).join(', ') || '—'
}

interface PersonFormData {
  departments: DepartmentJson[]
  /** Manager names in calls, with the number of calls. */
  managers: RecordingFacetsJson['managers']
  person: PersonJson | undefined
}

async function fetchFormData(context: PageContext, path?: string): Promise<PersonFormData> {
  const [departments, { managers }, person] = await Promise.all([
    fetchVisibleDepartments(context),
    fetchFacets(context),
    path === undefined ? undefined : context.api.fetch<PersonJson>(path),
  ])
  return { departments, managers, person }
}

/** If the request fails, the form works without suggestions for names. */
const fetchFacets = ({ api }: PageContext, query = ''): Promise<Pick<RecordingFacetsJson, 'managers'>> =>
  api.fetch<RecordingFacetsJson>(`/v1/recordings/facets${query}`).catch(() => ({ managers: [] }))

async function showNew(context: PageContext): Promise<void> {
  const formData = await fetchFormData(context)
  const { departments } = formData
  const me = context.person
  rejectManager(me)
  const role = 'manager'
  const presetDepartments = me.role === 'head' && departments.length === 1 ? [departments[0]!.id] : []
  const values = {
    role,
    rights: computeDefaultRights(me, role),
    departments: presetDepartments,
    language: '',
    mustChange: 'true',
  }
  await renderForm(context, formData, createFormState(FormValues.of(values)))
}

/** The API rejects the form too, but only after the person has filled it in. @throws PageError 403 */
function rejectManager({ role }: LoggedInPerson): void {
  if (role === 'manager') throw new PageError(403)
}

const FORM_FIELDS = ['name', 'email', 'password', 'role', 'departments', 'rights', 'language']

async function createPerson(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const formData = await fetchFormData(context)
  const requested = parseNewPerson(fields, context.person)
  const generatedPassword = requested.password === '' ? generatePassword() : undefined
  try {
    const input = generatedPassword
      ? { ...requested, password: generatedPassword, mustChangePassword: true }
      : requested
    const { body } = await api.send<PersonJson>('POST', '/v1/people', input)
    const notice = await buildSaveNotice(context, context.language.words.people.added(body.name), input.password, body)
    if (generatedPassword)
      await showGeneratedPassword(context, { ...formData, person: body }, notice, generatedPassword)
    else redirectFullPage(ctx, '/people', notice)
  } catch (error) {
    await showErrors(context, formData, fields, error)
  }
}

/** Adds warnings to the notice: a weak password, or a manager's name that no call has. */
async function buildSaveNotice(
  context: PageContext,
  notice: string,
  password: string | undefined,
  person: PersonJson,
): Promise<string> {
  const { language } = context
  const saved = appendWeakPasswordWarning(notice, password, person, language)
  if (person.role !== 'manager') return saved
  const { managers } = await fetchFacets(context, `?manager=${encodeURIComponent(person.name)}`)
  if (isKnownManagerName(person.name, managers.map(({ name }) => name))) return saved // prettier-ignore
  return `${saved} ${language.words.people.noCalls(person.name)}`
}

async function showPerson(context: PageContext): Promise<void> {
  const formData = await fetchFormData(context, formatPersonPath(context))
  await renderForm(context, formData, createFormState(createPersonFormFields(formData.person!)))
}

const formatPersonPath = ({ ctx }: PageContext): string => `/v1/people/${encodeURIComponent(String(ctx.params.id))}`

async function updatePerson(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const path = formatPersonPath(context)
  const fields = await parsePostedForm(ctx)
  const formData = await fetchFormData(context, path)
  const { person } = formData
  const requested = parsePersonChanges(fields, context.person, person!)
  const generatedPassword =
    requested.mustChangePassword !== undefined && fields.checked('generate') ? generatePassword() : undefined
  const changes = generatedPassword
    ? { ...requested, password: generatedPassword, mustChangePassword: true }
    : requested
  const saved = context.language.words.people.saved
  try {
    const { body } = await api.send<PersonJson>('PATCH', path, changes)
    const renamed = body.name !== person!.name || body.role !== person!.role
    const notice = renamed
      ? await buildSaveNotice(context, saved, changes.password, body)
      : appendWeakPasswordWarning(saved, changes.password, body, context.language)
    if (generatedPassword)
      await showGeneratedPassword(context, { ...formData, person: body }, notice, generatedPassword)
    else redirect(ctx, `/people/${body.id}`, notice)
  } catch (error) {
    await showErrors(context, formData, fields, error)
  }
}

async function setActive(context: PageContext, active: boolean): Promise<void> {
  const { ctx, api } = context
  const path = formatPersonPath(context)
  const formData = await fetchFormData(context, path)
  const person = formData.person!
  const t = context.language.words.people
  try {
    await (active ? api.send('PATCH', path, { active }) : api.send('POST', `${path}/deactivate`))
    redirect(ctx, `/people/${person.id}`, active ? t.activated(person.name) : t.deactivated(person.name))
  } catch (error) {
    await showErrors(context, formData, createPersonFormFields(person), error)
  }
}

/** Shows a generated password once at the address of the person, so that a reload does not send the form again. */
async function showGeneratedPassword(
  context: PageContext,
  formData: PersonFormData & { person: PersonJson },
  notice: string,
  password: string,
): Promise<void> {
  const here = `/people/${formData.person.id}`
  context.ctx.set('HX-Replace-Url', here)
  const form = createFormState(createPersonFormFields(formData.person))
  await renderForm(context, formData, form, { notice, made: password, here, sentOnce: true })
}

async function showErrors(
  context: PageContext,
  formData: PersonFormData,
  fields: FormValues,
  error: unknown,
): Promise<void> {
  const form = createFormWithErrors(error, fields, FORM_FIELDS, context.language)
  const { typeAgain } = context.language.words.people
  context.ctx.status = (error as { status: number }).status
  // Responses never contain a password. With htmx the field keeps its value. A full page load empties the field, and an
  // overlooked empty field would generate another password.
  const isLost = form.values.raw('password') !== '' && !isHtmxRequest(context.ctx)
  const errors = isLost ? { password: typeAgain, ...form.errors } : form.errors
  const isConflict = context.ctx.status === 409 && fields.text('role') === 'manager'
  const shownForm = { ...form, errors }
  await renderForm(
    context,
    formData,
    isConflict ? addRosterHint(shownForm, formData.departments, context.language) : shownForm,
  )
}

async function renderForm(
  context: PageContext,
  { departments, managers, person }: PersonFormData,
  form: FormState,
  extraData: { notice?: string; made?: string; here?: string; sentOnce?: boolean } = {},
): Promise<void> {
  const { words, format } = context.language
  const t = words.people
  const lastLogin = person?.lastLoginAt ? format.longTime(person.lastLoginAt) : t.never
  await renderPage(context, 'people/form', {
    title: person ? person.name : t.addTitle,
    scripts: ['people.js', 'copy.js'],
    form,
    edited: person,
    lastLogin,
    maySeeAs: person !== undefined && canSeeAsPerson(context.person, person),
    managers: buildManagerNameSuggestions(managers, departments, context.language),
    ...extraData,
    ...buildPersonFormChoices(context.language, context.person, departments, person),
  })
}

/** Omits characters that are confused when read aloud or copied by hand, such as l and 1. */
const PASSWORD_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Generates a password for the first login: four groups of four characters, about 79 bits. */
function generatePassword(): string {
  const createGroup = () =>
    Array.from({ length: 4 }, () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)]).join('')
  return Array.from({ length: 4 }, createGroup).join('-')
}
