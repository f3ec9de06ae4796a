import { isOwner, type Page } from '../frame/page.ts'
import { managersRoutes } from './managers.ts'
import { crmRoutes } from './routes.ts'
import { crm } from './words.ts'

export const crmPage: Page<'crm', typeof crm> = {
  name: 'crm',
  words: crm,
  routes: [...crmRoutes, ...managersRoutes],
  menu: { href: '/automation', title: crm.title, group: 'settings', for: isOwner },
  styles: ['crm'],
}
