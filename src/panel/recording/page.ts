import { extname } from 'node:path'
import type { CallAgentJson } from '../../calls/speakers/schema.ts'
import type { RecordingHistoryItemJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { TRANSCRIPT_FORMATS } from '../../calls/transcripts/schema.ts'
import { buildCallComments, fetchComments } from '../comments/view.ts'
import { ApiError, returnApiErrorWithStatus, ignoreApiRejection } from '../frame/api-client.ts'
import { isPartialRefresh, renderPageParts, redirect, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { renderRecordingPage } from './render.ts'
import {
  formatRecordingApiPath,
  parseTranscriptSearch,
  parseTranscriptRowRange,
  parseSearchSide,
  parseNumberParameter,
  parseRequestedRuleSetVersion,
} from './query.ts'
import { buildCallHistoryView } from './history.ts'
import { formatOriginListParameter, findOriginListQuery, formatCallHref } from './list-navigation.ts'
import { fetchCallCheck, fetchTranscriptMatches, fetchTranscriptPartWithWords } from './fetch.ts'
import { groupRowsIntoTurns } from './turns.ts'
import { buildTranscriptLines } from './view.ts'
import type { Page } from '../frame/page.ts'
import { recordingEditRoutes } from './edit.ts'
import { callSpeakerRoutes } from './speaker-actions.ts'
import { callCheckRoutes } from './check-actions.ts'
import { recordingWords } from './words.ts'

export const recordingPage: Page<'recording', typeof recordingWords> = {
  name: 'recording',
  words: recordingWords,
  routes: [
    { method: 'get', path: '/recordings/:id', handle: (context) => renderRecordingPage(context) },
    { method: 'get', path: '/recordings/:id/history', handle: showHistory },
    { method: 'get', path: '/recordings/:id/lines/:rows', handle: showLines },
    { method: 'get', path: '/recordings/:id/audio', handle: sendAudio },
    {
      method: 'get',
      path: '/recordings/:id/playback',
      handle: (context) => streamFromApi(context, `${formatRecordingApiPath(context)}/playback`),
    },
    { method: 'get', path: '/recordings/:id/transcript.:format', handle: sendTranscript },
    { method: 'post', path: '/recordings/:id/retry', handle: (context) => changeRecording(context, 'retry') },
    { method: 'post', path: '/recordings/:id/cancel', handle: (context) => changeRecording(context, 'cancel') },
    { method: 'post', path: '/recordings/:id/deliveries/:delivery', handle: retryCallback },
    ...callSpeakerRoutes,
    { method: 'post', path: '/recordings/:id/delete', handle: deleteRecording },
    ...recordingEditRoutes,
    ...callCheckRoutes,
  ],
  styles: ['recording', 'player', 'transcript', 'check', 'deals'],
  scripts: ['recording', 'transcript', 'chapters'],
}

/** Renders one part of a long transcript. Without scripts, redirects to the page of the call at the first row of the part. */
async function showLines(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const part = parseTranscriptRowRange(ctx.params.rows)
  if (!part) throw new PageError(404)
  const [q, side] = [parseTranscriptSearch(context), parseSearchSide(context)]
  if (!isPartialRefresh(ctx)) {
    const query = new URLSearchParams({ row: String(part.from), ...(q && { q }), ...(side && { side }) }).toString()
    return redirect(ctx, `/recordings/${ctx.params.id}?${query}`)
  }
  const { person } = context
  const [recording, speakers, found, analysis, comments] = await Promise.all([
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    api.fetch<CallAgentJson>(`${formatRecordingApiPath(context)}/speakers`),
    q ? fetchTranscriptMatches(context, q).catch(ignoreApiRejection) : undefined,
    fetchCallCheck(context, parseRequestedRuleSetVersion(context)),
    fetchComments(context),
  ])
  const search = { recording, speakers, found, side }
  const timedTranscript = await fetchTranscriptPartWithWords(context, search, part)
  const links = {
    q,
    version: parseRequestedRuleSetVersion(context),
    list: findOriginListQuery(ctx),
    correctedRow: parseNumberParameter(ctx.query.phrase),
  }
  const call = buildTranscriptLines({ ...search, ...links, analysis, part, timedTranscript }, person, context.language)
  if (call.turns.length === 0) throw new PageError(404)
  const turns = groupRowsIntoTurns(recording.transcript?.segments ?? [], call.hasSpeakers)
  await renderPageParts(context, ['recording/_turns'], {
    call,
    turns: call.turns,
    from: part.from,
    comments: buildCallComments({ recording, comments, turns }, context, { rows: part }),
  })
}

/** Renders only the history. The page polls it while a callback waits or is being sent. */
async function showHistory(context: PageContext): Promise<void> {
  if (!isPartialRefresh(context.ctx)) return redirect(context.ctx, `/recordings/${context.ctx.params.id}`)
  const { person } = context
  const [{ items }, recording] = await Promise.all([
    context.api.fetch<{ items: RecordingHistoryItemJson[] }>(`${formatRecordingApiPath(context)}/history`),
    context.api.fetch<RecordingJson>(formatRecordingApiPath(context)),
  ])
  const history = buildCallHistoryView(items, recording, person.rights.manageRecordings === true, context.language)
  const call = { href: `/recordings/${recording.id}`, kept: formatOriginListParameter(context.ctx.query.list), history }
  await renderPageParts(context, ['recording/_history'], { call })
}

async function deleteRecording(context: PageContext): Promise<void> {
  await context.api.send('DELETE', formatRecordingApiPath(context))
  const list = findOriginListQuery(context.ctx)
  redirect(context.ctx, list ? `/recordings?${list}` : '/recordings', context.language.words.recording.deleted)
}

function retryCallback(context: PageContext): Promise<void> {
  return changeRecording(context, `deliveries/${encodeURIComponent(String(context.ctx.params.delivery))}/retry`)
}

/** Sends an action for the call to the API. Shows an error if the state of the call no longer allows it. */
async function changeRecording(context: PageContext, action: string): Promise<void> {
  const response = await context.api
    .send('POST', `${formatRecordingApiPath(context)}/${action}`)
    .catch(returnApiErrorWithStatus(409))
  if (!(response instanceof ApiError)) return redirect(context.ctx, formatCallHref(context.ctx))
  context.ctx.status = 409
  await renderRecordingPage(context, { error: (words) => words.recording.conflict })
}

/** Streams the audio. Query parameter `download` adds a file name. */
async function sendAudio(context: PageContext): Promise<void> {
  const isDownload = context.ctx.query.download !== undefined
  const [recording] = await Promise.all([
    isDownload ? context.api.fetch<RecordingJson>(formatRecordingApiPath(context)) : undefined,
    streamFromApi(context, `${formatRecordingApiPath(context)}/audio`),
  ])
  if (recording) setDownloadName(context, recording, extname(recording.fileName ?? ''))
}

/** Sets a file name such as 2026-11-21_2332_+375291234567.txt, in APP_TIMEZONE. The id replaces a missing phone number. */
function setDownloadName({ ctx, language }: PageContext, recording: RecordingJson, extension: string): void {
  const { id, phoneNumber, callStartedAt, createdAt } = recording
  const at = callStartedAt ?? createdAt
  const phone = phoneNumber?.replace(/[^+\d]/g, '') || id
  const name = `${language.format.dayOf(at)}_${language.format.clock(at).replace(':', '')}_${phone}${extension}`
  ctx.set('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
}

async function sendTranscript(context: PageContext): Promise<void> {
  const { format } = context.ctx.params as { format: string }
  if (!TRANSCRIPT_FORMATS.some((one) => one === format)) throw new PageError(404)
  const exportQuery = new URLSearchParams({ format, speakers: context.language.code })
  const [recording] = await Promise.all([
    context.api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    streamFromApi(context, `${formatRecordingApiPath(context)}/transcript?${exportQuery.toString()}`),
  ])
  setDownloadName(context, recording, `.${format}`)
}
