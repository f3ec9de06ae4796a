import type { Words } from '../frame/words/translation.ts'
import type { Report, ReportTab } from './report.ts'
import * as reports from './reports.ts'
import type { analyticsWords } from './words.ts'

export const REPORTS: Report[] = Object.values(reports)

/** Tabs whose pages have handlers of their own. */
const CUSTOM_TABS: ReportTab[] = [
  { name: 'weekly', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  { name: 'load', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', path: '/analytics/deals' },
  { name: 'reconciliation', path: '/reconciliation', unused: ['manager', 'funnel'] },
]

interface ReportGroup {
  name: keyof Words<typeof analyticsWords>['groups']
  tabs: ReportTab[]
}

const findTabs = (...names: ReportTab['name'][]): ReportTab[] =>
  names.map((name) => [...REPORTS, ...CUSTOM_TABS].find((tab) => tab.name === name)!)

/** The tabs of the reports; a group opens on its first report. */
export const REPORT_GROUPS: ReportGroup[] = [
  { name: 'week', tabs: findTabs('weekly') },
  { name: 'quality', tabs: findTabs('quality', 'correlation') },
  { name: 'sales', tabs: findTabs('sales', 'refusals', 'deals') },
  { name: 'operations', tabs: findTabs('load', 'reconciliation') },
]
