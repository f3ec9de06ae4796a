import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import type { SpeakersJson } from '../../check/checks/schema.ts'
import type { DealsJson } from '../../crm/deals/schema.ts'
import type { ExcerptJson } from '../../calls/list/excerpts-schema.ts'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { HistoryItemJson, WaveformJson } from '../../calls/timeline/timeline-schema.ts'
import type { PartialTextJson } from '../../calls/transcription/schema.ts'
import { ignoreRejection } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { apiPath, searchOf, numberOf, sideOf, versionOf } from './query.ts'
import { versionQuery, type RequestedVersion } from './check.ts'
import { canBelong } from './deals.ts'
import { mayDoubt, PART, type Segment } from './lines.ts'
import { listOf, neighboursQuestion, stateOf } from './list.ts'
import { isFoundIn, partShown, queryOf, type RecordingParts, type Searched } from './view.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/** Reads everything that the page of a recording shows. */
export async function readParts(context: PageContext): Promise<Omit<RecordingParts, 'judging'>> {
  const { ctx, api } = context
  const list = listOf(ctx)
  // The page of the call marks the search of the list too.
  const asked = ctx.query.q === undefined ? (list !== null && stateOf(list).filters.q) || '' : searchOf(context)
  const version = versionOf(context)
  const [recording, speakers, history, waveform, found, neighbours, analysis, deals] = await Promise.all([
    api.read<RecordingJson>(apiPath(context)),
    api.read<SpeakersJson>(`${apiPath(context)}/speakers`),
    api.read<{ items: HistoryItemJson[] }>(`${apiPath(context)}/history`),
    api.read<WaveformJson>(`${apiPath(context)}/waveform`).catch(ignoreRejection),
    asked ? readMatches(context, asked).catch(ignoreRejection) : undefined,
    list === null ? undefined : readNeighbours(context, list).catch(ignoreRejection),
    readCheck(context, version),
    api.read<DealsJson>(`${apiPath(context)}/deals`).catch(ignoreRejection),
  ])
  const q = ctx.query.q === undefined && !found?.matches.length ? '' : asked
  const wanted = { t: numberOf(ctx.query.t), part: numberOf(ctx.query.part) }
  const side = sideOf(context)
  const part = partShown({ recording, found, side, speakers }, wanted)
  const [ofClient, soFar, spoken, isDealChoosable] = await Promise.all([
    countOfClient(context, recording),
    readSoFar(context, recording),
    readWords(context, { recording, found, side, speakers }, part),
    canBelong(context, recording, deals),
  ])
  return {
    recording,
    part,
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
    wanted,
    analysis,
    version,
    deals,
    isDealChoosable,
  }
}

/** The number of shown rows of the text so far. */
const LATEST_ROWS = 30

async function readSoFar(context: PageContext, { status }: RecordingJson): Promise<Segment[]> {
  if (status !== 'PROCESSING') return []
  const address = `${apiPath(context)}/partial-text?last=${LATEST_ROWS}`
  const text = await context.api.read<PartialTextJson>(address).catch(ignoreRejection)
  return text?.segments ?? []
}

/** One part of the transcript with its words, if they show doubtful words or the time of a match. */
export async function readWords(
  { api }: PageContext,
  searched: Searched,
  part: number,
): Promise<Transcript | undefined> {
  const { id, transcript } = searched.recording
  if (!transcript?.timing || !(mayDoubt(transcript) || isFoundIn(part, searched))) return undefined
  const query = new URLSearchParams({ words: 'true', firstSegment: String(part * PART), segments: String(PART) })
  const path = `/v1/recordings/${encodeURIComponent(id)}/transcript?${query.toString()}`
  return api.read<Transcript>(path).catch(ignoreRejection)
}

export function readCheck(context: PageContext, version: RequestedVersion | null): Promise<AnalysisJson | undefined> {
  const query = queryOf(versionQuery(version))
  return context.api.read<AnalysisJson>(`${apiPath(context)}/analysis${query}`).catch(ignoreRejection)
}

function readNeighbours({ api, ctx, language }: PageContext, list: string): Promise<NeighboursJson> {
  return api.read<NeighboursJson>(neighboursQuestion(String(ctx.params.id), list, language))
}

async function countOfClient({ api }: PageContext, { phoneNumber }: RecordingJson): Promise<number> {
  if (!phoneNumber || !/\d/.test(phoneNumber)) return 0
  const query = new URLSearchParams({ phone: phoneNumber, pageSize: '1' }).toString()
  return (await api.read<{ total: number }>(`/v1/recordings?${query}`)).total
}

export async function readMatches({ api, ctx }: PageContext, q: string): Promise<ExcerptJson | undefined> {
  const query = new URLSearchParams({ ids: String(ctx.params.id), q, full: 'true' }).toString()
  return (await api.read<{ items: ExcerptJson[] }>(`/v1/recordings/excerpts?${query}`)).items[0]
}
