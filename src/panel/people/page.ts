import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { PersonJson } from '../../people/people/schema.ts'
import { isByScript, redirectFullPage, renderPage, redirect, type Person, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { addressOf, Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { isKnown } from '../frame/managers.ts'
import { titleOf } from '../frame/page-title.ts'
import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { departmentsOf } from '../frame/read-all.ts'
import { canSeeAs } from '../see-as/page.ts'
import { changesOf, choicesFor, defaultRights, fieldsOf, newPersonOf, rolesFor } from './form.ts'
import { withWarning } from './password-warning.ts'
import { people } from './words.ts'
import { randomInt } from 'node:crypto'

export const peoplePage: Page<'people', typeof people> = {
  name: 'people',
  words: people,
  menu: { href: '/people', title: people.title, group: 'settings', for: isOwnerOrHead },
  styles: ['people'],
  scripts: ['people'],
  routes: [
    { method: 'get', path: '/people', handle: showList },
    { method: 'get', path: '/people/new', handle: showNew },
    { method: 'post', path: '/people/new', handle: create },
    { method: 'get', path: '/people/:id', handle: showOne },
    { method: 'post', path: '/people/:id', handle: change },
    { method: 'post', path: '/people/:id/deactivate', handle: (context) => setActive(context, false) },
    { method: 'post', path: '/people/:id/activate', handle: (context) => setActive(context, true) },
  ],
}

const PAGE_SIZE = 50
/** The filters of the list in the address. */
const FILTERS = ['q', 'role', 'department', 'active'] as const

async function showList(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const given = Object.fromEntries(FILTERS.map((name) => [name, textOf(ctx.query[name])]))
  const page = pageOf(ctx.query.page)
  const me = context.person
  const departments = await departmentsOf(context)
  const { words } = context.language
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
  // Ignore values in the address that no choice has.
  for (const [name, options] of Object.entries(filters)) {
    if (!options.some(({ value }) => value === given[name])) given[name] = ''
  }
  const address = (page: number) => addressOf('/people', { ...given, page: page > 1 ? String(page) : '' })
  const query = addressOf('/v1/people', { ...given, page: String(page), pageSize: String(PAGE_SIZE) })
  const { items, total } = await api.read<{ items: PersonJson[]; total: number }>(query)
  const chosen = Object.entries(filters).map(([name, [, ...options]]) =>
    options.find(({ value }) => value === given[name]),
  )
  await renderPage(context, 'people/index', {
    title: titleOf(t.title, [given.q, ...chosen.map((option) => option?.text)]),
    heading: t.title,
    form: freshForm(Fields.of(given)),
    filters,
    rows: items.map((person) => personRow(person, me, context.language)),
    total,
    paging: pagingOf(page, PAGE_SIZE, total, address),
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 320) : '')

function personRow(person: PersonJson, me: Person, { words, format }: Language) {
  const { id, name, email, role, departments, active, lastLoginAt } = person
  return {
    id,
    href: `/people/${id}`,
    name,
    email,
    role: words.frame.roles[role],
    departments: departments.map(({ name }) => name).join(', '),
    may: mayOf(person, words),
    active,
    you: id === me.id,
    lastLogin: lastLoginAt && { iso: lastLoginAt, text: format.shortTime(lastLoginAt) },
  }
}

/** The rights of a person in short words. */
function mayOf({ role, rights }: PersonJson, { people }: Language['words']): string {
  if (role === 'owner') return people.everything
  const held = Object.entries(rights).filter(([, has]) => has)
  return held.map(([right]) => people.rightWords[right]).join(', ') || '—'
}

/** The data for the form of a person: the editor, the person, and the choices. */
interface Surroundings {
  departments: { id: string; name: string }[]
  /** The names in calls, with their numbers. */
  managers: FacetsJson['managers']
  person: PersonJson | undefined
}

async function surroundingsOf(context: PageContext, path?: string): Promise<Surroundings> {
  const [departments, { managers }, person] = await Promise.all([
    departmentsOf(context),
    facetsOf(context),
    path === undefined ? undefined : context.api.read<PersonJson>(path),
  ])
  return { departments, managers, person }
}

/** Without them, names are typed without suggestions. */
const facetsOf = ({ api }: PageContext, query = ''): Promise<Pick<FacetsJson, 'managers'>> =>
  api.read<FacetsJson>(`/v1/recordings/facets${query}`).catch(() => ({ managers: [] }))

async function showNew(context: PageContext): Promise<void> {
  const around = await surroundingsOf(context)
  const { departments } = around
  const me = context.person
  refuseManager(me)
  const role = 'manager'
  const only = me.role === 'head' && departments.length === 1 ? [departments[0]!.id] : []
  const values = { role, rights: defaultRights(me, role), departments: only, language: '', mustChange: 'true' }
  await renderForm(context, around, freshForm(Fields.of(values)))
}

/** The API rejects the form too; this saves people from filling it in. */
function refuseManager({ role }: Person): void {
  if (role === 'manager') throw new PageError(403)
}

const FIELDS = ['name', 'email', 'password', 'role', 'departments', 'rights', 'language']

async function create(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const around = await surroundingsOf(context)
  const wanted = newPersonOf(fields, context.person)
  const made = wanted.password === '' ? makePassword() : undefined
  try {
    const given = made ? { ...wanted, password: made, mustChangePassword: true } : wanted
    const { body } = await api.send<PersonJson>('POST', '/v1/people', given)
    const notice = await warned(context, context.language.words.people.added(body.name), given.password, body)
    if (made) await renderForm(context, { ...around, person: body }, freshForm(fieldsOf(body)), { notice, made })
    else redirectFullPage(ctx, '/people', notice)
  } catch (error) {
    await showErrors(context, around, fields, error)
  }
}

/** The notice of a saved person, with warnings: a weak password, a name without calls. */
async function warned(
  context: PageContext,
  notice: string,
  password: string | undefined,
  person: PersonJson,
): Promise<string> {
  const { language } = context
  const saved = withWarning(notice, password, person, language)
  if (person.role !== 'manager') return saved
  const { managers } = await facetsOf(context, `?manager=${encodeURIComponent(person.name)}`)
  if (isKnown(person.name, managers.map(({ name }) => name))) return saved // prettier-ignore
  return `${saved} ${language.words.people.noCalls(person.name)}`
}

async function showOne(context: PageContext): Promise<void> {
  const around = await surroundingsOf(context, pathOf(context))
  await renderForm(context, around, freshForm(fieldsOf(around.person!)))
}

const pathOf = ({ ctx }: PageContext): string => `/v1/people/${encodeURIComponent(String(ctx.params.id))}`

async function change(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const path = pathOf(context)
  const fields = await readFields(ctx)
  const around = await surroundingsOf(context, path)
  const { person } = around
  const wanted = changesOf(fields, context.person, person!)
  const made = wanted.mustChangePassword !== undefined && fields.checked('generate') ? makePassword() : undefined
  const changes = made ? { ...wanted, password: made, mustChangePassword: true } : wanted
  const saved = context.language.words.people.saved
  try {
    const { body } = await api.send<PersonJson>('PATCH', path, changes)
    const renamed = body.name !== person!.name || body.role !== person!.role
    const notice = renamed
      ? await warned(context, saved, changes.password, body)
      : withWarning(saved, changes.password, body, context.language)
    if (made) await renderForm(context, { ...around, person: body }, freshForm(fieldsOf(body)), { notice, made })
    else redirect(ctx, `/people/${body.id}`, notice)
  } catch (error) {
    await showErrors(context, around, fields, error)
  }
}

async function setActive(context: PageContext, active: boolean): Promise<void> {
  const { ctx, api } = context
  const path = pathOf(context)
  const around = await surroundingsOf(context, path)
  const person = around.person!
  const t = context.language.words.people
  try {
    await (active ? api.send('PATCH', path, { active }) : api.send('POST', `${path}/deactivate`))
    redirect(ctx, `/people/${person.id}`, active ? t.activated(person.name) : t.deactivated(person.name))
  } catch (error) {
    await showErrors(context, around, fieldsOf(person), error)
  }
}

async function showErrors(context: PageContext, around: Surroundings, fields: Fields, error: unknown): Promise<void> {
  const form = formWithErrors(error, fields, FIELDS, context.language)
  const { typeAgain } = context.language.words.people
  context.ctx.status = (error as { status: number }).status
  // Responses never contain a password. A script that exchanges parts of the page keeps the field's value. If the whole page
  // is new, an overlooked empty field would generate another password.
  const isLost = form.values.raw('password') !== '' && !isByScript(context.ctx)
  const errors = isLost ? { password: typeAgain, ...form.errors } : form.errors
  await renderForm(context, around, { ...form, errors })
}

async function renderForm(
  context: PageContext,
  { departments, managers, person }: Surroundings,
  form: Form,
  shown: { notice?: string; made?: string } = {},
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
    maySeeAs: person !== undefined && canSeeAs(context.person, person),
    managers: managers.map(({ name, count }) => ({ name, text: t.withCalls(name, format.number(count)) })),
    ...shown,
    ...choicesFor(context.language, context.person, departments, person),
  })
}

/** Letters and digits that are not confused when read aloud or copied by hand. */
const SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password for a person's first login, in groups for reading aloud: about 79 bits. */
function makePassword(): string {
  const group = () => Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
