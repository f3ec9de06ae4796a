import type { Page } from '../frame/page.ts'
import { backtestRoutes } from './routes.ts'
import { backtests } from './words.ts'

export const backtestsPage: Page<'backtests', typeof backtests> = {
  name: 'backtests',
  words: backtests,
  routes: backtestRoutes,
  styles: ['backtests'],
}
