import type { Report, ReportTab } from './report.ts'
import * as reports from './reports.ts'
import { analyticsWords } from './words.ts'

export const REPORTS: Report[] = Object.values(reports)

/** Tabs whose pages have handlers of their own. */
const CUSTOM_TABS: ReportTab[] = [
  { name: 'weekly', group: 'week', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  { name: 'load', group: 'operations', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', group: 'sales', path: '/analytics/deals' },
  { name: 'reconciliation', group: 'operations', path: '/reconciliation', unused: ['manager', 'funnel'] },
]

const positionOf = ({ name }: ReportTab): number => Object.keys(analyticsWords.reports).indexOf(name)

/** The tabs of the reports. */
export const REPORT_TABS: ReportTab[] = [...REPORTS, ...CUSTOM_TABS].sort((a, b) => positionOf(a) - positionOf(b))

/** The groups of the tabs, and the tabs of each, in the order of their words. A group opens on its first report. */
export const REPORT_GROUPS = (Object.keys(analyticsWords.groups) as ReportTab['group'][]).map((name) => ({
  name,
  tabs: REPORT_TABS.filter(({ group }) => group === name),
}))
