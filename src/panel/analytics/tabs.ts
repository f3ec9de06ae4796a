import type { Report, ReportTab } from './report.ts'
import * as reports from './reports.ts'
import { analyticsWords } from './words.ts'

export const REPORTS: Report[] = Object.values(reports)

/** Tabs whose pages have handlers of their own. */
const CUSTOM_TABS: ReportTab[] = [
  { name: 'weekly', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  { name: 'load', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', path: '/analytics/deals' },
  { name: 'reconciliation', path: '/reconciliation', unused: ['manager', 'funnel'] },
]

const positionOf = ({ name }: ReportTab): number => Object.keys(analyticsWords.reports).indexOf(name)

/** The tabs of the reports, in the order of their words. */
export const REPORT_TABS: ReportTab[] = [...REPORTS, ...CUSTOM_TABS].sort((a, b) => positionOf(a) - positionOf(b))
