import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { departmentRoutes } from './routes.ts'
import { departments } from './words.ts'

export const departmentsPage: Page<'departments', typeof departments> = {
  name: 'departments',
  words: departments,
  routes: departmentRoutes,
  menu: { href: '/departments', title: departments.title, group: 'settings', for: isOwnerOrHead },
  styles: ['departments'],
}
