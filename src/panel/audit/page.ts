import { isOwner, type Page } from '../frame/page.ts'
import { auditRoutes } from './routes.ts'
import { audit } from './words.ts'

export const auditPage: Page<'audit', typeof audit> = {
  name: 'audit',
  words: audit,
  routes: auditRoutes,
  menu: { href: '/audit', title: audit.title, group: 'settings', for: isOwner },
  styles: ['audit'],
}
