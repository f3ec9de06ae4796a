import { isOwner, type Page } from '../frame/page.ts'
import { readBadge } from './badge.ts'
import { queuesRoutes } from './routes.ts'
import { queues } from './words.ts'

export const queuesPage: Page<'queues', typeof queues> = {
  name: 'queues',
  words: queues,
  routes: queuesRoutes,
  menu: {
    href: '/queues',
    title: queues.title,
    group: 'work',
    for: isOwner,
    badge: { read: readBadge, failed: queues.failedCount },
  },
  styles: ['queues'],
}
