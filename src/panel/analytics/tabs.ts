import type { Report, Tab } from './report.ts'
import * as reports from './reports.ts'
import { analytics } from './words.ts'

export const REPORTS: Report[] = Object.values(reports)

/** Tabs whose pages have handlers of their own. */
const OTHERS: Tab[] = [
  { name: 'weekly', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  { name: 'load', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', path: '/analytics/deals' },
  { name: 'reconciliation', path: '/reconciliation', unused: ['manager', 'funnel'] },
]

const positionOf = ({ name }: Tab): number => Object.keys(analytics.reports).indexOf(name)

/** The tabs of the reports, in the order of their words. */
export const TABS: Tab[] = [...REPORTS, ...OTHERS].sort((a, b) => positionOf(a) - positionOf(b))
