import type { Page } from '../frame/page.ts'
import { statisticsRoutes } from './routes.ts'
import { statistics } from './words.ts'

export const statisticsPage: Page<'statistics', typeof statistics> = {
  name: 'statistics',
  words: statistics,
  routes: statisticsRoutes,
  styles: ['statistics'],
}
