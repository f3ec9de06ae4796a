import type { DepartmentJson } from '../departments/schema.ts'
import type { PersonJson } from '../people/schema.ts'
import { withWarning } from './password-warning.ts'
import { PageError } from './errors.ts'
import { Fields, readFields } from './fields.ts'
import { freshForm, type Form } from './form.ts'
import type { Language } from './i18n.ts'
import { faultyPerson } from './known-faults.ts'
import { pageOf, pagingOf } from './paging.ts'
import { changesOf, choicesFor, defaultRights, fieldsOf, newPersonOf, rolesFor } from './person-form.ts'
import { readAll } from './read-all.ts'
import { loadFrame, renderPage, seeOther, type Person, type Route, type Visit } from './visit.ts'

export const peopleRoutes: Route[] = [
  { method: 'get', path: '/people', handle: showList },
  { method: 'get', path: '/people/new', handle: showNew },
  { method: 'post', path: '/people/new', handle: create },
  { method: 'get', path: '/people/:id', handle: showOne },
  { method: 'post', path: '/people/:id', handle: change },
  { method: 'post', path: '/people/:id/deactivate', handle: (visit) => setActive(visit, false) },
  { method: 'post', path: '/people/:id/activate', handle: (visit) => setActive(visit, true) },
]

const PAGE_SIZE = 50
/** What narrows the list, as it stands in the address. */
const FILTERS = ['q', 'role', 'department', 'active'] as const

async function showList(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  const given = Object.fromEntries(FILTERS.map((name) => [name, textOf(ctx.query[name])]))
  const page = pageOf(ctx.query.page)
  const [me, departments] = await Promise.all([loadFrame(visit), departmentsOf(visit)])
  const { words } = visit.language
  const t = words.people
  const any = (text: string) => ({ value: '', text })
  const roles = rolesFor(me.role === 'owner' ? me : { ...me, role: 'owner' })
  const filters = {
    role: [any(t.filters.anyRole), ...roles.map((role) => ({ value: role, text: words.frame.roles[role] }))],
    department: [any(t.filters.anyDepartment), ...departments.map(({ id, name }) => ({ value: id, text: name }))],
    active: [
      any(t.filters.any),
      { value: 'true', text: t.filters.active },
      { value: 'false', text: t.filters.inactive },
    ],
  }
  // What an address holds that no choice has is as if it were not there.
  for (const [name, options] of Object.entries(filters)) {
    if (!options.some(({ value }) => value === given[name])) given[name] = ''
  }
  const address = (page: number) => addressOf({ ...given, page: page > 1 ? String(page) : '' })
  const query = queryOf({ ...given, page: String(page), pageSize: String(PAGE_SIZE) })
  const { items, total } = await api.read<{ items: PersonJson[]; total: number }>(`/v1/people?${query}`)
  renderPage(visit, 'people/index', {
    title: t.title,
    form: freshForm(Fields.of(given)),
    filters,
    rows: items.map((person) => personRow(person, me, visit.language)),
    total,
    paging: pagingOf(page, PAGE_SIZE, total, address),
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 320) : '')

const queryOf = (given: Record<string, string>): string =>
  new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')).toString()

function addressOf(given: Record<string, string>): string {
  const query = queryOf(given)
  return query ? `/people?${query}` : '/people'
}

function personRow(person: PersonJson, me: Person, { words, format }: Language) {
  const { id, name, email, role, departments, active, lastLoginAt } = person
  return {
    id,
    href: `/people/${id}`,
    name,
    email,
    role: words.frame.roles[role],
    departments: departments.map(({ name }) => name).join(', '),
    active,
    you: id === me.id,
    lastLogin: lastLoginAt && { iso: lastLoginAt, text: format.shortTime(lastLoginAt) },
  }
}

/** The departments that somebody may put people into. */
async function departmentsOf(visit: Visit): Promise<{ id: string; name: string }[]> {
  return readAll<DepartmentJson>(visit.api, '/v1/departments')
}

async function showNew(visit: Visit): Promise<void> {
  const [me, departments] = await Promise.all([loadFrame(visit), departmentsOf(visit)])
  refuseManager(me)
  const role = 'manager'
  const only = me.role === 'head' && departments.length === 1 ? [departments[0]!.id] : []
  const values = Fields.of({ role, rights: defaultRights(me, role), departments: only, language: '' })
  renderForm(visit, me, departments, undefined, freshForm(values))
}

/** The API says the same to whoever sends the form; this saves them from filling it in. */
function refuseManager({ role }: Person): void {
  if (role === 'manager') throw new PageError(403)
}

async function create(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  const fields = await readFields(ctx)
  const [me, departments] = await Promise.all([loadFrame(visit), departmentsOf(visit)])
  try {
    const { body } = await api.send<PersonJson>('POST', '/v1/people', newPersonOf(fields, me))
    seeOther(
      ctx,
      '/people',
      withWarning(visit.language.words.people.added(body.name), fields.raw('password'), body, visit.language),
    )
  } catch (error) {
    showFaulty(visit, me, departments, undefined, faultyPerson(error, fields, visit.language), error)
  }
}

async function showOne(visit: Visit): Promise<void> {
  const { api } = visit
  const path = pathOf(visit)
  const [me, departments, person] = await Promise.all([
    loadFrame(visit),
    departmentsOf(visit),
    api.read<PersonJson>(path),
  ])
  renderForm(visit, me, departments, person, freshForm(fieldsOf(person)))
}

const pathOf = ({ ctx }: Visit): string => `/v1/people/${encodeURIComponent(String(ctx.params.id))}`

async function change(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  const path = pathOf(visit)
  const fields = await readFields(ctx)
  const [me, departments, person] = await Promise.all([
    loadFrame(visit),
    departmentsOf(visit),
    api.read<PersonJson>(path),
  ])
  try {
    const changes = changesOf(fields, me, person)
    const { body } = await api.send<PersonJson>('PATCH', path, changes)
    const notice = withWarning(visit.language.words.people.saved, changes.password, body, visit.language)
    seeOther(ctx, `/people/${person.id}`, notice)
  } catch (error) {
    showFaulty(visit, me, departments, person, faultyPerson(error, fields, visit.language), error)
  }
}

async function setActive(visit: Visit, active: boolean): Promise<void> {
  const { ctx, api } = visit
  const path = pathOf(visit)
  const [me, departments, person] = await Promise.all([
    loadFrame(visit),
    departmentsOf(visit),
    api.read<PersonJson>(path),
  ])
  const t = visit.language.words.people
  try {
    await (active ? api.send('PATCH', path, { active }) : api.send('POST', `${path}/deactivate`))
    seeOther(ctx, `/people/${person.id}`, active ? t.activated(person.name) : t.deactivated(person.name))
  } catch (error) {
    const form = faultyPerson(error, fieldsOf(person), visit.language)
    showFaulty(visit, me, departments, person, form, error)
  }
}

function showFaulty(
  visit: Visit,
  me: Person,
  departments: { id: string; name: string }[],
  person: PersonJson | undefined,
  form: Form,
  error: unknown,
): void {
  visit.ctx.status = (error as { status: number }).status
  renderForm(visit, me, departments, person, form)
}

function renderForm(
  visit: Visit,
  me: Person,
  departments: { id: string; name: string }[],
  person: PersonJson | undefined,
  form: Form,
): void {
  const { words, format } = visit.language
  const t = words.people
  const lastLogin = person?.lastLoginAt ? format.longTime(person.lastLoginAt) : t.never
  renderPage(visit, 'people/form', {
    title: person ? person.name : t.addTitle,
    scripts: ['people.js'],
    form,
    edited: person,
    lastLogin,
    ...choicesFor(visit.language, me, departments, person),
  })
}
