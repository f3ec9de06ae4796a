import { extname } from 'node:path'
import type { SpeakersJson } from '../../analysis/schema.ts'
import type { ExcerptJson, HistoryItemJson, WaveformJson } from '../../recordings/timeline/timeline-schema.ts'
import type { NeighboursJson } from '../../recordings/list/neighbours-schema.ts'
import type { RecordingJson } from '../../recordings/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { readFields } from '../frame/fields.ts'
import type { Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { titleOf } from '../frame/page-title.ts'
import { passThrough } from '../frame/pass-through.ts'
import { historyOf } from './history.ts'
import { editForm } from './edit.ts'
import { keptList, listOf, neighboursQuestion, pageOfCall, stateOf } from './list.ts'
import { recordingLines, recordingPage, SIDES, type RecordingParts, type Side } from './view.ts'
import { isRefresh, loadFrame, loadPerson, renderPage, renderParts, seeOther, type Route, type Visit } from '../frame/context.ts'

export const recordingRoutes: Route[] = [
  { method: 'get', path: '/recordings/:id', handle: showRecording },
  { method: 'get', path: '/recordings/:id/history', handle: showHistory },
  { method: 'get', path: '/recordings/:id/lines/:part', handle: showLines },
  { method: 'get', path: '/recordings/:id/audio', handle: sendAudio },
  {
    method: 'get',
    path: '/recordings/:id/playback',
    handle: (visit) => passThrough(visit, `${apiPath(visit)}/playback`),
  },
  { method: 'get', path: '/recordings/:id/transcript.:format', handle: sendTranscript },
  { method: 'post', path: '/recordings/:id/retry', handle: (visit) => change(visit, 'retry') },
  { method: 'post', path: '/recordings/:id/cancel', handle: (visit) => change(visit, 'cancel') },
  { method: 'post', path: '/recordings/:id/deliveries/:delivery', handle: resend },
  { method: 'post', path: '/recordings/:id/speakers', handle: swapSpeakers },
  { method: 'post', path: '/recordings/:id/delete', handle: remove },
]

/** The recording's address in the API. */
export const apiPath = ({ ctx }: Visit): string => `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

async function showRecording(visit: Visit): Promise<void> {
  await answerRecording(visit)
}

/** The page of the recording, with what was not possible, or what is wrong with the form that corrects it. */
export async function answerRecording(
  visit: Visit,
  { fault, form }: { fault?: (words: Language['words']) => string; form?: Form } = {},
): Promise<void> {
  const refresh = isRefresh(visit.ctx)
  const [parts, person] = await Promise.all([readParts(visit), refresh ? loadPerson(visit) : loadFrame(visit)])
  const call = recordingPage(parts, person, visit.language)
  const data = {
    title: titleOf(`${call.heading}, ${call.time}`, [call.q]),
    call,
    fault: fault?.(visit.language.words),
    form: form ?? editForm(parts.recording, visit.language),
    isFaulty: form !== undefined,
  }
  if (refresh) renderParts(visit, ['recording/_show'], data)
  else renderPage(visit, 'recording/index', { ...data, scripts: ['recording.js', 'transcript.js'] })
}

/** The longest question that the search takes. */
const LONGEST_QUESTION = 500

/** All that a page of one recording shows, asked for at once. What only adds to it may be missing. */
async function readParts(visit: Visit): Promise<RecordingParts> {
  const { ctx, api } = visit
  const list = listOf(ctx)
  // What the list was searched for is marked in the call too, where its text holds it.
  const asked = ctx.query.q === undefined ? (list !== null && stateOf(list).filters.q) || '' : askedOf(visit)
  const [recording, speakers, history, waveform, found, neighbours] = await Promise.all([
    api.read<RecordingJson>(apiPath(visit)),
    api.read<SpeakersJson>(`${apiPath(visit)}/speakers`),
    api.read<{ items: HistoryItemJson[] }>(`${apiPath(visit)}/history`),
    api.read<WaveformJson>(`${apiPath(visit)}/waveform`).catch(unlessDown),
    asked ? readMatches(visit, asked).catch(unlessDown) : undefined,
    list === null ? undefined : readNeighbours(visit, list).catch(unlessDown),
  ])
  const q = ctx.query.q === undefined && !found?.matches.length ? '' : asked
  const place = { t: numberOf(ctx.query.t), part: numberOf(ctx.query.part) }
  const ofClient = await countOfClient(visit, recording)
  return {
    recording,
    list,
    neighbours,
    ofClient,
    speakers,
    history: history.items,
    waveform,
    q,
    side: sideOf(visit),
    found,
    place,
  }
}

function readNeighbours({ api, ctx, language }: Visit, list: string): Promise<NeighboursJson> {
  return api.read<NeighboursJson>(neighboursQuestion(String(ctx.params.id), list, language))
}

/** How many calls there are with the phone of this one. */
async function countOfClient({ api }: Visit, { phoneNumber }: RecordingJson): Promise<number> {
  if (!phoneNumber || !/\d/.test(phoneNumber)) return 0
  const query = new URLSearchParams({ phone: phoneNumber, pageSize: '1' }).toString()
  return (await api.read<{ total: number }>(`/v1/recordings?${query}`)).total
}

/** What is searched for in the text. */
const askedOf = ({ ctx }: Visit): string =>
  typeof ctx.query.q === 'string' ? ctx.query.q.trim().slice(0, LONGEST_QUESTION) : ''

/** On which side it is searched for. */
const sideOf = ({ ctx }: Visit): Side | null => SIDES.find((side) => side === ctx.query.side) ?? null

/** A number of the address, such as a moment in seconds; null where it is none. */
const numberOf = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : null

async function readMatches({ api, ctx }: Visit, q: string): Promise<ExcerptJson | undefined> {
  const query = new URLSearchParams({ ids: String(ctx.params.id), q, full: 'true' }).toString()
  return (await api.read<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items[0]
}

/** Without the right to listen, or before there is any, a page goes without. */
function unlessDown(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status < 500 && error.status !== 401)) throw error
}

/** One part of the transcript: a long one is not sent at once. Whoever comes without a script gets the page with it. */
async function showLines(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  const part = numberOf(ctx.params.part)
  if (part === null || !Number.isInteger(part)) throw new PageError(404)
  const [q, side] = [askedOf(visit), sideOf(visit)]
  if (!isRefresh(ctx)) {
    const query = new URLSearchParams({ part: String(part), ...(q && { q }), ...(side && { side }) }).toString()
    return seeOther(ctx, `/recordings/${ctx.params.id}?${query}`)
  }
  const [recording, speakers, found, person] = await Promise.all([
    api.read<RecordingJson>(apiPath(visit)),
    api.read<SpeakersJson>(`${apiPath(visit)}/speakers`),
    q ? readMatches(visit, q).catch(unlessDown) : undefined,
    loadPerson(visit),
  ])
  const call = recordingLines({ recording, speakers, found, side }, part, person, visit.language)
  if (call.lines.length === 0) throw new PageError(404)
  renderParts(visit, ['recording/_lines'], { call, lines: call.lines, part })
}

/** The history alone: it goes on while a callback is delivered. */
async function showHistory(visit: Visit): Promise<void> {
  if (!isRefresh(visit.ctx)) return seeOther(visit.ctx, `/recordings/${visit.ctx.params.id}`)
  const [{ items }, recording, person] = await Promise.all([
    visit.api.read<{ items: HistoryItemJson[] }>(`${apiPath(visit)}/history`),
    visit.api.read<RecordingJson>(apiPath(visit)),
    loadPerson(visit),
  ])
  const history = historyOf(items, recording, person.rights.manageRecordings === true, visit.language)
  const call = { href: `/recordings/${recording.id}`, kept: keptList(visit.ctx.query.list), history }
  renderParts(visit, ['recording/_history'], { call })
}

async function change(visit: Visit, verb: 'retry' | 'cancel'): Promise<void> {
  try {
    await visit.api.send('POST', `${apiPath(visit)}/${verb}`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    visit.ctx.status = 409
    await answerRecording(visit, { fault: (words) => words.recording.conflict })
    return
  }
  seeOther(visit.ctx, pageOfCall(visit.ctx))
}

async function remove(visit: Visit): Promise<void> {
  await Promise.all([visit.api.send('DELETE', apiPath(visit)), loadPerson(visit)])
  const list = listOf(visit.ctx)
  seeOther(visit.ctx, list ? `/recordings?${list}` : '/recordings', visit.language.words.recording.deleted)
}

/** Sends a callback again that was given up. */
async function resend(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  try {
    await api.send('POST', `${apiPath(visit)}/deliveries/${encodeURIComponent(String(ctx.params.delivery))}/retry`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    ctx.status = 409
    return answerRecording(visit, { fault: (words) => words.recording.conflict })
  }
  seeOther(ctx, pageOfCall(ctx))
}

/** The form says on which channel the agent speaks then: so two at once do not swap it back. */
async function swapSpeakers(visit: Visit): Promise<void> {
  const { ctx, api } = visit
  const [fields] = await Promise.all([readFields(ctx), loadPerson(visit)])
  await api.send('PUT', `${apiPath(visit)}/speakers`, { agentChannel: Number(fields.raw('agentChannel')) })
  seeOther(ctx, pageOfCall(ctx))
}

/** The sound; as a download under a name that tells of the call. */
async function sendAudio(visit: Visit): Promise<void> {
  const isDownload = visit.ctx.query.download !== undefined
  const [recording] = await Promise.all([
    isDownload ? visit.api.read<RecordingJson>(apiPath(visit)) : undefined,
    passThrough(visit, `${apiPath(visit)}/audio`),
  ])
  if (recording) nameDownload(visit, recording, extname(recording.fileName ?? ''))
}

/** Such as 2026-11-21_2332_+375291234567.txt, in the time zone of the service. */
function nameDownload({ ctx, language }: Visit, recording: RecordingJson, extension: string): void {
  const { id, phoneNumber, callStartedAt, createdAt } = recording
  const at = callStartedAt ?? createdAt
  const phone = phoneNumber?.replace(/[^+\d]/g, '') || id
  const name = `${language.format.dayOf(at)}_${language.format.clock(at).replace(':', '')}_${phone}${extension}`
  ctx.set('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
}

const FORMATS = ['txt', 'srt', 'vtt', 'json']

async function sendTranscript(visit: Visit): Promise<void> {
  const { format } = visit.ctx.params as { format: string }
  if (!FORMATS.includes(format)) throw new PageError(404)
  await loadPerson(visit)
  const asked = new URLSearchParams({ format, speakers: visit.language.code })
  const [recording] = await Promise.all([
    visit.api.read<RecordingJson>(apiPath(visit)),
    passThrough(visit, `${apiPath(visit)}/transcript?${asked.toString()}`),
  ])
  nameDownload(visit, recording, `.${format}`)
}
