import { isOwner, type Page } from '../frame/page.ts'
import { keyRoutes } from './routes.ts'
import { keys } from './words.ts'

export const keysPage: Page<'keys', typeof keys> = {
  name: 'keys',
  words: keys,
  routes: keyRoutes,
  menu: { href: '/api-keys', title: keys.title, group: 'settings', for: isOwner },
  styles: ['keys'],
}
