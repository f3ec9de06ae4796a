import {
  CALL_LOAD_INTERVALS,
  type CallLoadEntry,
  type CallLoadInterval,
  type CallLoad,
} from '../../reports/load/schema.ts'
import { fetchReport, renderReportPage } from '../analytics/report-page.ts'
import { REPORT_FILTER_FIELDS, parseReportQuery } from '../analytics/query.ts'
import { createReportSortContext, sortReportTable } from '../analytics/report-sorting.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import { buildPeriodSpans, type PeriodSpan } from './spans.ts'
import {
  drawLoadCharts,
  buildLoadColumns,
  buildLoadRow,
  buildLoadTotalCards,
  formatLoadVerdict,
  type LoadListLinks,
} from './view.ts'
import type { Page } from '../frame/page.ts'
import { statisticsWords } from './words.ts'

export const statisticsPage: Page<'statistics', typeof statisticsWords> = {
  name: 'statistics',
  words: statisticsWords,
  routes: [{ method: 'get', path: '/analytics/load', handle: showLoad }],
  styles: ['statistics'],
}

interface LoadOverview {
  days: CallLoadEntry[]
  totals: CallLoad
}

/** Longer periods are grouped by week, and still longer ones by month, to keep the page short. */
const MAX_DAYS_SHOWN_AS_DAYS = 92
const MAX_DAYS_SHOWN_AS_WEEKS = 3 * 366

const LOAD_FIELDS = ['by', 'interval'] as const
const QUERY_FIELDS = ['from', 'to', 'department', 'manager', ...LOAD_FIELDS] as const

async function showLoad(context: PageContext): Promise<void> {
  const query = parseLoadQuery(context)
  const loaded = await fetchReport<LoadOverview>(
    context,
    formatPathWithQuery('/v1/stats/overview', query.collectFilled(...QUERY_FIELDS)),
  )
  const { report: load } = loaded
  const { language } = context
  const interval = query.raw('interval') as CallLoadInterval
  const today = language.format.dayOf(new Date().toISOString())
  const to = query.raw('to') || today
  const first = load?.days[0]?.day
  // Without days in the address, the fields show the days that the API chose.
  const filledQuery = first
    ? FormValues.of({ ...query.collectFilled(...REPORT_FILTER_FIELDS, ...LOAD_FIELDS), from: first, to })
    : query
  const spans = load ? buildPeriodSpans(load.days, interval, to, today) : []
  const lists = spans.map((span) => buildListLinks(span, filledQuery))
  const formatUnfinished = ({ isOpen }: PeriodSpan) =>
    isOpen ? language.words.statistics.unfinished[interval] : undefined
  const allLists = buildListLinks({ from: first ?? '', to }, filledQuery)
  const ownFilters: Record<string, string> = query.raw('by') === 'arrival' ? { by: 'arrival' } : {}
  await renderReportPage(
    context,
    'statistics/index',
    { name: 'load', query, filledQuery, own: ownFilters, fields: QUERY_FIELDS },
    loaded,
    {
      interval,
      ...(load && {
        verdict: formatLoadVerdict(load.totals, language),
        totals: buildLoadTotalCards(load.totals, language, allLists),
        charts: drawLoadCharts(load.days, language, interval, spans, lists),
        table: sortReportTable(
          {
            id: 'days',
            isWhole: true,
            columns: buildLoadColumns(interval, language),
            rows: load.days
              .map((day, n) => buildLoadRow(day, language, lists[n]!, formatUnfinished(spans[n]!)))
              .toReversed(),
          },
          createReportSortContext(context, '/analytics/load', filledQuery.collectFilled(...QUERY_FIELDS)),
        ),
        sum: buildLoadRow({ day: '', ...load.totals }, language, allLists),
      }),
    },
  )
}

/** Parses the query. By default, a call counts on its own day (`call`), not on the day the service received it (`arrival`). */
function parseLoadQuery(context: PageContext): FormValues {
  const query = parseReportQuery(context, [...REPORT_FILTER_FIELDS, ...LOAD_FIELDS])
  const { from, to }: Record<string, string> = query.collectFilled('from', 'to')
  const today = context.language.format.dayOf(new Date().toISOString())
  const days = (Date.parse(to ?? today) - Date.parse(from ?? today)) / 86_400_000 + 1
  let interval: CallLoadInterval = CALL_LOAD_INTERVALS.find((one) => one === query.raw('interval')) ?? 'day'
  if (days > MAX_DAYS_SHOWN_AS_WEEKS) interval = 'month'
  else if (days > MAX_DAYS_SHOWN_AS_DAYS && interval === 'day') interval = 'week'
  return query.with('by', query.raw('by') === 'arrival' ? 'arrival' : 'call').with('interval', interval)
}

/**
 * Links to the lists behind the figures of a span. With `arrival`, received calls are listed by receipt and ended ones by their
 * end.
 */
function buildListLinks({ from, to }: Pick<PeriodSpan, 'from' | 'to'>, filledQuery: FormValues): LoadListLinks {
  const [received, ended] = filledQuery.raw('by') === 'arrival' ? ['created', 'finished'] : ['date', 'date']
  const formatListHref = (by: string, status?: string) =>
    formatPathWithQuery('/recordings', {
      ...filledQuery.collectFilled('department', 'manager'),
      [`${by}From`]: from,
      [`${by}To`]: to,
      ...(status && { status }),
    })
  return {
    received: formatListHref(received),
    ended: formatListHref(ended, 'DONE,FAILED,CANCELLED'),
    done: formatListHref(ended, 'DONE'),
    failed: formatListHref(ended, 'FAILED'),
    cancelled: formatListHref(ended, 'CANCELLED'),
  }
}
