import { INTERVALS, type DayLoad, type Interval, type Load } from '../../reports/load/schema.ts'
import { loadReport, renderReport } from '../analytics/bar.ts'
import { FIELDS, parseQuery } from '../analytics/query.ts'
import type { PageContext } from '../frame/context.ts'
import { addressOf, Fields } from '../frame/fields.ts'
import { spansOf, type Span } from './spans.ts'
import { chartsOf, rowOf, totalsOf, type Lists } from './view.ts'
import type { Page } from '../frame/page.ts'
import { statistics } from './words.ts'

export const statisticsPage: Page<'statistics', typeof statistics> = {
  name: 'statistics',
  words: statistics,
  routes: [
    { method: 'get', path: '/analytics/load', handle: showLoad },
    // Its path before it became one of the reports.
    { method: 'get', path: '/statistics', handle: async ({ ctx }) => ctx.redirect(`/analytics/load${ctx.search}`) },
  ],
  styles: ['statistics'],
}

interface Overview {
  days: DayLoad[]
  totals: Load
}

/** More days are shown as weeks, and more days of weeks as months, to keep the page short. */
const MOST_DAYS = 92
const MOST_WEEKS = 3 * 366

const OWN = ['by', 'interval'] as const
const NAMES = ['from', 'to', 'department', 'manager', ...OWN] as const

async function showLoad(context: PageContext): Promise<void> {
  const asked = parseLoadQuery(context)
  const loaded = await loadReport<Overview>(context, addressOf('/v1/stats/overview', asked.filled(...NAMES)))
  const { report: load } = loaded
  const { language } = context
  const interval = asked.raw('interval') as Interval
  const today = language.format.dayOf(new Date().toISOString())
  const to = asked.raw('to') || today
  const first = load?.days[0]?.day
  // The fields contain the days shown, even if the address has none.
  const shown = first ? Fields.of({ ...asked.filled(...FIELDS, ...OWN), from: first, to }) : asked
  const spans = load ? spansOf(load.days, interval, to, today) : []
  const lists = spans.map((span) => listsOf(span, shown))
  const unfinished = ({ isOpen }: Span) => (isOpen ? language.words.statistics.unfinished[interval] : undefined)
  const all = listsOf({ from: first ?? '', to }, shown)
  const own: Record<string, string> = asked.raw('by') === 'arrival' ? { by: 'arrival' } : {}
  await renderReport(context, 'statistics/index', { name: 'load', asked, shown, own, fields: NAMES }, loaded, {
    interval,
    ...(load && {
      totals: totalsOf(load.totals, language, all),
      charts: chartsOf(load.days, language, interval, spans, lists),
      rows: load.days.map((day, n) => rowOf(day, language, lists[n]!, unfinished(spans[n]!))).toReversed(),
      sum: rowOf({ day: '', ...load.totals }, language, all),
    }),
  })
}

/** The query in the address; by default the day of the call counts. */
function parseLoadQuery(context: PageContext): Fields {
  const asked = parseQuery(context, [...FIELDS, ...OWN])
  const { from, to }: Record<string, string> = asked.filled('from', 'to')
  const today = context.language.format.dayOf(new Date().toISOString())
  const days = (Date.parse(to ?? today) - Date.parse(from ?? today)) / 86_400_000 + 1
  let interval: Interval = INTERVALS.find((one) => one === asked.raw('interval')) ?? 'day'
  if (days > MOST_WEEKS) interval = 'month'
  else if (days > MOST_DAYS && interval === 'day') interval = 'week'
  return asked.with('by', asked.raw('by') === 'arrival' ? 'arrival' : 'call').with('interval', interval)
}

/** The lists behind the figures of a span. Calls received are found by their day, ended ones by the day that counts them. */
function listsOf({ from, to }: Pick<Span, 'from' | 'to'>, shown: Fields): Lists {
  const [received, ended] = shown.raw('by') === 'arrival' ? ['created', 'finished'] : ['date', 'date']
  const list = (by: string, status?: string) =>
    addressOf('/recordings', {
      ...shown.filled('department', 'manager'),
      [`${by}From`]: from,
      [`${by}To`]: to,
      ...(status && { status }),
    })
  return {
    received: list(received),
    ended: list(ended, 'DONE,FAILED,CANCELLED'),
    done: list(ended, 'DONE'),
    failed: list(ended, 'FAILED'),
    cancelled: list(ended, 'CANCELLED'),
  }
}
