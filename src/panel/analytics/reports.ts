import { correlation } from './correlation.ts'
import { quality } from './quality.ts'
import { refusals } from './refusals.ts'
import type { Report, Tab } from './report.ts'
import { sales } from './sales.ts'

/** The tabs of the reports, in their order. Those with pages of their own are named alone. */
export const TABS: (Report | Tab)[] = [
  sales,
  quality,
  refusals,
  { name: 'weekly', path: '/analytics/weekly', unused: ['from', 'to', 'funnel'] },
  correlation,
  { name: 'load', path: '/analytics/load', unused: ['funnel'] },
  { name: 'deals', path: '/analytics/deals' },
  { name: 'reconciliation', path: '/reconciliation', unused: ['manager', 'funnel'] },
]
