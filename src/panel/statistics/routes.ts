import type { FacetsJson } from '../../recordings/list/overview-schema.ts'
import { INTERVALS, type DayLoad, type Interval, type Load } from '../../stats/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { addDays, readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { spansOf, type Span } from './spans.ts'
import { chartsOf, rowsOf, totalsOf, type Lists } from './view.ts'
import { loadFrame, renderPage, type Route, type PageContext } from '../frame/context.ts'

export const statisticsRoutes: Route[] = [{ method: 'get', path: '/statistics', handle: showStatistics }]

interface Overview {
  days: DayLoad[]
  totals: Load
}

/** Periods that are one click away, in days up to today. */
const PERIODS = [7, 30, 90, 365]

/** More days than these are told by weeks, and more than these of weeks by months: a page must stay a page. */
const MOST_DAYS = 92
const MOST_WEEKS = 3 * 366

async function showStatistics(context: PageContext): Promise<void> {
  const { ctx } = context
  const asked = readAsked(context)
  const [answer, facets] = await Promise.all([
    readOverview(context, asked),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
    loadFrame(context),
  ])
  const { language } = context
  const load = answer instanceof ApiError ? undefined : answer
  const interval = intervalOf(asked)
  // The days that are shown stand in the fields, also where the address names none.
  const today = language.format.dayOf(new Date().toISOString())
  const to = asked.raw('to') || today
  const values = load ? Fields.of({ ...asked.filled(...NAMES), from: load.days[0]!.day, to }) : asked
  const form: Form = load ? freshForm(values) : formWithErrors(answer, asked, [...NAMES], language)
  if (!load) ctx.status = 400
  const spans = load ? spansOf(load.days, interval, to, today) : []
  const lists = spans.map((span) => listsOf(span, values))
  const all = load && listsOf({ from: load.days[0]!.day, to }, values)
  const narrowed = [
    facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
    asked.raw('manager'),
    daysInTitle(asked.raw('from'), asked.raw('to'), language),
  ]
  renderPage(context, 'statistics/index', {
    title: titleOf(language.words.statistics.title, narrowed),
    heading: language.words.statistics.title,
    form,
    periods: periodsOf(context, values),
    departments: facets.departments,
    managers: facets.managers,
    interval,
    totals: load && totalsOf(load.totals, language, all!),
    charts: load && chartsOf(load.days, language, interval, spans, lists),
    rows: load && rowsOf(load.days, language, interval, spans, lists),
    sum: load && rowsOf([{ day: '', ...load.totals }], language, interval, [], [all!])[0],
  })
}

const NAMES = ['from', 'to', 'by', 'interval', 'department', 'manager'] as const

/** What the address asks for; the day of the call counts unless it says arrival. */
function readAsked({ ctx, language }: PageContext): Fields {
  const asked = Object.fromEntries(NAMES.map((name) => [name, one(ctx.query[name]).trim()])) as Record<
    (typeof NAMES)[number],
    string
  >
  const { from, to, by, interval } = asked
  const wanted = {
    ...asked,
    from: readDay(from),
    to: readDay(to),
    by: by === 'arrival' ? by : 'call',
    interval: INTERVALS.find((one) => one === interval) ?? 'day',
  }
  const today = language.format.dayOf(new Date().toISOString())
  const days = (Date.parse(wanted.to || today) - Date.parse(wanted.from || today)) / 86_400_000 + 1
  if (days > MOST_WEEKS) wanted.interval = 'month'
  else if (days > MOST_DAYS && wanted.interval === 'day') wanted.interval = 'week'
  return Fields.of(wanted)
}

const intervalOf = (asked: Fields): Interval => asked.raw('interval') as Interval

/** The lists behind the figures of a span: what was received is found by its day, what ended by the day that counts it. */
function listsOf({ from, to }: Pick<Span, 'from' | 'to'>, values: Fields): Lists {
  const [received, ended] = values.raw('by') === 'arrival' ? ['created', 'finished'] : ['date', 'date']
  const list = (by: string, status?: string) => {
    const query = new URLSearchParams([
      ...Object.entries(values.filled('department', 'manager')),
      [`${by}From`, from],
      [`${by}To`, to],
    ])
    if (status) query.set('status', status)
    return `/recordings?${query.toString()}`
  }
  return {
    received: list(received),
    ended: list(ended, 'DONE,FAILED,CANCELLED'),
    done: list(ended, 'DONE'),
    failed: list(ended, 'FAILED'),
    cancelled: list(ended, 'CANCELLED'),
  }
}

const one = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** @returns the API's refusal where the period is none */
async function readOverview({ api }: PageContext, asked: Fields): Promise<Overview | ApiError> {
  const query = new URLSearchParams(asked.filled(...NAMES)).toString()
  try {
    return await api.read<Overview>(`/v1/stats/overview${query && `?${query}`}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
}

function periodsOf({ language }: PageContext, shown: Fields) {
  const { words, format } = language
  const today = format.dayOf(new Date().toISOString())
  return PERIODS.map((days) => {
    const from = addDays(today, 1 - days)
    const query = new URLSearchParams([
      ['from', from],
      ['to', today],
      ...Object.entries(shown.filled('by', 'department', 'manager')).filter(([, value]) => value !== 'call'),
    ])
    return {
      href: `/statistics?${query.toString()}`,
      text: words.statistics.period(days, format.number(days)),
      current: shown.raw('from') === from && shown.raw('to') === today,
    }
  })
}
