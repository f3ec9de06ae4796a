import type { Page } from '../frame/page.ts'
import { callSayings } from './messages.ts'
import { recordingEditRoutes } from './edit.ts'
import { recordingRoutes } from './routes.ts'
import { recording } from './words.ts'

export const recordingPage: Page<'recording', typeof recording> = {
  name: 'recording',
  words: recording,
  routes: [...recordingRoutes, ...recordingEditRoutes],
  messages: callSayings,
  styles: ['recording'],
  scripts: ['recording', 'transcript'],
}
