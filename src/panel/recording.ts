import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import type { RecordingJson } from '../recordings/schema.ts'
import { ApiError } from './api-client.ts'
import { PageError } from './errors.ts'
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

/** What the browser asks about the sound, and what it is told: the panel passes both on as they are. */
const ASKED = ['range', 'if-range', 'if-none-match', 'if-modified-since']
const TOLD = [
  'content-type',
  'content-length',
  'content-range',
  'content-disposition',
  'accept-ranges',
  'etag',
  'last-modified',
  'cache-control',
]

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

async function passThrough({ ctx, api }: Visit, path: string): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'HEAD' : 'GET'
  const { status, headers, body } = await api.stream(method, path, pick(ctx.headers, ASKED))
  ctx.status = status
  // Set before the headers: Koa guesses a type for a body that has none, and takes the length of an unknown one away.
  if (method === 'HEAD' || status === 304) body.resume()
  else ctx.body = body
  setAll(ctx, pick(headers, TOLD))
}

function setAll(ctx: Context, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value)
}

function pick(headers: IncomingHttpHeaders, names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}
