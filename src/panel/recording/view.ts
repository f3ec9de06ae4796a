import type { CallDealsJson } from '../../crm/deals/schema.ts'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { buildCheckView, groupQuotesBySegment, buildVersionQuery, type CheckParts } from './check.ts'
import { buildHistoryView } from './history.ts'
import { formatListParameter, formatReturnHref } from './list-navigation.ts'
import { locateDoubtfulWords, buildTurns, locateMatches, choosePart } from './lines.ts'
import type { SearchMatch, Segment, PartWithWords, RequestedPosition, TextMarks } from './lines.ts'
import { areSpeakersKnown, buildTextView, type TextLayout } from './text-view.ts'
import { containsRow, groupTurns, type RowRange } from './turns.ts'
import { drawChapters, drawMatchTicks, drawWaveform, formatSpeechShares, formatAudioProblems } from './audio.ts'
import type { Person } from '../frame/context.ts'

/** `kind` is the CSS class that sets the colour. */
function buildStatusBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const isRunning = status === 'PROCESSING' && progress.percent > 0
  return {
    kind: status.toLowerCase(),
    text: isRunning ? words.common.percent(format.number(progress.percent)) : words.recordings.status[status],
  }
}

/** Explains why the transcription of a call failed. */
export function formatFailureReason({ errorCode, errorMessage }: RecordingJson, language: Language): string {
  const { audioErrors, failedUnknown } = language.words.recordings
  if (errorCode) return audioErrors[errorCode]
  return errorMessage ?? failedUnknown
}

/** A search in the transcript of a call and the matches that the API found. */
export interface RecordingSearch {
  recording: RecordingJson
  found: ExcerptJson | undefined
  /** The side whose text is searched; null for both. */
  side: Side | null
  speakers: SpeakersJson
}

/** Everything that was fetched for the page of a call. */
export interface RecordingParts extends CheckParts, RecordingSearch, PartWithWords {
  layout: TextLayout
  history: HistoryItemJson[]
  waveform: WaveformJson | undefined
  q: string
  requested: RequestedPosition
  /** Query of the list that the person came from. Empty for the complete list, null if the person did not come from a list. */
  list: string | null
  neighbours: NeighboursJson | undefined
  clientCallCount: number
  /** The latest rows of an incomplete transcript, while the call is being transcribed. */
  partialText: Segment[]
  deals: CallDealsJson | undefined
  isDealChoosable: boolean
}

export const SIDES = ['agent', 'client'] as const
export type Side = (typeof SIDES)[number]

const findChannel = (side: Side | null, { agentChannel }: SpeakersJson): 0 | 1 | null =>
  side === null ? null : (side === 'agent') === (agentChannel === 0) ? 0 : 1

/** Builds the page of a call from its fetched parts. @param person decides which actions are offered */
export function buildRecordingView(parts: RecordingParts, person: Person, language: Language) {
  const { recording, q, side, speakers, requested, part, layout } = parts
  const { words, format } = language
  const { id, status, transcript, phoneNumber, managerName, fileName, progress, durationSeconds } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const href = `/recordings/${id}`
  const segments = transcript?.segments ?? []
  const sides = formatSides(segments, speakers, language)
  const marks = collectMarks(parts, language)
  const { matches } = marks
  const wave = drawWaveform(parts.waveform)
  return {
    id,
    href,
    self: href + formatQuery({ q, side, ...buildVersionQuery(parts.version), list: parts.list }),
    t: requested.t,
    list: parts.list,
    kept: formatListParameter(parts.list),
    listHref: formatReturnHref(parts.list, parts.neighbours),
    walk: buildNeighbourLinks(parts, language),
    phoneHref: phoneNumber && /\d/.test(phoneNumber) ? `/recordings${formatQuery({ phone: phoneNumber })}` : null,
    managerHref: managerName && `/recordings${formatQuery({ manager: managerName })}`,
    client: parts.clientCallCount > 1 ? words.recording.ofClient(format.number(parts.clientCallCount)) : null,
    heading: format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    manager: managerName,
    iso: time,
    time: format.longTime(time),
    badge: buildStatusBadge(recording, language),
    status,
    live: isUnfinished(recording),
    note: isUnfinished(recording) ? formatWaitingNote(recording, language) : '',
    percent: progress.percent,
    failure: status === 'FAILED' ? formatFailureReason(recording, language) : null,
    failedForGood: recording.errorCode !== null,
    ...buildPermissions(recording, person),
    audio: {
      seconds: durationSeconds,
      length: durationSeconds === null ? null : format.length(durationSeconds),
      wave,
      ticks: drawMatchTicks(matches, durationSeconds, wave.width),
      chapters: drawChapters(layout.chapters, durationSeconds, language),
      shares: transcript ? formatSpeechShares(transcript.segments, durationSeconds, sides, language) : [],
    },
    twoChannels: sides !== null,
    soFar: buildPartialText(parts.partialText, speakers, language),
    text: transcript && buildTextView(segments, layout, part, marks, sides, language),
    check: buildCheckPart(parts, person, language),
    q,
    side,
    swapped: sides && canManage(person) ? 1 - speakers.agentChannel : null,
    partQuery: formatQuery({ q, side, ...buildVersionQuery(parts.version) }),
    matches: matches.length,
    matchMoments: matches.map(({ row, at }) => `${row}:${at}`).join(' '),
    details: buildDetails(recording, sides, language),
    history: buildHistoryView(parts.history, recording, canManage(person), language),
  }
}

const canManage = ({ rights }: Person): boolean => rights.manageRecordings === true

function buildPermissions(recording: RecordingJson, person: Person) {
  const { id, status, errorCode } = recording
  const canManageRecordings = canManage(person)
  return {
    mayListen: canListen(recording, person),
    mayRetry: canManageRecordings && (status === 'FAILED' || status === 'CANCELLED'),
    mayCancel: canManageRecordings && isUnfinished(recording),
    mayDelete: canManageRecordings,
    mayEdit: canManageRecordings,
    readersHref: person.role === 'owner' ? `/audit?object=${id}&kind=reads` : null,
    again: canManageRecordings && errorCode !== null ? `/upload?as=${id}` : null,
  }
}

/** Builds the check of a call as a live part, which also refreshes separately from the page. */
export function buildCheckPart(
  parts: Pick<RecordingParts, 'recording' | 'list'> & CheckParts,
  person: Person,
  language: Language,
) {
  const { recording, list } = parts
  const href = `/recordings/${recording.id}`
  const address = (query: Record<string, string | null>) => href + formatQuery({ ...query, list })
  const context = { href, address, mayListen: canListen(recording, person), hasText: recording.status === 'DONE' }
  return buildCheckView(parts, context, person, language)
}

/** Formats the position in the list and links to the previous and the next call. */
function buildNeighbourLinks({ list, neighbours }: RecordingParts, { words, format }: Language) {
  if (!neighbours) return null
  const { position, total, previous, next } = neighbours
  const href = (id: string | null) => id && `/recordings/${id}${formatQuery({ list })}`
  const text = position === null ? '' : words.recording.positionInList(format.number(position), format.number(total))
  return { text, previous: href(previous), next: href(next) }
}

const isUnfinished = ({ status }: RecordingJson): boolean => status === 'QUEUED' || status === 'PROCESSING'

/** Formats a query without empty values. An empty `list` stays, because it means the complete list. */
export function formatQuery(parameters: Record<string, string | null>): string {
  const isSet = ([name, value]: [string, string | null]) => (name === 'list' ? value !== null : Boolean(value))
  const query = new URLSearchParams(Object.entries(parameters).filter(isSet) as [string, string][])
  return query.size > 0 ? `?${query.toString()}` : ''
}

const locateSearchMatches = (
  { recording, found, side, speakers }: RecordingSearch,
  words?: PartWithWords,
): SearchMatch[] => locateMatches(recording.transcript?.segments ?? [], found, findChannel(side, speakers), words)

/** Chooses the part of the transcript to show first: by the requested position, else by the first match. */
export const chooseShownPart = (
  recordingSearch: RecordingSearch,
  { parts }: TextLayout,
  requested: RequestedPosition,
): RowRange =>
  choosePart(
    recordingSearch.recording.transcript?.segments ?? [],
    parts,
    requested,
    locateSearchMatches(recordingSearch),
  )

/** Returns true if a search match starts in a part of the transcript. */
export const hasMatchInPart = (part: RowRange, recordingSearch: RecordingSearch): boolean =>
  locateSearchMatches(recordingSearch).some(({ row }) => containsRow(part, row))

function collectMarks(parts: LinesData, language: Language): TextMarks {
  const { timedTranscript, part, analysis } = parts
  const quotes = groupQuotesBySegment(analysis, language)
  return {
    matches: locateSearchMatches(parts, parts),
    quotes,
    doubts: locateDoubtfulWords(timedTranscript, part.from),
  }
}

type LinesData = RecordingSearch & PartWithWords & Pick<RecordingParts, 'analysis'>

/** Builds one part of the transcript as turns with marked rows. */
export function buildRecordingLines(parts: LinesData, person: Person, language: Language) {
  const { recording, speakers, part } = parts
  const segments = recording.transcript?.segments ?? []
  const sides = formatSides(segments, speakers, language)
  const rows = { from: part.from, to: Math.min(part.to, segments.length) }
  const turns = groupTurns(segments, sides !== null, rows)
  return {
    href: `/recordings/${recording.id}`,
    mayListen: canListen(recording, person),
    twoChannels: sides !== null,
    turns: buildTurns(segments, turns, collectMarks(parts, language), sides, language),
  }
}

const NO_MARKS: TextMarks = { matches: [], quotes: new Map(), doubts: new Map() }

function buildPartialText(segments: Segment[], speakers: SpeakersJson, language: Language) {
  const sides = formatSides(segments, speakers, language)
  return buildTurns(segments, groupTurns(segments, sides !== null), NO_MARKS, sides, language)
}

/** Names the speakers of both channels; null for a call on one channel. */
function formatSides(
  segments: Segment[],
  { agentChannel }: SpeakersJson,
  { words }: Language,
): [string, string] | null {
  const { agent, client } = words.recording.sides
  if (!areSpeakersKnown(segments)) return null
  return agentChannel === 0 ? [agent, client] : [client, agent]
}

const ERRORS_WITHOUT_AUDIO: readonly RecordingJson['errorCode'][] = ['AUDIO_MISSING', 'UNSUPPORTED_AUDIO']

const canListen = ({ errorCode }: RecordingJson, { rights }: Person): boolean =>
  rights.audio === true && !ERRORS_WITHOUT_AUDIO.includes(errorCode)

function formatWaitingNote(recording: RecordingJson, { words }: Language): string {
  const { status, progress } = recording
  const { position, left, doneIn, transcribing, paused } = words.recordings
  if (status === 'PROCESSING') return progress.etaSeconds === null ? transcribing : left(progress.etaSeconds)
  const parts = [
    progress.position && position(progress.position),
    progress.paused ? paused : progress.etaSeconds !== null && doneIn(progress.etaSeconds),
  ]
  return parts.filter(Boolean).join(', ') || words.recording.pauses
}

function buildDetails(
  recording: RecordingJson,
  sides: [string, string] | null,
  language: Language,
): [string, string][] {
  const { words, format } = language
  const { detail } = words.recording
  const { status, direction, transcript, durationSeconds, priority, attempts, errorCode, errorMessage } = recording
  const decoder = transcript?.decoder ?? recording.decoder
  const rows: [string, string | null | undefined][] = [
    [detail.manager, recording.managerName],
    [detail.phone, format.phone(recording.phoneNumber)],
    [detail.direction, direction && words.recordings.direction[direction]],
    [detail.department, recording.department?.name],
    [detail.callId, recording.externalCallId],
    [detail.source, words.recordings.source[recording.source]],
    [detail.file, recording.fileName],
    [detail.sound, formatAudioProblems(recording.audio, sides, language)],
    [detail.size, format.size(recording.sizeBytes)],
    [detail.length, durationSeconds === null ? null : format.length(durationSeconds)],
    [detail.model, transcript?.model],
    [detail.decoder, decoder && (words.recordings.decoder[decoder] ?? decoder)],
    [detail.language, transcript?.language && format.language(transcript.language)],
    [detail.priority, priority > 0 ? format.number(priority) : null],
    [detail.attempts, format.number(attempts)],
    // For a FAILED call, the page shows the error instead of the transcript.
    [
      detail.error,
      status === 'FAILED' || !(errorCode ?? errorMessage) ? null : formatFailureReason(recording, language),
    ],
    [detail.callback, recording.callbackUrl],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
