import type { DealsJson } from '../../crm/deals/schema.ts'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { checkOf, quotesBySegment, versionQuery, type CheckParts } from './check.ts'
import { doubtsOf } from './doubt.ts'
import { historyOf } from './history.ts'
import { reasonInWords } from '../frame/reasons.ts'
import { keptList, listHref } from './list.ts'
import { linesOf, locateMatches, PART, partAt, partsOf } from './lines.ts'
import type { Match, Segment, SpokenPart, Wanted } from './lines.ts'
import { drawTicks, drawWave, sharesOf, soundNotes } from './sound.ts'
import type { Person } from '../frame/context.ts'

/** A status as the pages show it: one lower-case word, or how far it is. `kind` picks the colour. */
function statusBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const running = status === 'PROCESSING' && progress.percent > 0
  return {
    kind: status.toLowerCase(),
    text: running ? words.common.percent(format.number(progress.percent)) : words.recordings.status[status],
  }
}

/** Why it failed, in the person's language where the reason is one of ours. */
export function failureReason({ errorCode, errorMessage }: RecordingJson, language: Language): string {
  const { audioErrors, failedUnknown } = language.words.recordings
  if (errorCode) return audioErrors[errorCode]
  return errorMessage ? reasonInWords(errorMessage, language) : failedUnknown
}

/** A recording, and what was searched for in its text. */
export interface Searched {
  recording: RecordingJson
  found: ExcerptJson | undefined
  /** The side on which it is searched for; null: on both. */
  side: Side | null
  speakers: SpeakersJson
}

/** What a page of one recording is made of: with the words of the part that is shown, where these tell something. */
export interface RecordingParts extends CheckParts, Searched, SpokenPart {
  history: HistoryItemJson[]
  waveform: WaveformJson | undefined
  /** What was searched for in its text. */
  q: string
  /** What of it was asked for. */
  wanted: Wanted
  /** The list that one came from, as the query of its address; empty: the whole list; null: one came from none. */
  list: string | null
  /** What stands beside it in that list. */
  neighbours: NeighboursJson | undefined
  /** How many calls there are with this phone. */
  ofClient: number
  /** What is understood of it so far, while it is being transcribed: the latest of it. */
  soFar: Segment[]
  deals: DealsJson | undefined
  /** Whether it may belong to a deal. */
  isDealChoosable: boolean
}

/** The two who speak in a call. */
export const SIDES = ['agent', 'client'] as const
export type Side = (typeof SIDES)[number]

const channelOf = (side: Side | null, { agentChannel }: SpeakersJson): 0 | 1 | null =>
  side === null ? null : (side === 'agent') === (agentChannel === 0) ? 0 : 1

/** One recording as its page shows it, to a person with these rights. */
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
    sound: {
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

/** What a person may do with a recording as it is. */
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

/** The check of the call, which refreshes itself too. */
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

/** Its position in the list that one came from, and the way to what stands beside it there. */
function walkOf({ list, neighbours }: RecordingParts, { words, format }: Language) {
  if (!neighbours) return null
  const { position, total, previous, next } = neighbours
  const href = (id: string | null) => id && `/recordings/${id}${queryOf({ list })}`
  const text = position === null ? '' : words.recording.positionInList(format.number(position), format.number(total))
  return { text, previous: href(previous), next: href(next) }
}

const isUnfinished = ({ status }: RecordingJson): boolean => status === 'QUEUED' || status === 'PROCESSING'

/** What is given, as the query of an address; the list may be the whole one, without a query of its own. */
export function queryOf(given: Record<string, string | null>): string {
  const isGiven = ([name, value]: [string, string | null]) => (name === 'list' ? value !== null : Boolean(value))
  const query = new URLSearchParams(Object.entries(given).filter(isGiven) as [string, string][])
  return query.size > 0 ? `?${query.toString()}` : ''
}

/** What was searched for and found. */
const matchesOf = ({ recording, found, side, speakers }: Searched, words?: SpokenPart): Match[] =>
  locateMatches(recording.transcript?.segments ?? [], found, channelOf(side, speakers), words)

/** The part of the transcript that the page begins with. */
export const partShown = (searched: Searched, wanted: Wanted): number =>
  partAt(searched.recording.transcript?.segments ?? [], wanted, matchesOf(searched))

/** Whether something that was searched for begins in a part of the transcript. */
export const isFoundIn = (part: number, searched: Searched): boolean =>
  matchesOf(searched).some(({ row }) => Math.floor(row / PART) === part)

/** What is marked in the text. */
function marksOf(parts: LinesParts, language: Language) {
  const { spoken, part, analysis } = parts
  const quotes = quotesBySegment(analysis, language)
  return { matches: matchesOf(parts, parts), quotes, doubts: doubtsOf(spoken, part * PART) }
}

/** What the rows of a transcript are made of. */
type LinesParts = Searched & SpokenPart & Pick<RecordingParts, 'analysis'>

/** One part of the transcript, as the page shows it. */
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

/** The rows of a text that is not whole yet. */
function soFarOf(segments: Segment[], speakers: SpeakersJson, language: Language) {
  return linesOf(
    segments,
    0,
    { matches: [], quotes: new Map(), doubts: new Map() },
    sidesOf(segments, speakers, language),
    language,
  )
}

/** Who speaks on each channel of a call, where there are two. */
function sidesOf(segments: Segment[], { agentChannel }: SpeakersJson, { words }: Language): [string, string] | null {
  const { agent, client } = words.recording.sides
  if (!segments.some(({ channel }) => channel > 0)) return null
  return agentChannel === 0 ? [agent, client] : [client, agent]
}

/** Files in which no audio was found have nothing to play. */
const SOUNDLESS: readonly RecordingJson['errorCode'][] = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO']

const mayListen = ({ errorCode }: RecordingJson, { rights }: Person): boolean =>
  rights.audio === true && !SOUNDLESS.includes(errorCode)

/** What waits: its position, and about when it is done; what runs: about how long it takes. */
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

/** What matters most of the details, in one line. */
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

/** The details that there are, as [name, value]. */
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
    [detail.sound, soundNotes(recording.audio, sides, language)],
    [detail.size, format.size(recording.sizeBytes)],
    [detail.length, durationSeconds === null ? null : format.length(durationSeconds)],
    [detail.model, transcript?.model],
    [detail.decoder, decoder && (words.recordings.decoder[decoder] ?? decoder)],
    [detail.language, transcript?.language && format.language(transcript.language)],
    [detail.priority, priority > 0 ? format.number(priority) : null],
    [detail.attempts, format.number(attempts)],
    // Of what has failed the reason stands in the place of the transcript.
    [detail.error, status === 'FAILED' || !(errorCode ?? errorMessage) ? null : failureReason(recording, language)],
    [detail.callback, recording.callbackUrl],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
