import type { Page } from '../frame/page.ts'
import { seeAsRoutes } from './routes.ts'
import { seeAs } from './words.ts'

export const seeAsPage: Page<'seeAs', typeof seeAs> = {
  name: 'seeAs',
  words: seeAs,
  routes: seeAsRoutes,
}
