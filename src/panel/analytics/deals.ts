import type { DealsPage } from '../../reports/deals/schema.ts'
import type { PageContext, Route } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { addressOf, type Fields } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { loadReport, renderReport } from './bar.ts'
import { FIELDS, parseQuery } from './query.ts'
import { cell, table, type Cell, type Table } from './view.ts'
import { createWriter, type Writer } from './writer.ts'

export const dealRoutes: Route[] = [{ method: 'get', path: '/analytics/deals', handle: showDeals }]

const FORM = [...FIELDS, 'by', 'outcome'] as const
/** Filters that only links set; they are shown above the list. */
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
const ALL = [...FORM, ...CHIPS]
/** The default period of reports. */
const DAYS = 90

async function showDeals(context: PageContext): Promise<void> {
  const asked = withDays(parseQuery(context, ALL), context)
  const filters = asked.filled(...ALL)
  const page = pageOf(context.ctx.query.page)
  const address = addressOf('/v1/analytics/deals', { ...filters, page: String(page) })
  const loaded = await loadReport<DealsPage>(context, address, { hasFunnel: true })
  const { report: found } = loaded
  const { language } = context
  const t = language.words.analytics.dealList
  const own = asked.filled('by', 'outcome', ...CHIPS)
  await renderReport(context, 'analytics/deals', { name: 'deals', asked, own, fields: FORM }, loaded, {
    unasked: Object.entries(asked.filled(...CHIPS)),
    chips: CHIPS.filter((name) => asked.raw(name) !== '').map((name) => ({
      text: `${t.chips[name]}: ${shownChip(name, asked.raw(name), language)}`,
      href: addressOf('/analytics/deals', asked.with(name, '').filled(...ALL)),
    })),
    tables: found && tableOf(found, createWriter(language, { from: '', to: '' })),
    paging:
      found && found.total > 0
        ? pagingOf(page, found.pageSize, found.total, (n) =>
            addressOf('/analytics/deals', { ...filters, page: String(n) }),
          )
        : null,
  })
}

/** The default period of reports, if the address has none. */
function withDays(asked: Fields, { language: { format } }: PageContext): Fields {
  const to = asked.raw('to') || format.dayOf(new Date().toISOString())
  const from = asked.raw('from') || (Number.isNaN(Date.parse(to)) ? '' : addDays(to, 1 - DAYS))
  return asked.with('to', to).with('from', from)
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

/** The calls before the deal was closed. If the person sees only some of them, both numbers. */
function callsCell({ id, calls, callsSeen, closedAt }: DealsPage['items'][number], write: Writer): Cell {
  const text =
    callsSeen === calls ? write.count(calls) : write.ofAll({ value: null, numerator: callsSeen, denominator: calls })
  return cell(
    text,
    addressOf('/recordings', { deal: id, ...(closedAt && { dateTo: write.format.localTimeToSecond(closedAt) }) }),
  )
}

function tableOf({ items, total }: DealsPage, write: Writer): Table[] {
  const { t, format, name } = write
  const { columns, outcomes } = t.dealList
  const day = (iso: string | null) => (iso === null ? '—' : format.shortDay(format.dayOf(iso)))
  return table('deals', t.dealList.total(total, write.count(total)), items, [
    { title: t.columns.deal, cell: ({ title }) => name(title) },
    { title: t.columns.manager, isText: true, cell: ({ manager }) => name(manager) },
    { title: t.columns.funnel, isText: true, cell: ({ funnel }) => name(funnel.name ?? String(funnel.id)) },
    { title: t.columns.stage, isText: true, cell: ({ stage }) => name(stage ?? '') },
    { title: columns.outcome, isText: true, cell: ({ outcome }) => outcomes[outcome] },
    { title: t.columns.amount, cell: ({ amount }) => write.money(amount) },
    { title: columns.created, cell: ({ createdAt }) => day(createdAt) },
    { title: columns.closed, cell: ({ closedAt }) => day(closedAt) },
    { title: columns.calls, cell: (deal) => callsCell(deal, write) },
    { title: t.columns.lastCall, cell: ({ lastCallAt }) => (lastCallAt === null ? t.never : day(lastCallAt)) },
  ])
}
