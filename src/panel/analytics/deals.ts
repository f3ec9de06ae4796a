import { DEAL_SORTS, type DealSort, type DealsPage } from '../../reports/deals/schema.ts'
import type { PageContext, PanelRoute } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { formatPathWithQuery, type FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { fetchRuleName, fetchRuleNames } from '../frame/rule-names.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { fetchReport, renderReportPage } from './report-page.ts'
import { REPORT_FILTER_FIELDS, parseReportQuery } from './query.ts'
import { createTableCell, buildReportTable, type TableCell, type ReportTable } from './view.ts'
import { buildSortHeader, parseTableSort, type TableSort } from '../frame/sortable.ts'
import { createFigureFormatter, type FigureFormatter } from './figure-formatter.ts'

export const dealListRoutes: PanelRoute[] = [{ method: 'get', path: '/analytics/deals', handle: showDeals }]

const FORM_FIELDS = [...REPORT_FILTER_FIELDS, 'by', 'outcome'] as const
/** Filters that only links set. The page shows them above the list as removable chips. */
const CHIP_FIELDS = [
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
const ALL_FIELDS = [...FORM_FIELDS, ...CHIP_FIELDS]
/** Equals the default period of the reports in the API (`src/reports/scope.ts`). */
const DEFAULT_PERIOD_DAYS = 90

async function showDeals(context: PageContext): Promise<void> {
  const query = withDefaultPeriod(parseReportQuery(context, ALL_FIELDS), context)
  const filters = query.collectFilled(...ALL_FIELDS)
  const page = parsePageNumber(context.ctx.query.page)
  const sort = parseTableSort<DealSortName>(context.ctx.query, DEAL_SORTS, { sort: '', order: 'desc' })
  const sorting: Record<string, string> = sort.sort === '' ? {} : { ...sort }
  const address = formatPathWithQuery('/v1/analytics/deals', { ...filters, ...sorting, page: String(page) })
  const loaded = await fetchReport<DealsPage>(context, address, { hasFunnel: true })
  const { report: dealsPage } = loaded
  const { language } = context
  const t = language.words.analytics.dealList
  const own = query.collectFilled('by', 'outcome', ...CHIP_FIELDS)
  await renderReportPage(context, 'analytics/deals', { name: 'deals', query, own, fields: FORM_FIELDS }, loaded, {
    unasked: Object.entries({ ...query.collectFilled(...CHIP_FIELDS), ...sorting }),
    chips: await Promise.all(
      CHIP_FIELDS.filter((name) => query.raw(name) !== '').map(async (name) => ({
        text: `${t.chips[name]}: ${await formatChipValue(name, query.raw(name), context)}`,
        href: formatPathWithQuery('/analytics/deals', {
          ...query.with(name, '').collectFilled(...ALL_FIELDS),
          ...sorting,
        }),
      })),
    ),
    lead: dealsPage && dealsPage.total > 0 && formatDealsLead(dealsPage, language),
    tables:
      dealsPage &&
      buildDealTable(
        dealsPage,
        createFigureFormatter(language, { from: '', to: '' }, context.panel.config.SCORE_BANDS),
      ).map((table) => ({ ...table, headers: buildDealHeaders(table, sort, filters) })),
    paging:
      dealsPage && dealsPage.total > 0
        ? buildPaging(page, dealsPage.pageSize, dealsPage.total, (n) =>
            formatPathWithQuery('/analytics/deals', { ...filters, ...sorting, page: String(n) }),
          )
        : null,
  })
}

/** Counts the deals of all pages by outcome, without outcomes that no deal has. */
function formatDealsLead({ outcomes }: DealsPage, { words, format }: Language): string {
  const { lead } = words.analytics.dealList
  const counts = (['won', 'lost', 'open'] as const)
    .filter((outcome) => outcomes[outcome] > 0)
    .map((outcome) => lead[outcome](format.number(outcomes[outcome])))
  return `${counts.join(', ')}.`
}

/** Fills a missing period with the 90 days that other reports use by default. */
function withDefaultPeriod(query: FormValues, { language: { format } }: PageContext): FormValues {
  const to = query.raw('to') || format.dayOf(new Date().toISOString())
  const from = query.raw('from') || (Number.isNaN(Date.parse(to)) ? '' : addDays(to, 1 - DEFAULT_PERIOD_DAYS))
  return query.with('to', to).with('from', from)
}

async function formatChipValue(
  name: (typeof CHIP_FIELDS)[number],
  value: string,
  context: PageContext,
): Promise<string> {
  const { words } = context.language
  const t = words.analytics.dealList
  if (value === '-') return t.without
  if (name === 'compared') return value === 'false' ? t.isCompared.false : t.isCompared.true
  if (name === 'scoredBy') {
    const [set = '', version = ''] = value.split('/')
    const names = await fetchRuleNames(context, set)
    return words.analytics.version(names?.set ?? set, version)
  }
  return name === 'said' ? fetchRuleName(context, value) : value
}

/** Shows the calls before the deal was closed. If the person sees only some of them, shows both numbers. */
function buildCallsCell(
  { id, calls, callsSeen, closedAt }: DealsPage['items'][number],
  formatter: FigureFormatter,
): TableCell {
  const text =
    callsSeen === calls
      ? formatter.count(calls)
      : formatter.ofAll({ value: null, numerator: callsSeen, denominator: calls })
  return createTableCell(
    text,
    formatPathWithQuery('/recordings', {
      deal: id,
      ...(closedAt && { dateTo: formatter.format.localTimeToSecond(closedAt) }),
    }),
  )
}

/** An empty name means the order of the API. */
type DealSortName = NonNullable<DealSort['sort']> | ''

/** Builds the sort links of the columns. The API sorts, because a page shows only some of the deals. */
const buildDealHeaders = ({ columns }: ReportTable, sort: TableSort<DealSortName>, filters: Record<string, string>) =>
  columns.map(({ text, isNumber }, n) =>
    buildSortHeader({ title: text, name: DEAL_SORTS[n]!, first: isNumber ? 'desc' : 'asc' }, sort, (next) =>
      formatPathWithQuery('/analytics/deals', { ...filters, ...next }),
    ),
  )

/** The columns are in the order of DEAL_SORTS. */
function buildDealTable({ items, total }: DealsPage, formatter: FigureFormatter): ReportTable[] {
  const { t, format, name } = formatter
  const { columns, outcomes } = t.dealList
  const formatDay = (iso: string | null) => (iso === null ? '—' : format.shortDay(format.dayOf(iso)))
  return buildReportTable('deals', t.dealList.total(total, formatter.count(total)), items, [
    { title: t.columns.deal, cell: ({ title }) => name(title) },
    { title: t.columns.manager, isText: true, cell: ({ manager }) => name(manager) },
    { title: t.columns.funnel, isText: true, cell: ({ funnel }) => name(funnel.name ?? String(funnel.id)) },
    { title: t.columns.stage, isText: true, cell: ({ stage }) => name(stage ?? '') },
    { title: columns.outcome, isText: true, cell: ({ outcome }) => outcomes[outcome] },
    { title: t.columns.amount, cell: ({ amount }) => formatter.money(amount) },
    { title: columns.created, cell: ({ createdAt }) => formatDay(createdAt) },
    { title: columns.closed, cell: ({ closedAt }) => formatDay(closedAt) },
    { title: columns.calls, cell: (deal) => buildCallsCell(deal, formatter) },
    { title: t.columns.lastCall, cell: ({ lastCallAt }) => (lastCallAt === null ? t.never : formatDay(lastCallAt)) },
  ])
}
