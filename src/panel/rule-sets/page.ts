import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { ruleSetRoutes } from './routes.ts'
import { ruleSets } from './words.ts'

export const ruleSetsPage: Page<'ruleSets', typeof ruleSets> = {
  name: 'ruleSets',
  words: ruleSets,
  routes: ruleSetRoutes,
  menu: { href: '/rule-sets', title: ruleSets.title, group: 'check', for: isOwnerOrHead },
  styles: ['rule-sets'],
  scripts: ['rule-sets'],
}
