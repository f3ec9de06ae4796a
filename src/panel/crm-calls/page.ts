import type { Page } from '../frame/page.ts'
import { historyRoutes } from './history.ts'
import { crmCalls } from './words.ts'
import { writingRoutes } from './routes.ts'

export const crmCallsPage: Page<'crmCalls', typeof crmCalls> = {
  name: 'crmCalls',
  words: crmCalls,
  routes: [...historyRoutes, ...writingRoutes],
}
