import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import type { Page } from '../frame/page.ts'
import { recordingsActions } from './actions.ts'
import { recordingsRoutes } from './routes.ts'
import { recordings } from './words.ts'

export const recordingsPage: Page<'recordings', typeof recordings> = {
  name: 'recordings',
  words: recordings,
  routes: [...recordingsRoutes, ...recordingsActions],
  menu: {
    href: '/recordings',
    title: recordings.title,
    group: 'work',
    badge: { read: async ({ api }) => ({ count: (await api.read<FacetsJson>('/v1/recordings/facets')).total }) },
  },
  styles: ['recordings', 'facets'],
  scripts: ['recordings'],
}
