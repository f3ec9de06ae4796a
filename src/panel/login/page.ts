import type { Page } from '../frame/page.ts'
import { loginRoutes } from './routes.ts'
import { login } from './words.ts'

export const loginPage: Page<'login', typeof login> = {
  name: 'login',
  words: login,
  routes: loginRoutes,
}
