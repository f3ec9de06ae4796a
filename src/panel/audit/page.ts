import type { AuditAction } from '../../platform/audit/actions.ts'
import { CHANGE_ACTIONS, READ_ACTIONS, type AuditEntryJson } from '../../platform/audit/schema.ts'
import type { PersonJson } from '../../people/people/schema.ts'
import { getDayAfter, parseDay } from '../frame/dates.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { formatTitlePeriod, formatPageTitle } from '../frame/page-title.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { fetchAllItems } from '../frame/fetch-all.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { buildAuditEntryRow, formatAuditObjectName } from './view.ts'
import { isOwner, type Page } from '../frame/page.ts'
import { auditWords } from './words.ts'

export const auditPage: Page<'audit', typeof auditWords> = {
  name: 'audit',
  words: auditWords,
  routes: [
    { method: 'get', path: '/audit', handle: showLog },
    { method: 'get', path: '/audit/export', handle: exportLog },
  ],
  menu: { href: '/audit', title: auditWords.title, group: 'settings', for: isOwner },
  styles: ['audit'],
}

const PAGE_SIZE = 50

/** Query parameters of the page. `from` and `to` are included days; `order` is `asc` or empty. */
const FILTER_NAMES = ['person', 'action', 'kind', 'from', 'to', 'object', 'order'] as const
type Filters = Record<(typeof FILTER_NAMES)[number], string>

const ACTIONS_BY_KIND: Record<string, readonly string[]> = { reads: READ_ACTIONS, changes: CHANGE_ACTIONS }

async function showLog(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const page = parsePageNumber(ctx.query.page)
  const people = await fetchAllItems<PersonJson>(api, '/v1/people')
  const { language } = context
  const t = language.words.audit
  const filters = parseFilters(context, people)
  const errors = validateDays(filters, language)
  const query = { ...buildApiQuery(filters, errors), page: String(page), pageSize: String(PAGE_SIZE) }
  const { items, total } = await api.fetch<{ items: AuditEntryJson[]; total: number }>(
    formatPathWithQuery('/v1/audit', query),
  )
  const address = (changes: Record<string, string>) => formatPathWithQuery('/audit', { ...filters, ...changes })
  const about = filters.object && findObjectName(items, filters.object, language)
  await renderPage(context, 'audit/index', {
    title: formatPageTitle(t.title, [
      people.find(({ id }) => id === filters.person)?.name,
      filters.action ? t.actions[filters.action as AuditAction] : filters.kind && t.kinds[filters.kind],
      about,
      formatTitlePeriod(filters.from, filters.to, language),
    ]),
    heading: t.title,
    form: { values: FormValues.of(filters), errors, error: null },
    people: people.map(({ id, name, email }) => ({ value: id, text: name, title: email })),
    actions: buildActionGroups(language),
    kinds: ['', 'reads', 'changes'].map((kind) => ({
      text: t.kinds[kind]!,
      href: address({ kind, action: '' }),
      current: kind === filters.kind && !filters.action,
    })),
    about: about && { text: about, reset: address({ object: '' }) },
    rows: items.map((entry) => buildAuditEntryRow(entry, language, address)),
    total,
    order: filters.order || 'desc',
    orders: ['desc', 'asc'].map((order) => ({ order, href: address({ order: order === 'asc' ? 'asc' : '' }) })),
    csv: formatPathWithQuery('/audit/export', filters),
    paging: buildPaging(page, PAGE_SIZE, total, (page) => address({ page: page > 1 ? String(page) : '' })),
  })
}

async function exportLog(context: PageContext): Promise<void> {
  const filters = parseFilters(context)
  const query = { ...buildApiQuery(filters, validateDays(filters, context.language)), spreadsheet: 'true' }
  await streamFromApi(context, formatPathWithQuery('/v1/audit/export', query))
}

/**
 * Parses the filters and ignores unknown people, actions and kinds. @param people known people; without them, only the form of
 * the id is checked
 */
function parseFilters({ ctx, language }: PageContext, people?: PersonJson[]): Filters {
  const input = Object.fromEntries(FILTER_NAMES.map((name) => [name, cleanText(ctx.query[name])])) as Filters
  const isPerson = people ? people.some(({ id }) => id === input.person) : /^[0-9a-f-]{36}$/.test(input.person)
  return {
    ...input,
    from: parseDay(input.from),
    to: parseDay(input.to),
    person: isPerson ? input.person : '',
    action: input.action in language.words.audit.actions ? input.action : '',
    kind: input.kind in ACTIONS_BY_KIND ? input.kind : '',
    order: input.order === 'asc' ? 'asc' : '',
  }
}

const cleanText = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/\p{Cc}/gu, '')
        .trim()
        .slice(0, 200)
    : ''

function validateDays({ from, to }: Filters, { words }: Language): Record<string, string> {
  const isInvalidDay = (day: string) => day !== '' && getDayAfter(day) === undefined
  const errors = {
    ...(isInvalidDay(from) && { from: words.rules.day }),
    ...(isInvalidDay(to) && { to: words.rules.day }),
  }
  const isBackwards = Object.keys(errors).length === 0 && from && to && to < from
  return isBackwards ? { to: words.audit.filters.backwards } : errors
}

/** Builds the API query from the valid filters. The API excludes the day `to`, so the day after it is sent. */
function buildApiQuery({ kind, order, ...filters }: Filters, errors: Record<string, string>): Record<string, string> {
  const valid = Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in errors)))
  return {
    ...valid,
    action: filters.action || (ACTIONS_BY_KIND[kind]?.join(',') ?? ''),
    to: valid.to ? getDayAfter(valid.to)! : '',
    order: order || 'desc',
  }
}

/** Groups of the actions whose first word is not the name of the group. */
const ACTION_GROUPS: [group: string, words: RegExp][] = [
  ['login', /^(login|logout|session|password|audit)$/],
  ['recording', /^(home|recordings?|audio|transcripts?|separation|stats|ingestion|search|bulk-action)$/],
  ['rules', /^(analysis|reviews|backtest|model)$/],
  ['person', /^department/],
  ['work', /^(comments?|notifications|assignments?|view|playlist|calibration)$/],
]

function buildActionGroups({ words }: Language) {
  const { actions, groups } = words.audit
  const findGroup = (action: string): string => {
    const word = action.split('.')[0]!
    return ACTION_GROUPS.find(([, words]) => words.test(word))?.[0] ?? word
  }
  return Object.entries(groups).map(([group, text]) => ({
    text,
    options: Object.entries(actions)
      .filter(([action]) => findGroup(action) === group)
      .map(([value, text]) => ({ value, text })),
  }))
}

function findObjectName(items: AuditEntryJson[], id: string, language: Language): string {
  const object = items.find(({ object }) => object?.id === id && (object.call || object.name !== null))?.object
  return (object && formatAuditObjectName(object, language)) ?? id
}
