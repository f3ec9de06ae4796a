import type { CallDealsJson } from '../../crm/deals/schema.ts'
import type { CallAgentJson, SeparationJson } from '../../calls/speakers/schema.ts'
import type { TranscriptExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingHistoryItemJson, RecordingWaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { RecordingNeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { Language } from '../frame/i18n.ts'
import { buildCallCheckView, groupQuotesBySegment, type CallCheckParts } from './check.ts'
import { buildRuleSetVersionQuery } from './rule-set-version.ts'
import { buildCallHistoryView } from './history.ts'
import { formatOriginListParameter, formatOriginListHref } from './list-navigation.ts'
import { locateDoubtfulWords, buildTranscriptTurns, locateTranscriptMatches, chooseTranscriptPart } from './lines.ts'
import type {
  TranscriptSearchMatch,
  TranscriptSegment,
  TranscriptPartWithWords,
  RequestedTranscriptPosition,
  TranscriptMarks,
  TranscriptSpeakers,
} from './lines.ts'
import { areSpeakersKnown, formatSpeakerNames, hasVoices, isAgentKnown } from './speakers.ts'
import { buildSeparationView, isSeparating, listAgentChoices } from './speaker-view.ts'
import { buildTranscriptView, type TranscriptLayout } from './text-view.ts'
import { rangeContainsRow, groupRowsIntoTurns, type TranscriptRowRange } from './turns.ts'
import {
  drawChapterMarks,
  drawSearchMatchTicks,
  drawWaveform,
  formatSpeechShares,
  formatAudioProblems,
} from './audio.ts'
import type { LoggedInPerson } from '../frame/context.ts'

/** `kind` is the CSS class that sets the colour. */
function buildStatusBadge({ status, progress }: RecordingJson, { words, format }: Language) {
  const isRunning = status === 'PROCESSING' && progress.percent > 0
  const text = isRunning ? words.common.percent(format.number(progress.percent)) : words.recordings.status[status]
  return { kind: status.toLowerCase(), text }
}

/** Returns the text of the call's error code, else the API's message, else a general text. */
export function formatCallFailureReason({ errorCode, errorMessage }: RecordingJson, language: Language): string {
  const { audioErrors, failedUnknown } = language.words.recordings
  if (errorCode) return audioErrors[errorCode]
  return errorMessage ?? failedUnknown
}

/** A search in the transcript of a call and the matches that the API found. */
export interface RecordingSearchResult {
  recording: RecordingJson
  found: TranscriptExcerptJson | undefined
  /** The side whose text is searched; null for both. */
  side: SearchSide | null
  speakers: CallAgentJson
}

interface TranscriptLinks extends Pick<CallCheckParts, 'version'> {
  q: string
  /** Query of the list that the person came from. Empty for the complete list, null if the person did not come from a list. */
  list: string | null
  /** The row whose turn is open to correct its speakers; null for none. */
  correctedRow: number | null
}

/** The API responses and parsed query parameters from which the page of a call is built. */
export interface RecordingPageParts
  extends CallCheckParts, RecordingSearchResult, TranscriptPartWithWords, TranscriptLinks {
  layout: TranscriptLayout
  history: RecordingHistoryItemJson[]
  waveform: RecordingWaveformJson | undefined
  requested: RequestedTranscriptPosition
  neighbours: RecordingNeighboursJson | undefined
  clientCallCount: number
  /** The latest rows of an incomplete transcript, while the call is being transcribed. */
  partialText: TranscriptSegment[]
  deals: CallDealsJson | undefined
  isDealChoosable: boolean
  /** Undefined if the speakers are known, the call is not transcribed, or the API rejects the request. */
  separation: SeparationJson | undefined
}

export const SEARCH_SIDES = ['agent', 'client'] as const
export type SearchSide = (typeof SEARCH_SIDES)[number]

/** Returns the speaker of a side; null for both sides, or if the agent is unknown. */
function findSpeaker({ recording, side, speakers }: RecordingSearchResult): 0 | 1 | null {
  if (side === null || !isAgentKnown(recording)) return null
  return (side === 'agent') === (speakers.agentChannel === 0) ? 0 : 1
}

/** Builds the data of the page of a call. @param person determines the offered actions and the visible details */
export function buildRecordingPageView(parts: RecordingPageParts, person: LoggedInPerson, language: Language) {
  const { recording, q, side, speakers, requested, part, layout } = parts
  const { words, format } = language
  const { id, status, transcript, phoneNumber, managerName, fileName, progress, durationSeconds } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  const href = `/recordings/${id}`
  const segments = transcript?.segments ?? []
  const names = areSpeakersKnown(recording) ? formatSpeakerNames(recording, speakers, language) : null
  const marks = collectMarks(parts, language)
  const { matches } = marks
  const wave = drawWaveform(parts.waveform)
  return {
    id,
    href,
    self: href + formatCallPageQuery({ q, side, ...buildRuleSetVersionQuery(parts.version), list: parts.list }),
    t: requested.t,
    list: parts.list,
    kept: formatOriginListParameter(parts.list),
    listHref: formatOriginListHref(parts.list, parts.neighbours),
    walk: buildNeighbourLinks(parts, language),
    phoneHref:
      phoneNumber && /\d/.test(phoneNumber) ? `/recordings${formatCallPageQuery({ phone: phoneNumber })}` : null,
    managerHref: managerName && `/recordings${formatCallPageQuery({ manager: managerName })}`,
    client: parts.clientCallCount > 1 ? words.recording.ofClient(format.number(parts.clientCallCount)) : null,
    heading: format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    manager: managerName,
    iso: time,
    time: format.longTime(time),
    badge: buildStatusBadge(recording, language),
    status,
    live: isUnfinished(recording) || isSeparating(parts.separation),
    note: isUnfinished(recording) ? formatWaitingNote(recording, language) : '',
    percent: progress.percent,
    failure: status === 'FAILED' ? formatCallFailureReason(recording, language) : null,
    failedForGood: recording.errorCode !== null,
    ...buildPermissions(recording, person),
    ...buildSeparationView(parts, canManage(person), language),
    audio: {
      seconds: durationSeconds,
      length: durationSeconds === null ? null : format.length(durationSeconds),
      wave,
      ticks: drawSearchMatchTicks(matches, durationSeconds, wave.width),
      chapters: drawChapterMarks(layout.chapters, durationSeconds, language),
      shares: transcript ? formatSpeechShares(segments, durationSeconds, names, language) : [],
    },
    hasSpeakers: names !== null,
    isAgentKnown: isAgentKnown(recording),
    soFar: buildPartialText(parts, language),
    text:
      transcript &&
      buildTranscriptView(segments, layout, part, marks, buildSpeakers(parts, person, language), language),
    check: buildCallCheckPart(parts, person, language),
    q,
    side,
    agentChoices: names && canManage(person) ? listAgentChoices(recording, speakers, language) : [],
    partQuery: formatCallPageQuery({ q, side, ...buildRuleSetVersionQuery(parts.version) }),
    matches: matches.length,
    matchMoments: matches.map(({ row, at }) => `${row}:${at}`).join(' '),
    details: buildDetails(recording, hasVoices(recording) ? null : names, person.role === 'owner', language),
    history: buildCallHistoryView(parts.history, recording, canManage(person), language),
  }
}

const canManage = ({ rights }: LoggedInPerson): boolean => rights.manageRecordings === true

function buildPermissions(recording: RecordingJson, person: LoggedInPerson) {
  const { id, status, errorCode } = recording
  const canManageRecordings = canManage(person)
  return {
    mayListen: canListen(recording, person),
    isSilent: person.rights.audio === true && recording.sizeBytes === 0,
    mayRetry: canManageRecordings && (status === 'FAILED' || status === 'CANCELLED'),
    mayCancel: canManageRecordings && isUnfinished(recording),
    mayDelete: canManageRecordings,
    mayEdit: canManageRecordings,
    readersHref: person.role === 'owner' ? `/audit?object=${id}&kind=reads` : null,
    again: canManageRecordings && errorCode !== null ? `/upload?as=${id}` : null,
  }
}

/** Builds the check of a call for its page or for a refresh of the check alone; null if there is nothing to show. */
export function buildCallCheckPart(
  parts: Pick<RecordingPageParts, 'recording' | 'list'> & CallCheckParts,
  person: LoggedInPerson,
  language: Language,
) {
  const { recording, list } = parts
  const href = `/recordings/${recording.id}`
  const address = (query: Record<string, string | null>) => href + formatCallPageQuery({ ...query, list })
  const context = { href, address, mayListen: canListen(recording, person), hasText: recording.status === 'DONE' }
  return buildCallCheckView(parts, context, person, language)
}

/** Formats the position in the list and links to the previous and the next call. */
function buildNeighbourLinks({ list, neighbours }: RecordingPageParts, { words, format }: Language) {
  if (!neighbours) return null
  const { position, total, previous, next } = neighbours
  const href = (id: string | null) => id && `/recordings/${id}${formatCallPageQuery({ list })}`
  const text = position === null ? '' : words.recording.positionInList(format.number(position), format.number(total))
  return { text, previous: href(previous), next: href(next) }
}

const isUnfinished = ({ status }: RecordingJson): boolean => status === 'QUEUED' || status === 'PROCESSING'

/** Formats a query with its question mark, without empty values. Keeps an empty `list`, which means the complete list. */
export function formatCallPageQuery(parameters: Record<string, string | null>): string {
  const isSet = ([name, value]: [string, string | null]) => (name === 'list' ? value !== null : Boolean(value))
  const query = new URLSearchParams(Object.entries(parameters).filter(isSet) as [string, string][])
  return query.size > 0 ? `?${query.toString()}` : ''
}

const locateSearchMatches = (search: RecordingSearchResult, words?: TranscriptPartWithWords): TranscriptSearchMatch[] =>
  locateTranscriptMatches(search.recording.transcript?.segments ?? [], search.found, findSpeaker(search), words)

/** Chooses the part of the transcript to show first: by the requested position, else by the first match, else the first part. */
export const chooseShownTranscriptPart = (
  recordingSearch: RecordingSearchResult,
  { parts }: TranscriptLayout,
  requested: RequestedTranscriptPosition,
): TranscriptRowRange =>
  chooseTranscriptPart(
    recordingSearch.recording.transcript?.segments ?? [],
    parts,
    requested,
    locateSearchMatches(recordingSearch),
  )

/** Returns true if a search match starts in a part of the transcript. */
export const hasSearchMatchInPart = (part: TranscriptRowRange, recordingSearch: RecordingSearchResult): boolean =>
  locateSearchMatches(recordingSearch).some(({ row }) => rangeContainsRow(part, row))

function collectMarks(parts: LinesData, language: Language): TranscriptMarks {
  const { timedTranscript, part, analysis } = parts
  const quotes = groupQuotesBySegment(analysis, language)
  return {
    matches: locateSearchMatches(parts, parts),
    quotes,
    doubts: locateDoubtfulWords(timedTranscript, part.from),
  }
}

type LinesData = RecordingSearchResult &
  TranscriptPartWithWords &
  TranscriptLinks &
  Pick<RecordingPageParts, 'analysis'>

/** Builds one part of the transcript as turns with marked rows. */
export function buildTranscriptLines(parts: LinesData, person: LoggedInPerson, language: Language) {
  const { recording, part } = parts
  const segments = recording.transcript?.segments ?? []
  const speakers = buildSpeakers(parts, person, language)
  const rows = { from: part.from, to: Math.min(part.to, segments.length) }
  const turns = groupRowsIntoTurns(segments, speakers !== null, rows)
  return {
    href: `/recordings/${recording.id}`,
    mayListen: canListen(recording, person),
    hasSpeakers: speakers !== null,
    turns: buildTranscriptTurns(segments, turns, collectMarks(parts, language), speakers, language),
  }
}

/** Names the speakers; null if unknown. People who can manage recordings can correct the phrases of voices. */
function buildSpeakers(parts: LinesData, person: LoggedInPerson, language: Language): TranscriptSpeakers | null {
  const { recording, part, q, side, version, list, correctedRow } = parts
  if (!areSpeakersKnown(recording)) return null
  const names = formatSpeakerNames(recording, parts.speakers, language)
  if (!hasVoices(recording) || !canManage(person)) return { names, correction: null }
  const href = `/recordings/${recording.id}`
  const formatQuery = (row: number | null) =>
    formatCallPageQuery({
      q,
      side,
      ...buildRuleSetVersionQuery(version),
      list,
      phrase: row === null ? null : String(row),
    })
  return {
    names,
    correction: {
      openRow: correctedRow,
      formatTurnHref: (row) => `${href}${formatQuery(row)}#row-${row ?? correctedRow}`,
      formatPartHref: (row) => `${href}/lines/${part.from}-${part.to}${formatQuery(row)}`,
      formatPhraseHref: (row, { start, end }, speaker) =>
        `${href}/phrases${formatCallPageQuery({ row: String(row), start: String(start), end: String(end), speaker: String(speaker), list })}`,
    },
  }
}

const NO_MARKS: TranscriptMarks = { matches: [], quotes: new Map(), doubts: new Map() }

/** Before the transcript is complete, only channels identify the speakers. */
function buildPartialText({ partialText, recording, speakers }: RecordingPageParts, language: Language) {
  const hasChannels = partialText.some(({ channel }) => channel > 0)
  const names = hasChannels ? formatSpeakerNames(recording, speakers, language) : null
  const turns = groupRowsIntoTurns(partialText, hasChannels)
  return buildTranscriptTurns(partialText, turns, NO_MARKS, names && { names, correction: null }, language)
}

/** Returns true if the call has audio that the person can hear. */
export const canListen = ({ errorCode, sizeBytes }: RecordingJson, { rights }: LoggedInPerson): boolean =>
  rights.audio === true && sizeBytes > 0 && errorCode !== 'AUDIO_MISSING' && errorCode !== 'UNSUPPORTED_AUDIO'

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
  isOwner: boolean,
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
    [detail.model, isOwner ? transcript?.model : null],
    [detail.decoder, isOwner && decoder ? (words.recordings.decoder[decoder] ?? decoder) : null],
    [detail.language, transcript?.language && format.language(transcript.language)],
    [detail.priority, priority > 0 ? format.number(priority) : null],
    [detail.attempts, isOwner ? format.number(attempts) : null],
    // For a FAILED call, the page shows the error instead of the transcript.
    [
      detail.error,
      status === 'FAILED' || !(errorCode ?? errorMessage) ? null : formatCallFailureReason(recording, language),
    ],
    [detail.callback, recording.callbackUrl],
  ]
  return rows.filter((row): row is [string, string] => Boolean(row[1]))
}
