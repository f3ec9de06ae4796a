import type { DayLoad, Load } from '../stats/schema.ts'
import { ApiError } from './api-client.ts'
import { Fields } from './fields.ts'
import { faultyForm, freshForm, type Form } from './form.ts'
import { chartsOf, rowsOf, totalsOf } from './statistics-view.ts'
import { loadFrame, renderPage, type Route, type Visit } from './visit.ts'

export const statisticsRoutes: Route[] = [{ method: 'get', path: '/statistics', handle: showStatistics }]

interface Overview {
  days: DayLoad[]
  totals: Load
}

/** Periods that are one click away, in days up to today. */
const PERIODS = [7, 30, 90, 365]

async function showStatistics(visit: Visit): Promise<void> {
  const { ctx } = visit
  const asked = Fields.of({ from: one(ctx.query.from), to: one(ctx.query.to) })
  const [answer] = await Promise.all([readOverview(visit, asked), loadFrame(visit)])
  const { language } = visit
  const load = answer instanceof ApiError ? undefined : answer
  // The days that are shown stand in the fields, also where the address names none.
  const values = load ? Fields.of({ from: load.days[0]!.day, to: load.days.at(-1)!.day }) : asked
  const form: Form = load ? freshForm(values) : faultyForm(answer, asked, ['from', 'to'], language)
  if (!load) ctx.status = 400
  renderPage(visit, 'statistics/index', {
    title: language.words.statistics.title,
    form,
    periods: periodsOf(visit, values),
    totals: load && totalsOf(load.totals, language),
    charts: load && chartsOf(load.days, language),
    rows: load && rowsOf(load.days, language),
    sum: load && rowsOf([{ day: '', ...load.totals }], language)[0],
  })
}

const one = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')

/** @returns the API's refusal where the period is none */
async function readOverview({ api }: Visit, asked: Fields): Promise<Overview | ApiError> {
  const query = new URLSearchParams(asked.filled('from', 'to')).toString()
  try {
    return await api.read<Overview>(`/v1/stats/overview${query && `?${query}`}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error
    throw error
  }
}

function periodsOf({ language }: Visit, shown: Fields) {
  const { words, format } = language
  const today = format.dayOf(new Date().toISOString())
  return PERIODS.map((days) => {
    const from = daysBefore(today, days - 1)
    return {
      href: `/statistics?from=${from}&to=${today}`,
      text: words.statistics.period(days, format.number(days)),
      current: shown.raw('from') === from && shown.raw('to') === today,
    }
  })
}

/** A day of the calendar, so many days before another. */
function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
}
