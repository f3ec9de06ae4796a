import { extname } from 'node:path'
import type { AnalysisJson } from '../../analysis/check-schema.ts'
import type { DealsJson } from '../../crm/deals/schema.ts'
import type { SpeakersJson } from '../../analysis/schema.ts'
import type { ExcerptJson } from '../../recordings/list/excerpts-schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../recordings/timeline/timeline-schema.ts'
import type { NeighboursJson } from '../../recordings/list/neighbours-schema.ts'
import type { RecordingJson } from '../../recordings/schema.ts'
import { FORMATS } from '../../transcripts/schema.ts'
import type { PartialTextJson } from '../../transcription/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { readFields } from '../frame/fields.ts'
import type { Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { titleOf } from '../frame/page-title.ts'
import { passThrough } from '../frame/pass-through.ts'
import type { Judging } from './check.ts'
import { historyOf, reasonsIn } from './history.ts'
import { dealsForm, dealsOf } from './deals.ts'
import { editForm } from './edit.ts'
import { judgingOf } from './judging.ts'
import { mayDoubt } from './doubt.ts'
import { PART, type Segment } from './lines.ts'
import { keptList, listOf, neighboursQuestion, pageOfCall, stateOf } from './list.ts'
import { partShown, recordingLines, recordingPage, SIDES, type RecordingParts, type Side } from './view.ts'
import {
  isRefresh,
  loadFrame,
  loadPerson,
  renderPage,
  renderParts,
  seeOther,
  type Route,
  type PageContext,
} from '../frame/context.ts'
import { learnReasons } from '../frame/reasons.ts'

export const recordingRoutes: Route[] = [
  { method: 'get', path: '/recordings/:id', handle: showRecording },
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
]

/** The recording's address in the API. */
export const apiPath = ({ ctx }: PageContext): string => `/v1/recordings/${encodeURIComponent(String(ctx.params.id))}`

async function showRecording(context: PageContext): Promise<void> {
  await answerRecording(context)
}

/** The page of the recording, with what was not possible, or what is wrong with the form that corrects it. */
export async function answerRecording(
  context: PageContext,
  {
    fault,
    form,
    judging,
    dealsFault,
  }: { fault?: (words: Language['words']) => string; form?: Form; judging?: Judging; dealsFault?: Form } = {},
): Promise<void> {
  const refresh = isRefresh(context.ctx)
  const [parts, person] = await Promise.all([readParts(context), refresh ? loadPerson(context) : loadFrame(context)])
  const call = recordingPage({ ...parts, judging: judging ?? judgingOf(context, parts) }, person, context.language)
  const data = {
    title: titleOf(`${call.heading}, ${call.time}`, [call.q]),
    call,
    fault: fault?.(context.language.words),
    form: form ?? editForm(parts.recording, context.language),
    isFaulty: form !== undefined,
    deals: dealsOf(parts.deals, parts.recording.source, person, context.language),
    dealsForm: dealsFault ?? dealsForm(),
    isDealsFaulty: dealsFault !== undefined,
  }
  if (refresh) renderParts(context, ['recording/_show'], data)
  else renderPage(context, 'recording/index', { ...data, scripts: ['recording.js', 'transcript.js'] })
}

/** The longest question that the search takes. */
const LONGEST_QUESTION = 500

/** All that a page of one recording shows, asked for at once. What only adds to it may be missing. */
async function readParts(context: PageContext): Promise<Omit<RecordingParts, 'judging'>> {
  const { ctx, api } = context
  const list = listOf(ctx)
  // What the list was searched for is marked in the call too, where its text holds it.
  const asked = ctx.query.q === undefined ? (list !== null && stateOf(list).filters.q) || '' : askedOf(context)
  const version = versionOf(context)
  const [recording, speakers, history, waveform, found, neighbours, analysis, deals] = await Promise.all([
    api.read<RecordingJson>(apiPath(context)),
    api.read<SpeakersJson>(`${apiPath(context)}/speakers`),
    api.read<{ items: HistoryItemJson[] }>(`${apiPath(context)}/history`),
    api.read<WaveformJson>(`${apiPath(context)}/waveform`).catch(unlessDown),
    asked ? readMatches(context, asked).catch(unlessDown) : undefined,
    list === null ? undefined : readNeighbours(context, list).catch(unlessDown),
    readCheck(context, version),
    api.read<DealsJson>(`${apiPath(context)}/deals`).catch(unlessDown),
  ])
  const q = ctx.query.q === undefined && !found?.matches.length ? '' : asked
  const place = { t: numberOf(ctx.query.t), part: numberOf(ctx.query.part) }
  const side = sideOf(context)
  const [ofClient, soFar, spoken] = await Promise.all([
    countOfClient(context, recording),
    readSoFar(context, recording),
    readWords(context, recording, partShown({ recording, found, side, speakers, place })),
    learnReasons(context, [recording.errorMessage, analysis?.reason, ...reasonsIn(history.items)]),
  ])
  return {
    recording,
    spoken,
    list,
    neighbours,
    ofClient,
    soFar,
    speakers,
    history: history.items,
    waveform,
    q,
    side,
    found,
    place,
    analysis,
    version,
    deals,
  }
}

/** Rows of a text that is not whole yet: what is left out comes with the whole. */
const LATEST_ROWS = 30

async function readSoFar(context: PageContext, { status }: RecordingJson): Promise<Segment[]> {
  if (status !== 'PROCESSING') return []
  const address = `${apiPath(context)}/partial-text?last=${LATEST_ROWS}`
  const text = await context.api.read<PartialTextJson>(address).catch(unlessDown)
  return text?.segments ?? []
}

/** One part of the transcript with its words, where these tell how sure the recognizer is. */
function readWords({ api }: PageContext, { id, transcript }: RecordingJson, part: number) {
  if (!transcript || !mayDoubt(transcript)) return undefined
  const query = new URLSearchParams({ words: 'true', firstSegment: String(part * PART), segments: String(PART) })
  const path = `/v1/recordings/${encodeURIComponent(id)}/transcript?${query.toString()}`
  return api.read<RecordingJson['transcript']>(path).catch(unlessDown)
}

/** The check of the call. A page does without it where it is refused. */
export function readCheck(context: PageContext, version: number | null): Promise<AnalysisJson | undefined> {
  const query = version === null ? '' : `?version=${version}`
  return context.api.read<AnalysisJson>(`${apiPath(context)}/analysis${query}`).catch(unlessDown)
}

/** The version of the rules whose check is asked for; null: what holds. */
export function versionOf({ ctx }: PageContext): number | null {
  const version = numberOf(ctx.query.version)
  return version !== null && Number.isInteger(version) && version > 0 ? version : null
}

function readNeighbours({ api, ctx, language }: PageContext, list: string): Promise<NeighboursJson> {
  return api.read<NeighboursJson>(neighboursQuestion(String(ctx.params.id), list, language))
}

/** How many calls there are with the phone of this one. */
async function countOfClient({ api }: PageContext, { phoneNumber }: RecordingJson): Promise<number> {
  if (!phoneNumber || !/\d/.test(phoneNumber)) return 0
  const query = new URLSearchParams({ phone: phoneNumber, pageSize: '1' }).toString()
  return (await api.read<{ total: number }>(`/v1/recordings?${query}`)).total
}

/** What is searched for in the text. */
const askedOf = ({ ctx }: PageContext): string =>
  typeof ctx.query.q === 'string' ? ctx.query.q.trim().slice(0, LONGEST_QUESTION) : ''

/** On which side it is searched for. */
const sideOf = ({ ctx }: PageContext): Side | null => SIDES.find((side) => side === ctx.query.side) ?? null

/** A number of the address, such as a moment in seconds; null where it is none. */
const numberOf = (text: unknown): number | null =>
  typeof text === 'string' && /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : null

async function readMatches({ api, ctx }: PageContext, q: string): Promise<ExcerptJson | undefined> {
  const query = new URLSearchParams({ ids: String(ctx.params.id), q, full: 'true' }).toString()
  return (await api.read<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items[0]
}

/** Without the right to listen, or before there is any, a page goes without. */
function unlessDown(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status < 500 && error.status !== 401)) throw error
}

/** One part of the transcript: a long one is not sent at once. Whoever comes without a script gets the page with it. */
async function showLines(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const part = numberOf(ctx.params.part)
  if (part === null || !Number.isInteger(part)) throw new PageError(404)
  const [q, side] = [askedOf(context), sideOf(context)]
  if (!isRefresh(ctx)) {
    const query = new URLSearchParams({ part: String(part), ...(q && { q }), ...(side && { side }) }).toString()
    return seeOther(ctx, `/recordings/${ctx.params.id}?${query}`)
  }
  const [recording, speakers, found, analysis, person] = await Promise.all([
    api.read<RecordingJson>(apiPath(context)),
    api.read<SpeakersJson>(`${apiPath(context)}/speakers`),
    q ? readMatches(context, q).catch(unlessDown) : undefined,
    readCheck(context, versionOf(context)),
    loadPerson(context),
  ])
  const spoken = await readWords(context, recording, part)
  const call = recordingLines({ recording, speakers, found, side, analysis, spoken }, part, person, context.language)
  if (call.lines.length === 0) throw new PageError(404)
  renderParts(context, ['recording/_lines'], { call, lines: call.lines, part })
}

/** The history alone: it goes on while a callback is delivered. */
async function showHistory(context: PageContext): Promise<void> {
  if (!isRefresh(context.ctx)) return seeOther(context.ctx, `/recordings/${context.ctx.params.id}`)
  const [{ items }, recording, person] = await Promise.all([
    context.api.read<{ items: HistoryItemJson[] }>(`${apiPath(context)}/history`),
    context.api.read<RecordingJson>(apiPath(context)),
    loadPerson(context),
  ])
  await learnReasons(context, reasonsIn(items))
  const history = historyOf(items, recording, person.rights.manageRecordings === true, context.language)
  const call = { href: `/recordings/${recording.id}`, kept: keptList(context.ctx.query.list), history }
  renderParts(context, ['recording/_history'], { call })
}

async function change(context: PageContext, verb: 'retry' | 'cancel'): Promise<void> {
  try {
    await context.api.send('POST', `${apiPath(context)}/${verb}`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    context.ctx.status = 409
    await answerRecording(context, { fault: (words) => words.recording.conflict })
    return
  }
  seeOther(context.ctx, pageOfCall(context.ctx))
}

async function remove(context: PageContext): Promise<void> {
  await Promise.all([context.api.send('DELETE', apiPath(context)), loadPerson(context)])
  const list = listOf(context.ctx)
  seeOther(context.ctx, list ? `/recordings?${list}` : '/recordings', context.language.words.recording.deleted)
}

/** Sends a callback again that was given up. */
async function resend(context: PageContext): Promise<void> {
  const { ctx, api } = context
  try {
    await api.send('POST', `${apiPath(context)}/deliveries/${encodeURIComponent(String(ctx.params.delivery))}/retry`)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    ctx.status = 409
    return answerRecording(context, { fault: (words) => words.recording.conflict })
  }
  seeOther(ctx, pageOfCall(ctx))
}

/** The form says on which channel the agent speaks then: so two at once do not swap it back. */
async function swapSpeakers(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields] = await Promise.all([readFields(ctx), loadPerson(context)])
  await api.send('PUT', `${apiPath(context)}/speakers`, { agentChannel: Number(fields.raw('agentChannel')) })
  seeOther(ctx, pageOfCall(ctx))
}

/** The sound; as a download under a name that tells of the call. */
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
  await loadPerson(context)
  const asked = new URLSearchParams({ format, speakers: context.language.code })
  const [recording] = await Promise.all([
    context.api.read<RecordingJson>(apiPath(context)),
    passThrough(context, `${apiPath(context)}/transcript?${asked.toString()}`),
  ])
  nameDownload(context, recording, `.${format}`)
}
