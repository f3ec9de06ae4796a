import type { Action } from '../../platform/audit/actions.ts'
import { CHANGES, READS, type EntryJson } from '../../platform/audit/schema.ts'
import type { PersonJson } from '../../people/people/schema.ts'
import { dayAfter, readDay } from '../frame/dates.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { passThrough } from '../frame/pass-through.ts'
import { readAll } from '../frame/read-all.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { entryRow, nameOf } from './view.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { audit } from './words.ts'

export const auditPage: Page<'audit', typeof audit> = {
  name: 'audit',
  words: audit,
  routes: [
    { method: 'get', path: '/audit', handle: showLog },
    { method: 'get', path: '/audit/export', handle: exportLog },
  ],
  menu: { href: '/audit', title: audit.title, group: 'settings', for: isOwner },
  styles: ['audit'],
}

const PAGE_SIZE = 50

/** The filters in the address. Both days are included; the order is asc, or empty. */
const FILTERS = ['person', 'action', 'kind', 'from', 'to', 'object', 'order'] as const
type Filters = Record<(typeof FILTERS)[number], string>

/** The actions of each kind. */
const KINDS: Record<string, readonly string[]> = { reads: READS, changes: CHANGES }

async function showLog(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const page = pageOf(ctx.query.page)
  const people = await readAll<PersonJson>(api, '/v1/people')
  const { language } = context
  const t = language.words.audit
  const asked = parseFilters(context, people)
  const errors = errorsOf(asked, language)
  const query = { ...apiQuery(asked, errors), page: String(page), pageSize: String(PAGE_SIZE) }
  const { items, total } = await api.read<{ items: EntryJson[]; total: number }>(addressOf('/v1/audit', query))
  const address = (changes: Record<string, string>) => addressOf('/audit', { ...asked, ...changes })
  const about = asked.object && nameIn(items, asked.object, language)
  await renderPage(context, 'audit/index', {
    title: titleOf(t.title, [
      people.find(({ id }) => id === asked.person)?.name,
      asked.action ? t.actions[asked.action as Action] : asked.kind && t.kinds[asked.kind],
      about,
      daysInTitle(asked.from, asked.to, language),
    ]),
    heading: t.title,
    form: { values: Fields.of(asked), errors, error: null },
    people: people.map(({ id, name, email }) => ({ value: id, text: name, title: email })),
    actions: actionGroups(language),
    kinds: ['', 'reads', 'changes'].map((kind) => ({
      text: t.kinds[kind]!,
      href: address({ kind, action: '' }),
      current: kind === asked.kind && !asked.action,
    })),
    about: about && { text: about, reset: address({ object: '' }) },
    rows: items.map((entry) => entryRow(entry, language, address)),
    total,
    order: asked.order || 'desc',
    orders: ['desc', 'asc'].map((order) => ({ order, href: address({ order: order === 'asc' ? 'asc' : '' }) })),
    csv: addressOf('/audit/export', asked),
    paging: pagingOf(page, PAGE_SIZE, total, (page) => address({ page: page > 1 ? String(page) : '' })),
  })
}

async function exportLog(context: PageContext): Promise<void> {
  const asked = parseFilters(context)
  const query = { ...apiQuery(asked, errorsOf(asked, context.language)), spreadsheet: 'true' }
  await passThrough(context, addressOf('/v1/audit/export', query))
}

/** Unknown persons, actions and kinds are ignored. @param people to choose from, if the page has loaded them */
function parseFilters({ ctx, language }: PageContext, people?: PersonJson[]): Filters {
  const given = Object.fromEntries(FILTERS.map((name) => [name, textOf(ctx.query[name])])) as Filters
  const isPerson = people ? people.some(({ id }) => id === given.person) : /^[0-9a-f-]{36}$/.test(given.person)
  return {
    ...given,
    from: readDay(given.from),
    to: readDay(given.to),
    person: isPerson ? given.person : '',
    action: given.action in language.words.audit.actions ? given.action : '',
    kind: given.kind in KINDS ? given.kind : '',
    order: given.order === 'asc' ? 'asc' : '',
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}/gu, '')
        .trim()
        .slice(0, 200)
    : ''

function errorsOf({ from, to }: Filters, { words }: Language): Record<string, string> {
  const isWrong = (day: string) => day !== '' && dayAfter(day) === undefined
  const errors = {
    ...(isWrong(from) && { from: words.rules.day }),
    ...(isWrong(to) && { to: words.rules.day }),
  }
  const isBackwards = Object.keys(errors).length === 0 && from && to && to < from
  return isBackwards ? { to: words.audit.filters.backwards } : errors
}

/** The filters for the API, without invalid ones. In the API the last day is excluded. */
function apiQuery({ kind, order, ...filters }: Filters, errors: Record<string, string>): Record<string, string> {
  const valid = Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in errors)))
  return {
    ...valid,
    action: filters.action || (KINDS[kind]?.join(',') ?? ''),
    to: valid.to ? dayAfter(valid.to)! : '',
    order: order || 'desc',
  }
}

/** The groups of actions whose name is not the first word of the action. */
const GROUPS: [group: string, words: RegExp][] = [
  ['login', /^(login|logout|session|password|audit)$/],
  ['recording', /^(recordings?|audio|transcripts?|stats|ingestion|search)$/],
  ['rules', /^(analysis|reviews|backtest|model)$/],
  ['person', /^department/],
]

function actionGroups({ words }: Language) {
  const { actions, groups } = words.audit
  const groupOf = (action: string): string => {
    const word = action.split('.')[0]!
    return GROUPS.find(([, words]) => words.test(word))?.[0] ?? word
  }
  return Object.entries(groups).map(([group, text]) => ({
    text,
    options: Object.entries(actions)
      .filter(([action]) => groupOf(action) === group)
      .map(([value, text]) => ({ value, text })),
  }))
}

function nameIn(items: EntryJson[], id: string, language: Language): string {
  const object = items.find(({ object }) => object?.id === id && (object.call || object.name !== null))?.object
  return (object && nameOf(object, language)) ?? id
}
