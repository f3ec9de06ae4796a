import { isOwner, type Page } from '../frame/page.ts'
import { ledgerRoutes } from './ledger.ts'
import { analysisRoutes, pausedBanners } from './routes.ts'
import { analysis } from './words.ts'

export const analysisPage: Page<'analysis', typeof analysis> = {
  name: 'analysis',
  words: analysis,
  routes: [...analysisRoutes, ...ledgerRoutes],
  menu: { href: '/analysis', title: analysis.title, group: 'check', for: isOwner },
  styles: ['analysis'],
  banners: pausedBanners,
}
