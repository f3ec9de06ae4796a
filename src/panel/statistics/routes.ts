import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { INTERVALS, type DayLoad, type Interval, type Load } from '../../reports/load/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { FIELDS, readAnswer, readAsked, unquoted } from '../analytics/asked.ts'
import { barOf } from '../analytics/bar.ts'
import { Fields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { daysInTitle, titleOf } from '../frame/page-title.ts'
import { spansOf, type Span } from './spans.ts'
import { chartsOf, rowsOf, totalsOf, type Lists } from './view.ts'
import { renderPage, type Route, type PageContext } from '../frame/context.ts'

export const statisticsRoutes: Route[] = [
  { method: 'get', path: '/analytics/load', handle: showLoad },
  // What it was before it became one of the reports.
  { method: 'get', path: '/statistics', handle: async ({ ctx }) => ctx.redirect(`/analytics/load${ctx.search}`) },
]

interface Overview {
  days: DayLoad[]
  totals: Load
}

/** More days than these are told by weeks, and more than these of weeks by months: a page must stay a page. */
const MOST_DAYS = 92
const MOST_WEEKS = 3 * 366

async function showLoad(context: PageContext): Promise<void> {
  const { ctx } = context
  const asked = readLoad(context)
  const [answer, facets] = await Promise.all([
    readAnswer<Overview>(context, `/v1/stats/overview?${new URLSearchParams(asked.filled(...NAMES)).toString()}`),
    context.api.read<FacetsJson>('/v1/recordings/facets'),
  ])
  const { language } = context
  const load = answer instanceof ApiError ? undefined : answer
  const interval = intervalOf(asked)
  // The days that are shown stand in the fields, also where the address names none.
  const today = language.format.dayOf(new Date().toISOString())
  const to = asked.raw('to') || today
  const values = load ? Fields.of({ ...asked.filled(...FIELDS, ...OWN), from: load.days[0]!.day, to }) : asked
  const form: Form = load ? freshForm(values) : formWithErrors(answer, asked, [...NAMES], language)
  if (!load) ctx.status = 400
  const spans = load ? spansOf(load.days, interval, to, today) : []
  const lists = spans.map((span) => listsOf(span, values))
  const all = load && listsOf({ from: load.days[0]!.day, to }, values)
  const narrowed = [
    facets.departments.find(({ id }) => id === asked.raw('department'))?.name,
    unquoted(asked.raw('manager')),
    daysInTitle(asked.raw('from'), asked.raw('to'), language),
  ]
  await renderPage(context, 'statistics/index', {
    title: titleOf(language.words.statistics.title, narrowed),
    heading: language.words.statistics.title,
    form,
    ...barOf('load', values, facets, language, asked.raw('by') === 'arrival' ? { by: 'arrival' } : {}),
    interval,
    totals: load && totalsOf(load.totals, language, all!),
    charts: load && chartsOf(load.days, language, interval, spans, lists),
    rows: load && rowsOf(load.days, language, interval, spans, lists),
    sum: load && rowsOf([{ day: '', ...load.totals }], language, interval, [], [all!])[0],
  })
}

/** What this report alone asks for. */
const OWN = ['by', 'interval'] as const
/** What the API is asked. */
const NAMES = ['from', 'to', 'department', 'manager', ...OWN] as const

/** What the address asks for; the day of the call counts unless it says arrival. */
function readLoad(context: PageContext): Fields {
  const asked = readAsked(context, [...FIELDS, ...OWN])
  const wanted = {
    ...asked.filled(...FIELDS),
    by: asked.raw('by') === 'arrival' ? 'arrival' : 'call',
    interval: INTERVALS.find((one) => one === asked.raw('interval')) ?? 'day',
  }
  const { from, to }: Record<string, string> = asked.filled('from', 'to')
  const today = context.language.format.dayOf(new Date().toISOString())
  const days = (Date.parse(to ?? today) - Date.parse(from ?? today)) / 86_400_000 + 1
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
