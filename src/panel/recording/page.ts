import { extname } from 'node:path'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { HistoryItemJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { FORMATS } from '../../calls/transcripts/schema.ts'
import { ApiError, refusal, ignoreRejection } from '../frame/api-client.ts'
import { isRefresh, renderParts, redirect, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { readFields } from '../frame/fields.ts'
import { passThrough } from '../frame/pass-through.ts'
import { answerRecording } from './answer.ts'
import { apiPath, searchOf, numberOf, sideOf, versionOf } from './query.ts'
import { historyOf } from './history.ts'
import { keptList, listOf, pageOfCall } from './list.ts'
import { readCheck, readMatches, readWords } from './read.ts'
import { recordingLines } from './view.ts'
import type { Page } from '../frame/page.ts'
import { recordingEditRoutes } from './edit.ts'
import { judgingRoutes } from './judging.ts'
import { recording } from './words.ts'

export const recordingPage: Page<'recording', typeof recording> = {
  name: 'recording',
  words: recording,
  routes: [
    { method: 'get', path: '/recordings/:id', handle: (context) => answerRecording(context) },
    { method: 'get', path: '/recordings/:id/history', handle: showHistory },
    { method: 'get', path: '/recordings/:id/lines/:part', handle: showLines },
    { method: 'get', path: '/recordings/:id/audio', handle: sendAudio },
    {
      method: 'get',
      path: '/recordings/:id/playback',
      handle: (context) => passThrough(context, `${apiPath(context)}/playback`),
    },
    { method: 'get', path: '/recordings/:id/transcript.:format', handle: sendTranscript },
    { method: 'post', path: '/recordings/:id/retry', handle: (context) => change(context, 'retry') },
    { method: 'post', path: '/recordings/:id/cancel', handle: (context) => change(context, 'cancel') },
    { method: 'post', path: '/recordings/:id/deliveries/:delivery', handle: resend },
    { method: 'post', path: '/recordings/:id/speakers', handle: swapSpeakers },
    { method: 'post', path: '/recordings/:id/delete', handle: remove },
    ...recordingEditRoutes,
    ...judgingRoutes,
  ],
  styles: ['recording', 'player', 'transcript', 'check', 'deals'],
  scripts: ['recording', 'transcript'],
}

/** One part of a transcript; long ones are sent in parts. Without a script, the response is the whole page. */
async function showLines(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const part = numberOf(ctx.params.part)
  if (part === null || !Number.isInteger(part)) throw new PageError(404)
  const [q, side] = [searchOf(context), sideOf(context)]
  if (!isRefresh(ctx)) {
    const query = new URLSearchParams({ part: String(part), ...(q && { q }), ...(side && { side }) }).toString()
    return redirect(ctx, `/recordings/${ctx.params.id}?${query}`)
  }
  const { person } = context
  const [recording, speakers, found, analysis] = await Promise.all([
    api.read<RecordingJson>(apiPath(context)),
    api.read<SpeakersJson>(`${apiPath(context)}/speakers`),
    q ? readMatches(context, q).catch(ignoreRejection) : undefined,
    readCheck(context, versionOf(context)),
  ])
  const searched = { recording, speakers, found, side }
  const spoken = await readWords(context, searched, part)
  const call = recordingLines({ ...searched, analysis, part, spoken }, person, context.language)
  if (call.lines.length === 0) throw new PageError(404)
  await renderParts(context, ['recording/_lines'], { call, lines: call.lines, part })
}

/** The history alone: it refreshes while a callback is delivered. */
async function showHistory(context: PageContext): Promise<void> {
  if (!isRefresh(context.ctx)) return redirect(context.ctx, `/recordings/${context.ctx.params.id}`)
  const { person } = context
  const [{ items }, recording] = await Promise.all([
    context.api.read<{ items: HistoryItemJson[] }>(`${apiPath(context)}/history`),
    context.api.read<RecordingJson>(apiPath(context)),
  ])
  const history = historyOf(items, recording, person.rights.manageRecordings === true, context.language)
  const call = { href: `/recordings/${recording.id}`, kept: keptList(context.ctx.query.list), history }
  await renderParts(context, ['recording/_history'], { call })
}

async function remove(context: PageContext): Promise<void> {
  await context.api.send('DELETE', apiPath(context))
  const list = listOf(context.ctx)
  redirect(context.ctx, list ? `/recordings?${list}` : '/recordings', context.language.words.recording.deleted)
}

/** Retries a failed callback. */
function resend(context: PageContext): Promise<void> {
  return change(context, `deliveries/${encodeURIComponent(String(context.ctx.params.delivery))}/retry`)
}

/** Changes the call; shows an error if its state no longer allows it. */
async function change(context: PageContext, action: string): Promise<void> {
  const answer = await context.api.send('POST', `${apiPath(context)}/${action}`).catch(refusal(409))
  if (!(answer instanceof ApiError)) return redirect(context.ctx, pageOfCall(context.ctx))
  context.ctx.status = 409
  await answerRecording(context, { error: (words) => words.recording.conflict })
}

/** The form contains the new channel, so two simultaneous submissions do not swap it back. */
async function swapSpeakers(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  await api.send('PUT', `${apiPath(context)}/speakers`, { agentChannel: Number(fields.raw('agentChannel')) })
  redirect(ctx, pageOfCall(ctx))
}

/** The audio; a download is named after the call. */
async function sendAudio(context: PageContext): Promise<void> {
  const isDownload = context.ctx.query.download !== undefined
  const [recording] = await Promise.all([
    isDownload ? context.api.read<RecordingJson>(apiPath(context)) : undefined,
    passThrough(context, `${apiPath(context)}/audio`),
  ])
  if (recording) nameDownload(context, recording, extname(recording.fileName ?? ''))
}

/** Such as 2026-11-21_2332_+375291234567.txt, in the time zone of the service. */
function nameDownload({ ctx, language }: PageContext, recording: RecordingJson, extension: string): void {
  const { id, phoneNumber, callStartedAt, createdAt } = recording
  const at = callStartedAt ?? createdAt
  const phone = phoneNumber?.replace(/[^+\d]/g, '') || id
  const name = `${language.format.dayOf(at)}_${language.format.clock(at).replace(':', '')}_${phone}${extension}`
  ctx.set('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
}

async function sendTranscript(context: PageContext): Promise<void> {
  const { format } = context.ctx.params as { format: string }
  if (!FORMATS.some((one) => one === format)) throw new PageError(404)
  const asked = new URLSearchParams({ format, speakers: context.language.code })
  const [recording] = await Promise.all([
    context.api.read<RecordingJson>(apiPath(context)),
    passThrough(context, `${apiPath(context)}/transcript?${asked.toString()}`),
  ])
  nameDownload(context, recording, `.${format}`)
}
