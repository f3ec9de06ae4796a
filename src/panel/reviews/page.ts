import { isOwnerOrHead, type Page } from '../frame/page.ts'
import { reviewRoutes } from './routes.ts'
import { reviews } from './words.ts'

export const reviewsPage: Page<'reviews', typeof reviews> = {
  name: 'reviews',
  words: reviews,
  routes: reviewRoutes,
  menu: { href: '/reviews', title: reviews.title, group: 'check', for: isOwnerOrHead },
  styles: ['reviews'],
}
