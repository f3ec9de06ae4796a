import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { CallAgentJson, SeparationJson } from '../../calls/speakers/schema.ts'
import type { CallDealsJson } from '../../crm/deals/schema.ts'
import type { TranscriptExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { RecordingNeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { RecordingHistoryItemJson, RecordingWaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { PartialTextJson } from '../../calls/transcription/schema.ts'
import type { CommentJson } from '../../work/comments/schema.ts'
import { findTurnRow } from '../comments/threads.ts'
import { fetchComments } from '../comments/view.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import {
  formatRecordingApiPath,
  parseTranscriptSearch,
  parseNumberParameter,
  parseSearchSide,
  parseRequestedRuleSetVersion,
} from './query.ts'
import { buildRuleSetVersionQuery, type RequestedRuleSetVersion } from './rule-set-version.ts'
import { canCallHaveDeals } from './deals.ts'
import { canHaveDoubtfulWords, type TranscriptSegment } from './lines.ts'
import { findOriginListQuery, formatNeighboursApiUrl, parseListQueryState } from './list-navigation.ts'
import { areSpeakersKnown } from './speakers.ts'
import { layOutTranscript } from './text-view.ts'
import type { TranscriptRowRange } from './turns.ts'
import {
  hasSearchMatchInPart,
  chooseShownTranscriptPart,
  formatCallPageQuery,
  type RecordingPageParts,
  type RecordingSearchResult,
} from './view.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/** The data of the page of a call without its review form. */
export interface FetchedPageParts extends Omit<RecordingPageParts, 'judging'> {
  comments: CommentJson[]
  /** The comment in the address of the page. */
  shownComment: CommentJson | undefined
}

/** Fetches the data of the page of a call and parses its query parameters. */
export async function fetchRecordingPageParts(context: PageContext): Promise<FetchedPageParts> {
  const { ctx, api } = context
  const list = findOriginListQuery(ctx)
  // The search of the list that the person came from also applies to the transcript.
  const search =
    ctx.query.q === undefined
      ? (list !== null && parseListQueryState(list).filters.q) || ''
      : parseTranscriptSearch(context)
  const version = parseRequestedRuleSetVersion(context)
  const [recording, speakers, history, waveform, found, neighbours, analysis, deals, comments] = await Promise.all([
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    api.fetch<CallAgentJson>(`${formatRecordingApiPath(context)}/speakers`),
    api.fetch<{ items: RecordingHistoryItemJson[] }>(`${formatRecordingApiPath(context)}/history`),
    api.fetch<RecordingWaveformJson>(`${formatRecordingApiPath(context)}/waveform`).catch(ignoreApiRejection),
    search ? fetchTranscriptMatches(context, search).catch(ignoreApiRejection) : undefined,
    list === null ? undefined : fetchNeighbours(context, list).catch(ignoreApiRejection),
    fetchCallCheck(context, version),
    api.fetch<CallDealsJson>(`${formatRecordingApiPath(context)}/deals`).catch(ignoreApiRejection),
    fetchComments(context),
  ])
  const q = ctx.query.q === undefined && !found?.matches.length ? '' : search
  const correctedRow = parseNumberParameter(ctx.query.phrase)
  const requested = { t: parseNumberParameter(ctx.query.t), row: parseNumberParameter(ctx.query.row) ?? correctedRow }
  const side = parseSearchSide(context)
  const layout = layOutTranscript(recording, analysis, context.language)
  const shownComment = comments.find(({ id }) => id === ctx.query.comment)
  const segments = recording.transcript?.segments ?? []
  const position = shownComment ? { t: null, row: findTurnRow(segments, layout.turns, shownComment.at) } : requested
  const part = chooseShownTranscriptPart({ recording, found, side, speakers }, layout, position)
  const [clientCallCount, partialText, timedTranscript, isDealChoosable, separation] = await Promise.all([
    countClientCalls(context, recording),
    fetchPartialText(context, recording),
    fetchTranscriptPartWithWords(context, { recording, found, side, speakers }, part),
    canCallHaveDeals(context, recording, deals),
    fetchSeparation(context, recording),
  ])
  return {
    recording,
    layout,
    part,
    timedTranscript,
    list,
    neighbours,
    clientCallCount,
    partialText,
    speakers,
    history: history.items,
    waveform,
    q,
    side,
    found,
    requested,
    correctedRow,
    analysis,
    version,
    bands: context.panel.config.SCORE_BANDS,
    deals,
    isDealChoosable,
    separation,
    comments,
    shownComment,
  }
}

/** Fetches the state of the separation if a transcribed call has unknown speakers. */
async function fetchSeparation(context: PageContext, recording: RecordingJson): Promise<SeparationJson | undefined> {
  if (recording.status !== 'DONE' || areSpeakersKnown(recording)) return undefined
  return context.api
    .fetch<SeparationJson>(`${formatRecordingApiPath(context)}/speakers/separate`)
    .catch(ignoreApiRejection)
}

/** Number of rows shown of a transcript that is not complete yet. */
const PARTIAL_TEXT_ROWS = 30

async function fetchPartialText(context: PageContext, { status }: RecordingJson): Promise<TranscriptSegment[]> {
  if (status !== 'PROCESSING') return []
  const address = `${formatRecordingApiPath(context)}/partial-text?last=${PARTIAL_TEXT_ROWS}`
  const text = await context.api.fetch<PartialTextJson>(address).catch(ignoreApiRejection)
  return text?.segments ?? []
}

/**
 * Fetches one part of the transcript with word timings. Returns undefined if the transcript has none, if neither doubtful words nor
 * matches need them, or if the API rejects the request.
 */
export async function fetchTranscriptPartWithWords(
  { api }: PageContext,
  recordingSearch: RecordingSearchResult,
  part: TranscriptRowRange,
): Promise<Transcript | undefined> {
  const { id, transcript } = recordingSearch.recording
  if (!transcript?.timing || !(canHaveDoubtfulWords(transcript) || hasSearchMatchInPart(part, recordingSearch)))
    return undefined
  const query = new URLSearchParams({
    words: 'true',
    firstSegment: String(part.from),
    segments: String(part.to - part.from),
  })
  const path = `/v1/recordings/${encodeURIComponent(id)}/transcript?${query.toString()}`
  return api.fetch<Transcript>(path).catch(ignoreApiRejection)
}

/** Fetches the check of a call by a version; undefined if the API rejects the request. @param version null for the current one */
export function fetchCallCheck(
  context: PageContext,
  version: RequestedRuleSetVersion | null,
): Promise<AnalysisJson | undefined> {
  const query = formatCallPageQuery(buildRuleSetVersionQuery(version))
  return context.api
    .fetch<AnalysisJson>(`${formatRecordingApiPath(context)}/analysis${query}`)
    .catch(ignoreApiRejection)
}

function fetchNeighbours({ api, ctx, language }: PageContext, list: string): Promise<RecordingNeighboursJson> {
  return api.fetch<RecordingNeighboursJson>(formatNeighboursApiUrl(String(ctx.params.id), list, language))
}

async function countClientCalls({ api }: PageContext, { phoneNumber }: RecordingJson): Promise<number> {
  if (!phoneNumber || !/\d/.test(phoneNumber)) return 0
  const query = new URLSearchParams({ phone: phoneNumber, pageSize: '1' }).toString()
  return (await api.fetch<{ total: number }>(`/v1/recordings?${query}`)).total
}

/** Fetches all matches of a search in the transcript of the call. */
export async function fetchTranscriptMatches(
  { api, ctx }: PageContext,
  q: string,
): Promise<TranscriptExcerptJson | undefined> {
  const query = new URLSearchParams({ ids: String(ctx.params.id), q, full: 'true' }).toString()
  return (await api.fetch<{ items: TranscriptExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items[0]
}
