import type { Page } from '../frame/page.ts'
import { reconciliationRoutes } from './routes.ts'
import { reconciliation } from './words.ts'

export const reconciliationPage: Page<'reconciliation', typeof reconciliation> = {
  name: 'reconciliation',
  words: reconciliation,
  routes: reconciliationRoutes,
}
