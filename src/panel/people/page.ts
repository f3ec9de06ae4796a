import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { peopleRoutes } from './routes.ts'
import { people } from './words.ts'

export const peoplePage: Page<'people', typeof people> = {
  name: 'people',
  words: people,
  routes: peopleRoutes,
  menu: { href: '/people', title: people.title, group: 'settings', for: isOwnerOrHead },
  styles: ['people'],
  scripts: ['people'],
}
