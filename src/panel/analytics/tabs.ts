import type { ReportPage, ReportTab } from './report.ts'
import * as reports from './reports.ts'
import { analyticsWords } from './words.ts'

export const REPORTS: ReportPage[] = Object.values(reports)

/** Tabs whose routes are defined elsewhere, not by defineReportPage(). */
const CUSTOM_TABS: ReportTab[] = [
  { name: 'weekly', group: 'week', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  { name: 'load', group: 'operations', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', group: 'sales', path: '/analytics/deals' },
  { name: 'reconciliation', group: 'operations', path: '/reconciliation', unused: ['manager', 'funnel'] },
]

const positionOf = ({ name }: ReportTab): number => Object.keys(analyticsWords.reports).indexOf(name)

/** All tabs in the order of their titles in `analyticsWords.reports`. */
export const REPORT_TABS: ReportTab[] = [...REPORTS, ...CUSTOM_TABS].sort((a, b) => positionOf(a) - positionOf(b))

/** The tab groups in the order of `analyticsWords.groups`. The link of a group opens the first report of the group. */
export const REPORT_GROUPS = (Object.keys(analyticsWords.groups) as ReportTab['group'][]).map((name) => ({
  name,
  tabs: REPORT_TABS.filter(({ group }) => group === name),
}))
