import type { Page } from '../frame/page.ts'
import { recordingEditRoutes } from './edit.ts'
import { judgingRoutes } from './judging.ts'
import { recordingRoutes } from './routes.ts'
import { recording } from './words.ts'

export const recordingPage: Page<'recording', typeof recording> = {
  name: 'recording',
  words: recording,
  routes: [...recordingRoutes, ...recordingEditRoutes, ...judgingRoutes],
  styles: ['recording', 'player', 'transcript', 'check', 'deals'],
  scripts: ['recording', 'transcript'],
}
