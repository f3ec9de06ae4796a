import type { DealsPage } from '../../reports/deals/schema.ts'
import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, type PageContext, type Route } from '../frame/context.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { FIELDS, readAnswer, readAsked, readFunnels, unquoted } from './asked.ts'
import { barOf } from './bar.ts'
import { cell, table, writing, type Cell, type Table } from './view.ts'

export const dealRoutes: Route[] = [{ method: 'get', path: '/analytics/deals', handle: showDeals }]

/** What a form asks for, and what only links do, which stands above the list. */
const ASKED = [...FIELDS, 'by', 'outcome'] as const
const CHIPS = [
  'reason',
  'before',
  'calls',
  'said',
  'currency',
  'compared',
  'scoreFrom',
  'scoreBelow',
  'scoredBy',
  'talker',
] as const
const ALL = [...ASKED, ...CHIPS]
/** As many days as a report tells of by itself. */
const DAYS = 90

async function showDeals(context: PageContext): Promise<void> {
  const asked = withDays(readAsked(context, ALL), context)
  const page = pageOf(context.ctx.query.page)
  const query = new URLSearchParams({ ...asked.filled(...ALL), page: String(page) })
  const [answer, facets, funnels] = await Promise.all([
    readAnswer<DealsPage>(context, `/v1/analytics/deals?${query.toString()}`),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    readFunnels(context),
  ])
  const { ctx, language } = context
  const t = language.words.analytics
  const refusal = answer instanceof ApiError ? answer : undefined
  const found = answer instanceof ApiError ? undefined : answer
  if (refusal) ctx.status = 400
  const href = (changed: Record<string, string>) =>
    `/analytics/deals?${new URLSearchParams(Fields.of({ ...asked.filled(...ALL), ...changed }).filled(...ALL, 'page')).toString()}`
  await renderPage(context, 'analytics/deals', {
    title: titleOf(t.reports.deals, [
      unquoted(asked.raw('manager')),
      daysInTitle(String(ctx.query.from ?? ''), String(ctx.query.to ?? ''), language),
    ]),
    ...barOf('deals', asked, facets, language, asked.filled('by', 'outcome', ...CHIPS)),
    form: refusal ? formWithErrors(refusal, asked, [...ASKED], language) : freshForm(asked),
    funnels,
    unasked: Object.entries(asked.filled(...CHIPS)),
    chips: CHIPS.filter((name) => asked.raw(name) !== '').map((name) => ({
      text: `${t.dealList.chips[name]}: ${shownChip(name, asked.raw(name), language)}`,
      href: href({ [name]: '' }),
    })),
    tables: found && tableOf(found, language),
    paging:
      found && found.total > 0 ? pagingOf(page, found.pageSize, found.total, (n) => href({ page: String(n) })) : null,
  })
}

/** The days that a report has where the address names none. */
function withDays(asked: Fields, { language: { format } }: PageContext): Fields {
  const to = asked.raw('to') || format.dayOf(new Date().toISOString())
  const end = Date.parse(to)
  const first = Number.isNaN(end) ? '' : new Date(end - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10)
  return asked.with('to', to).with('from', asked.raw('from') || first)
}

function shownChip(name: (typeof CHIPS)[number], value: string, { words }: Language): string {
  const t = words.analytics.dealList
  if (value === '-') return t.without
  if (name === 'compared') return value === 'false' ? t.isCompared.false : t.isCompared.true
  if (name === 'scoredBy') {
    const [set, version = ''] = value.split('/')
    return words.analytics.version(set!, version)
  }
  return name === 'said' ? value.split('/').at(-1)! : value
}

/** The calls before the end, with the list of those that whoever asks may see; where these are fewer, both numbers. */
function callsOf({ id, calls, callsSeen, closedAt }: DealsPage['items'][number], language: Language): Cell {
  const { format } = language
  const query = new URLSearchParams({ deal: id })
  if (closedAt) query.set('dateTo', format.localTimeToSecond(closedAt))
  const text =
    callsSeen === calls
      ? format.number(calls)
      : writing(language).ofAll({ value: null, numerator: callsSeen, denominator: calls })
  return cell(text, `/recordings?${query.toString()}`)
}

function tableOf({ items, total }: DealsPage, language: Language): Table[] {
  const { words, format } = language
  const t = words.analytics
  const { columns } = t.dealList
  const day = (iso: string | null) => (iso === null ? '—' : format.shortDay(format.dayOf(iso)))
  return table(
    'deals',
    t.dealList.total(total, format.number(total)),
    [
      `*${t.columns.deal}`,
      `*${t.columns.manager}`,
      `*${t.columns.funnel}`,
      `*${t.columns.stage}`,
      `*${columns.outcome}`,
      t.columns.amount,
      columns.created,
      columns.closed,
      columns.calls,
      t.columns.lastCall,
    ],
    items.map((deal) => ({
      head: { text: deal.title, isName: true },
      cells: [
        writing(language).name(deal.manager),
        { text: deal.funnel.name ?? String(deal.funnel.id), isName: true },
        { text: deal.stage ?? '', isName: true },
        cell(t.dealList.outcomes[deal.outcome]),
        cell(deal.amount ? format.money(deal.amount.amount, deal.amount.currency) : '—'),
        cell(day(deal.createdAt)),
        cell(day(deal.closedAt)),
        callsOf(deal, language),
        cell(deal.lastCallAt === null ? t.never : day(deal.lastCallAt)),
      ],
    })),
  )
}
