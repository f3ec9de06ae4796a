import type { Page } from '../frame/page.ts'
import { statsSayings } from './messages.ts'
import { statisticsRoutes } from './routes.ts'
import { statistics } from './words.ts'

export const statisticsPage: Page<'statistics', typeof statistics> = {
  name: 'statistics',
  words: statistics,
  routes: statisticsRoutes,
  messages: statsSayings,
  styles: ['statistics'],
}
