import { Temporal } from 'temporal-polyfill'

/** A report of a period, and what must hold for it. */
export interface ReportCase {
  name: 'sales' | 'quality' | 'refusals' | 'weekly-report' | 'overview'
  period: 'year' | 'month' | 'week'
  asked: { from?: string; to?: string }
  path: string
  /** Of the panel, where there is one. */
  page?: string
  /** Bound of the 95th percentile in ms. */
  p95: number
}

const PERIODS = [
  { period: 'year', days: 365, p95: 1000 },
  { period: 'month', days: 30, p95: 300 },
] as const
const REPORTS = [
  { name: 'sales', path: '/v1/analytics/sales', page: '/analytics/sales' },
  { name: 'quality', path: '/v1/analytics/quality', page: '/analytics/quality' },
  { name: 'refusals', path: '/v1/analytics/refusals', page: '/analytics/refusals' },
  { name: 'overview', path: '/v1/stats/overview' },
] as const

/** The days up to yesterday, by whatever clock. */
export function lastDays(days: number): { from: string; to: string } {
  const to = Temporal.Now.plainDateISO('UTC').subtract({ days: 1 })
  return { from: to.subtract({ days: days - 1 }).toString(), to: to.toString() }
}

export function reportCases(): ReportCase[] {
  const reports = PERIODS.flatMap(({ period, days, p95 }) =>
    REPORTS.map(({ name, path, ...more }): ReportCase => {
      const asked = lastDays(days)
      const query = new URLSearchParams(asked).toString()
      const page = 'page' in more ? { page: `${more.page}?${query}` } : {}
      return { name, period, asked, path: `${path}?${query}`, ...page, p95 }
    }),
  )
  const week: ReportCase = {
    name: 'weekly-report',
    period: 'week',
    asked: {},
    path: '/v1/analytics/weekly-report',
    p95: 300,
  }
  return [...reports, week]
}
