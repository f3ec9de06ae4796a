import type { Action } from '../../platform/audit/actions.ts'
import { CHANGES, READS, type EntryJson } from '../../platform/audit/schema.ts'
import type { PersonJson } from '../../people/people/schema.ts'
import { entryRow, nameOf } from './view.ts'
import { dayAfter, readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import type { Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { passThrough } from '../frame/pass-through.ts'
import { readAll } from '../frame/read-all.ts'
import { renderPage, type Route, type PageContext } from '../frame/context.ts'

export const auditRoutes: Route[] = [
  { method: 'get', path: '/audit', handle: showLog },
  { method: 'get', path: '/audit/export', handle: exportLog },
]

const PAGE_SIZE = 50

/** What narrows the log, as it stands in the address. Both days belong to it. */
const FILTERS = ['person', 'action', 'kind', 'from', 'to', 'object'] as const
type Filters = Record<(typeof FILTERS)[number], string>

async function showLog(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const page = pageOf(ctx.query.page)
  const order = ctx.query.order === 'asc' ? 'asc' : 'desc'
  const people = await readAll<PersonJson>(api, '/v1/people')
  const { language } = context
  const { words } = language
  const given = readFilters(context, people)
  const errors = errorsOf(given, language)
  const query = queryOf({ ...askedOf(given, errors), page: String(page), pageSize: String(PAGE_SIZE), order })
  const { items, total } = await api.read<{ items: EntryJson[]; total: number }>(`/v1/audit?${query}`)
  const address = (changes: Record<string, string>) =>
    addressOf({ ...given, order: order === 'asc' ? 'asc' : '', ...changes })
  const form: Form = { values: Fields.of(given), errors, error: null }
  const about = given.object && nameIn(items, given.object, language)
  const narrowed = [
    people.find(({ id }) => id === given.person)?.name,
    given.action ? words.audit.actions[given.action as Action] : given.kind && words.audit.kinds[given.kind],
    about,
    daysInTitle(given.from, given.to, language),
  ]
  await renderPage(context, 'audit/index', {
    title: titleOf(words.audit.title, narrowed),
    heading: words.audit.title,
    form,
    people: people.map(({ id, name, email }) => ({ value: id, text: name, title: email })),
    actions: actionGroups(language),
    kinds: ['', 'reads', 'changes'].map((kind) => ({
      text: words.audit.kinds[kind]!,
      href: address({ kind, action: '' }),
      current: kind === given.kind && !given.action,
    })),
    about: about && { text: about, reset: address({ object: '' }) },
    rows: items.map((entry) => entryRow(entry, language, address)),
    total,
    order,
    orders: (['desc', 'asc'] as const).map((one) => ({
      order: one,
      href: address({ order: one === 'asc' ? 'asc' : '' }),
    })),
    csv: `/audit/export?${queryOf({ ...given, order })}`,
    paging: pagingOf(page, PAGE_SIZE, total, (page) => address({ page: page > 1 ? String(page) : '' })),
  })
}

/** The same filters as a file of the API. */
async function exportLog(context: PageContext): Promise<void> {
  const given = readFilters(context)
  const order = context.ctx.query.order === 'asc' ? 'asc' : 'desc'
  const query = queryOf({ ...askedOf(given, errorsOf(given, context.language)), order, spreadsheet: 'true' })
  await passThrough(context, `/v1/audit/export?${query}`)
}

/** What the address asks for; a person or an action that is not there is as if nobody had asked. */
function readFilters({ ctx, language }: PageContext, people?: PersonJson[]): Filters {
  const given = Object.fromEntries(FILTERS.map((name) => [name, textOf(ctx.query[name])])) as Filters
  const isPerson = people ? people.some(({ id }) => id === given.person) : /^[0-9a-f-]{36}$/.test(given.person)
  return {
    ...given,
    from: readDay(given.from),
    to: readDay(given.to),
    person: isPerson ? given.person : '',
    action: given.action in language.words.audit.actions ? given.action : '',
    kind: given.kind in KINDS ? given.kind : '',
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}/gu, '')
        .trim()
        .slice(0, 200)
    : ''

const isDay = (text: string): boolean => dayAfter(text) !== undefined

function errorsOf({ from, to }: Filters, { words }: Language): Record<string, string> {
  const t = words.audit.filters
  const errors: Record<string, string> = {}
  if (from && !isDay(from)) errors.from = words.rules.day
  if (to && !isDay(to)) errors.to = words.rules.day
  if (!errors.from && !errors.to && from && to && to < from) errors.to = t.backwards
  return errors
}

/** The filters as the API takes them: those that are invalid do not count, and the last day ends before the next begins. */
function askedOf(given: Filters, errors: Record<string, string>): Record<string, string> {
  const { kind, ...filters } = given
  const asked = Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in errors)))
  if (!asked.action && kind) asked.action = KINDS[kind]!.join(',')
  return asked.to ? { ...asked, to: dayAfter(asked.to)! } : asked
}

const queryOf = (given: Record<string, string>): string =>
  new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')).toString()

function addressOf(given: Record<string, string>): string {
  const query = queryOf(given)
  return query ? `/audit?${query}` : '/audit'
}

/** What is read and what is changed, apart. */
const KINDS: Record<string, readonly string[]> = { reads: READS, changes: CHANGES }

/** The actions by what they are about. */
function actionGroups({ words }: Language) {
  const { actions, groups } = words.audit
  const group = (action: string): string => {
    const [word = ''] = action.split('.')
    if (/^(login|logout|session|password|audit)$/.test(word)) return 'login'
    if (/^(recordings?|audio|transcripts?|stats|ingestion)$/.test(word)) return 'recording'
    if (/^(analysis|reviews|backtest|model)$/.test(word)) return 'rules'
    return word.startsWith('department') ? 'person' : word
  }
  return Object.entries(groups).map(([name, text]) => ({
    text,
    options: Object.entries(actions)
      .filter(([action]) => group(action) === name)
      .map(([value, text]) => ({ value, text })),
  }))
}

/** What the object of a filter is called, as far as the entries tell. */
function nameIn(items: EntryJson[], id: string, language: Language): string {
  const object = items.find(({ object }) => object?.id === id && (object.call || object.name !== null))?.object
  return (object && nameOf(object, language)) ?? id
}
