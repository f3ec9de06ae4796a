import type { Page } from '../frame/page.ts'
import { analyticsRoutes } from './routes.ts'
import { analytics } from './words.ts'

export const analyticsPage: Page<'analytics', typeof analytics> = {
  name: 'analytics',
  words: analytics,
  routes: analyticsRoutes,
  menu: {
    href: '/analytics/weekly',
    within: ['/analytics/', '/reconciliation'],
    title: analytics.title,
    group: 'work',
    for: ({ rights }) => rights.analytics === true,
  },
  styles: ['analytics', 'week'],
}
