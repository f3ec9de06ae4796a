import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { CallDealsJson } from '../../crm/deals/schema.ts'
import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { PartialTextJson } from '../../calls/transcription/schema.ts'
import { ignoreRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { formatRecordingApiPath, parseSearch, parseNumberParameter, parseSide, parseRequestedVersion } from './query.ts'
import { buildVersionQuery, type RequestedVersion } from './check.ts'
import { canHaveDeals } from './deals.ts'
import { canHaveDoubtfulWords, type Segment } from './lines.ts'
import { findListQuery, formatNeighboursUrl, parseListQuery } from './list-navigation.ts'
import { layOutText } from './text-view.ts'
import type { RowRange } from './turns.ts'
import { hasMatchInPart, chooseShownPart, formatQuery, type RecordingParts, type RecordingSearch } from './view.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/** Fetches everything that the page of a call shows. */
export async function fetchRecordingParts(context: PageContext): Promise<Omit<RecordingParts, 'judging'>> {
  const { ctx, api } = context
  const list = findListQuery(ctx)
  // A search in the list of calls is also marked on the page of the call.
  const search =
    ctx.query.q === undefined ? (list !== null && parseListQuery(list).filters.q) || '' : parseSearch(context)
  const version = parseRequestedVersion(context)
  const [recording, speakers, history, waveform, found, neighbours, analysis, deals] = await Promise.all([
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    api.fetch<SpeakersJson>(`${formatRecordingApiPath(context)}/speakers`),
    api.fetch<{ items: HistoryItemJson[] }>(`${formatRecordingApiPath(context)}/history`),
    api.fetch<WaveformJson>(`${formatRecordingApiPath(context)}/waveform`).catch(ignoreRejection),
    search ? fetchMatches(context, search).catch(ignoreRejection) : undefined,
    list === null ? undefined : fetchNeighbours(context, list).catch(ignoreRejection),
    fetchCheck(context, version),
    api.fetch<CallDealsJson>(`${formatRecordingApiPath(context)}/deals`).catch(ignoreRejection),
  ])
  const q = ctx.query.q === undefined && !found?.matches.length ? '' : search
  const requested = { t: parseNumberParameter(ctx.query.t), row: parseNumberParameter(ctx.query.row) }
  const side = parseSide(context)
  const layout = layOutText(recording, analysis, context.language)
  const part = chooseShownPart({ recording, found, side, speakers }, layout, requested)
  const [clientCallCount, partialText, timedTranscript, isDealChoosable] = await Promise.all([
    countClientCalls(context, recording),
    fetchPartialText(context, recording),
    fetchPartWithWords(context, { recording, found, side, speakers }, part),
    canHaveDeals(context, recording, deals),
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
    analysis,
    version,
    bands: context.panel.config.SCORE_BANDS,
    deals,
    isDealChoosable,
  }
}

/** Number of rows shown of a transcript that is not complete yet. */
const PARTIAL_TEXT_ROWS = 30

async function fetchPartialText(context: PageContext, { status }: RecordingJson): Promise<Segment[]> {
  if (status !== 'PROCESSING') return []
  const address = `${formatRecordingApiPath(context)}/partial-text?last=${PARTIAL_TEXT_ROWS}`
  const text = await context.api.fetch<PartialTextJson>(address).catch(ignoreRejection)
  return text?.segments ?? []
}

/** Fetches one part of the transcript with word timings. Returns undefined if neither doubtful words nor matches need them. */
export async function fetchPartWithWords(
  { api }: PageContext,
  recordingSearch: RecordingSearch,
  part: RowRange,
): Promise<Transcript | undefined> {
  const { id, transcript } = recordingSearch.recording
  if (!transcript?.timing || !(canHaveDoubtfulWords(transcript) || hasMatchInPart(part, recordingSearch)))
    return undefined
  const query = new URLSearchParams({
    words: 'true',
    firstSegment: String(part.from),
    segments: String(part.to - part.from),
  })
  const path = `/v1/recordings/${encodeURIComponent(id)}/transcript?${query.toString()}`
  return api.fetch<Transcript>(path).catch(ignoreRejection)
}

/** Fetches the check of a call by a version; undefined if the API rejects the request. @param version null for the current one */
export function fetchCheck(context: PageContext, version: RequestedVersion | null): Promise<AnalysisJson | undefined> {
  const query = formatQuery(buildVersionQuery(version))
  return context.api.fetch<AnalysisJson>(`${formatRecordingApiPath(context)}/analysis${query}`).catch(ignoreRejection)
}

function fetchNeighbours({ api, ctx, language }: PageContext, list: string): Promise<NeighboursJson> {
  return api.fetch<NeighboursJson>(formatNeighboursUrl(String(ctx.params.id), list, language))
}

async function countClientCalls({ api }: PageContext, { phoneNumber }: RecordingJson): Promise<number> {
  if (!phoneNumber || !/\d/.test(phoneNumber)) return 0
  const query = new URLSearchParams({ phone: phoneNumber, pageSize: '1' }).toString()
  return (await api.fetch<{ total: number }>(`/v1/recordings?${query}`)).total
}

/** Fetches all matches of a search in the transcript of the call. */
export async function fetchMatches({ api, ctx }: PageContext, q: string): Promise<ExcerptJson | undefined> {
  const query = new URLSearchParams({ ids: String(ctx.params.id), q, full: 'true' }).toString()
  return (await api.fetch<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items[0]
}
