import type { Page } from '../frame/page.ts'
import { accountRoutes } from './routes.ts'
import { account } from './words.ts'

export const accountPage: Page<'account', typeof account> = {
  name: 'account',
  words: account,
  routes: accountRoutes,
  menu: { href: '/account', title: account.title, group: 'own' },
  styles: ['account'],
}
