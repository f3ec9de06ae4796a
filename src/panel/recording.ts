import type { RecordingJson } from '../recordings/schema.ts'
import { ApiError } from './api-client.ts'
import { PageError } from './errors.ts'
import { passThrough } from './pass-through.ts'
import { recordingPage } from './recording-view.ts'
import { isRefresh, loadFrame, loadPerson, renderPage, renderParts, seeOther, type Route, type Visit } from './visit.ts'

export const recordingRoutes: Route[] = [
  { method: 'get', path: '/recordings/:id', handle: showRecording },
  { method: 'get', path: '/recordings/:id/audio', handle: sendAudio },
  { method: 'get', path: '/recordings/:id/transcript.:format', handle: sendTranscript },
  { method: 'post', path: '/recordings/:id/retry', handle: (visit) => change(visit, 'retry') },
  { method: 'post', path: '/recordings/:id/cancel', handle: (visit) => change(visit, 'cancel') },
  { method: 'post', path: '/recordings/:id/delete', handle: remove },
]

/** The recording's address in the API. */
const apiPath = ({ ctx }: Visit): string => `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

async function showRecording(visit: Visit): Promise<void> {
  await answerRecording(visit)
}

async function answerRecording(visit: Visit, fault?: string): Promise<void> {
  const { ctx, api } = visit
  const refresh = isRefresh(ctx)
  const [recording, person] = await Promise.all([
    api.read<RecordingJson>(apiPath(visit)),
    refresh ? loadPerson(visit) : loadFrame(visit),
  ])
  const call = recordingPage(recording, person, visit.language)
  const data = { title: `${call.heading}, ${call.time}`, call, fault }
  if (refresh) renderParts(visit, ['recordings/_show'], data)
  else renderPage(visit, 'recordings/show', { ...data, scripts: ['recording.js'] })
}

async function change(visit: Visit, verb: 'retry' | 'cancel'): Promise<void> {
  try {
    await visit.api.send('POST', `${apiPath(visit)}/${verb}`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    visit.ctx.status = 409
    await answerRecording(visit, visit.language.words.recording.conflict)
    return
  }
  seeOther(visit.ctx, `/recordings/${visit.ctx.params.id}`)
}

async function remove(visit: Visit): Promise<void> {
  await visit.api.send('DELETE', apiPath(visit))
  seeOther(visit.ctx, '/recordings')
}

async function sendAudio(visit: Visit): Promise<void> {
  await passThrough(visit, `${apiPath(visit)}/audio`)
}

const FORMATS = ['txt', 'srt', 'vtt', 'json']

async function sendTranscript(visit: Visit): Promise<void> {
  const { id, format } = visit.ctx.params as { id: string; format: string }
  if (!FORMATS.includes(format)) throw new PageError(404)
  await passThrough(visit, `${apiPath(visit)}/transcript?format=${format}`)
  if (!visit.ctx.response.get('Content-Disposition')) {
    visit.ctx.set('Content-Disposition', `attachment; filename="${id}.${format}"`)
  }
}
