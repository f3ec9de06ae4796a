import type { DealsJson } from '../../crm/deals/schema.ts'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { checkOf, quotesBySegment, versionQuery, type CheckParts } from './check.ts'
import { historyOf } from './history.ts'
import { keptList, listHref } from './list.ts'
import { doubtsOf, linesOf, locateMatches, PART, partAt, partsOf } from './lines.ts'
import type { Match, Segment, SpokenPart, Wanted } from './lines.ts'
import { drawTicks, drawWave, sharesOf, audioNotes } from './audio.ts'
import type { Person } from '../frame/context.ts'

/** `kind` selects the colour. */
function statusBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const running = status === 'PROCESSING' && progress.percent > 0
  return {
    kind: status.toLowerCase(),
    text: running ? words.common.percent(format.number(progress.percent)) : words.recordings.status[status],
  }
}

export function failureReason({ errorCode, errorMessage }: RecordingJson, language: Language): string {
  const { audioErrors, failedUnknown } = language.words.recordings
  if (errorCode) return audioErrors[errorCode]
  return errorMessage ?? failedUnknown
}

export interface Searched {
  recording: RecordingJson
  found: ExcerptJson | undefined
  /** The side of the search; null: both. */
  side: Side | null
  speakers: SpeakersJson
}

export interface RecordingParts extends CheckParts, Searched, SpokenPart {
  history: HistoryItemJson[]
  waveform: WaveformJson | undefined
  q: string
  wanted: Wanted
  /** The list that the person came from, as a query; empty: the whole list; null: none. */
  list: string | null
  neighbours: NeighboursJson | undefined
  ofClient: number
  /** The latest rows of the text so far, while it is transcribed. */
  soFar: Segment[]
  deals: DealsJson | undefined
  isDealChoosable: boolean
}

export const SIDES = ['agent', 'client'] as const
export type Side = (typeof SIDES)[number]

const channelOf = (side: Side | null, { agentChannel }: SpeakersJson): 0 | 1 | null =>
  side === null ? null : (side === 'agent') === (agentChannel === 0) ? 0 : 1

export function recordingPage(parts: RecordingParts, person: Person, language: Language) {
  const { recording, q, side, speakers, wanted, part } = parts
  const { words, format } = language
  const { id, status, transcript, phoneNumber, managerName, fileName, progress, durationSeconds } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const href = `/recordings/${id}`
  const segments = transcript?.segments ?? []
  const sides = sidesOf(segments, speakers, language)
  const marks = marksOf(parts, language)
  const { matches } = marks
  const wave = drawWave(parts.waveform)
  return {
    id,
    href,
    self: href + queryOf({ q, side, ...versionQuery(parts.version), list: parts.list }),
    t: wanted.t,
    list: parts.list,
    kept: keptList(parts.list),
    listHref: listHref(parts.list, parts.neighbours),
    walk: walkOf(parts, language),
    phoneHref: phoneNumber && /\d/.test(phoneNumber) ? `/recordings${queryOf({ phone: phoneNumber })}` : null,
    managerHref: managerName && `/recordings${queryOf({ manager: managerName })}`,
    client: parts.ofClient > 1 ? words.recording.ofClient(format.number(parts.ofClient)) : null,
    heading: format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    manager: managerName,
    iso: time,
    time: format.longTime(time),
    badge: statusBadge(recording, language),
    status,
    live: isUnfinished(recording),
    note: isUnfinished(recording) ? waitingNote(recording, language) : '',
    percent: progress.percent,
    failure: status === 'FAILED' ? failureReason(recording, language) : null,
    failedForGood: recording.errorCode !== null,
    ...allowed(recording, person),
    audio: {
      seconds: durationSeconds,
      length: durationSeconds === null ? null : format.length(durationSeconds),
      wave,
      ticks: drawTicks(matches, durationSeconds, wave.width),
      shares: transcript ? sharesOf(transcript.segments, durationSeconds, sides, language) : [],
    },
    twoChannels: sides !== null,
    soFar: soFarOf(parts.soFar, speakers, language),
    parts: transcript && partsOf(transcript, marks, part, sides, language),
    check: checkPart(parts, person, language),
    q,
    side,
    swapped: sides && mayManage(person) ? 1 - speakers.agentChannel : null,
    partQuery: queryOf({ q, side, ...versionQuery(parts.version) }),
    matches: matches.length,
    matchMoments: matches.map(({ row, at }) => `${Math.floor(row / PART)}:${at}`).join(' '),
    gist: gistOf(recording, language),
    details: details(recording, sides, language),
    history: historyOf(parts.history, recording, mayManage(person), language),
  }
}

const mayManage = ({ rights }: Person): boolean => rights.manageRecordings === true

function allowed(recording: RecordingJson, person: Person) {
  const { id, status, errorCode } = recording
  const manages = mayManage(person)
  return {
    mayListen: mayListen(recording, person),
    mayRetry: manages && (status === 'FAILED' || status === 'CANCELLED'),
    mayCancel: manages && isUnfinished(recording),
    mayDelete: manages,
    mayEdit: manages,
    readersHref: person.role === 'owner' ? `/audit?object=${id}&kind=reads` : null,
    again: manages && errorCode !== null ? `/upload?as=${id}` : null,
  }
}

export function checkPart(
  parts: Pick<RecordingParts, 'recording' | 'list'> & CheckParts,
  person: Person,
  language: Language,
) {
  const { recording, list } = parts
  const href = `/recordings/${recording.id}`
  const address = (query: Record<string, string | null>) => href + queryOf({ ...query, list })
  const context = { href, address, mayListen: mayListen(recording, person), hasText: recording.status === 'DONE' }
  return checkOf(parts, context, person, language)
}

/** Its position in the list, and the links to the calls beside it. */
function walkOf({ list, neighbours }: RecordingParts, { words, format }: Language) {
  if (!neighbours) return null
  const { position, total, previous, next } = neighbours
  const href = (id: string | null) => id && `/recordings/${id}${queryOf({ list })}`
  const text = position === null ? '' : words.recording.positionInList(format.number(position), format.number(total))
  return { text, previous: href(previous), next: href(next) }
}

const isUnfinished = ({ status }: RecordingJson): boolean => status === 'QUEUED' || status === 'PROCESSING'

/** Leaves out empty values, except an empty list, which is the whole one. */
export function queryOf(given: Record<string, string | null>): string {
  const isGiven = ([name, value]: [string, string | null]) => (name === 'list' ? value !== null : Boolean(value))
  const query = new URLSearchParams(Object.entries(given).filter(isGiven) as [string, string][])
  return query.size > 0 ? `?${query.toString()}` : ''
}

const matchesOf = ({ recording, found, side, speakers }: Searched, words?: SpokenPart): Match[] =>
  locateMatches(recording.transcript?.segments ?? [], found, channelOf(side, speakers), words)

/** The part of the transcript that the page begins with. */
export const partShown = (searched: Searched, wanted: Wanted): number =>
  partAt(searched.recording.transcript?.segments ?? [], wanted, matchesOf(searched))

/** Whether a match of the search begins in a part of the transcript. */
export const isFoundIn = (part: number, searched: Searched): boolean =>
  matchesOf(searched).some(({ row }) => Math.floor(row / PART) === part)

function marksOf(parts: LinesParts, language: Language) {
  const { spoken, part, analysis } = parts
  const quotes = quotesBySegment(analysis, language)
  return { matches: matchesOf(parts, parts), quotes, doubts: doubtsOf(spoken, part * PART) }
}

type LinesParts = Searched & SpokenPart & Pick<RecordingParts, 'analysis'>

export function recordingLines(parts: LinesParts, person: Person, language: Language) {
  const { recording, speakers, part } = parts
  const segments = recording.transcript?.segments ?? []
  const sides = sidesOf(segments, speakers, language)
  return {
    href: `/recordings/${recording.id}`,
    mayListen: mayListen(recording, person),
    twoChannels: sides !== null,
    lines: linesOf(segments, part, marksOf(parts, language), sides, language),
  }
}

function soFarOf(segments: Segment[], speakers: SpeakersJson, language: Language) {
  return linesOf(
    segments,
    0,
    { matches: [], quotes: new Map(), doubts: new Map() },
    sidesOf(segments, speakers, language),
    language,
  )
}

/** The speakers of both channels; null if there is one channel. */
function sidesOf(segments: Segment[], { agentChannel }: SpeakersJson, { words }: Language): [string, string] | null {
  const { agent, client } = words.recording.sides
  if (!segments.some(({ channel }) => channel > 0)) return null
  return agentChannel === 0 ? [agent, client] : [client, agent]
}

const WITHOUT_AUDIO: readonly RecordingJson['errorCode'][] = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO']

const mayListen = ({ errorCode }: RecordingJson, { rights }: Person): boolean =>
  rights.audio === true && !WITHOUT_AUDIO.includes(errorCode)

function waitingNote(recording: RecordingJson, { words }: Language): string {
  const { status, progress } = recording
  const { position, left, doneIn, transcribing, paused } = words.recordings
  if (status === 'PROCESSING') return progress.etaSeconds === null ? transcribing : left(progress.etaSeconds)
  const parts = [
    progress.position && position(progress.position),
    progress.paused ? paused : progress.etaSeconds !== null && doneIn(progress.etaSeconds),
  ]
  return parts.filter(Boolean).join(', ') || words.recording.pauses
}

function gistOf(
  { direction, department, durationSeconds, source }: RecordingJson,
  { words, format }: Language,
): string {
  const known = [
    direction && words.recordings.direction[direction],
    department?.name,
    durationSeconds !== null && format.length(durationSeconds),
  ].filter(Boolean)
  return known.length > 0 ? known.join(' · ') : words.recordings.source[source]
}

function details(recording: RecordingJson, sides: [string, string] | null, language: Language): [string, string][] {
  const { words, format } = language
  const { detail } = words.recording
  const { status, direction, transcript, durationSeconds, priority, attempts, errorCode, errorMessage } = recording
  const decoder = transcript?.decoder ?? recording.decoder
  const rows: [string, string | null | undefined][] = [
    [detail.direction, direction && words.recordings.direction[direction]],
    [detail.department, recording.department?.name],
    [detail.callId, recording.externalCallId],
    [detail.source, words.recordings.source[recording.source]],
    [detail.file, recording.fileName],
    [detail.sound, audioNotes(recording.audio, sides, language)],
    [detail.size, format.size(recording.sizeBytes)],
    [detail.length, durationSeconds === null ? null : format.length(durationSeconds)],
    [detail.model, transcript?.model],
    [detail.decoder, decoder && (words.recordings.decoder[decoder] ?? decoder)],
    [detail.language, transcript?.language && format.language(transcript.language)],
    [detail.priority, priority > 0 ? format.number(priority) : null],
    [detail.attempts, format.number(attempts)],
    // The reason of a FAILED recording replaces its transcript.
    [detail.error, status === 'FAILED' || !(errorCode ?? errorMessage) ? null : failureReason(recording, language)],
    [detail.callback, recording.callbackUrl],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
