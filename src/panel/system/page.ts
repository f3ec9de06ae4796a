import { isOwner, type Page } from '../frame/page.ts'
import { systemRoutes } from './routes.ts'
import { storageBanners } from './warnings.ts'
import { system } from './words.ts'

export const systemPage: Page<'system', typeof system> = {
  name: 'system',
  words: system,
  routes: systemRoutes,
  menu: { href: '/system', title: system.title, group: 'settings', for: isOwner },
  styles: ['system'],
  banners: storageBanners,
}
