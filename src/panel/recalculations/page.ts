import type { Person } from '../frame/context.ts'
import type { Page } from '../frame/page.ts'
import { recalculationRoutes } from './routes.ts'
import { recalculations } from './words.ts'

export const recalculationsPage: Page<'recalculations', typeof recalculations> = {
  name: 'recalculations',
  words: recalculations,
  routes: recalculationRoutes,
  menu: {
    href: '/recalculations',
    title: recalculations.title,
    group: 'check',
    for: ({ role, rights }: Person) => role === 'owner' || (role === 'head' && rights.editRules === true),
  },
}
