import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import { getScoreBand } from '../frame/score-bands.ts'
import { extractUuid, ignoreUnavailableCall } from './pinned-call.ts'

const MAX_OFFERED_CALLS = 8
const MAX_SEARCH_LENGTH = 64

/** Fetches up to MAX_OFFERED_CALLS calls on which to test rules: recent ones, or those that match the search. */
export async function fetchTrialCallChooser(context: PageContext, search: string) {
  const calls = search ? await findCalls(context, search) : await listRecentCalls(context)
  return { search, calls: calls.map((call) => buildChoice(call, context)) }
}

/** Lists scored calls, or any transcribed calls if none has a score yet. */
async function listRecentCalls(context: PageContext): Promise<RecordingJson[]> {
  const checked = await listCalls(context, { scoreFrom: '0' })
  return checked.length > 0 ? checked : listCalls(context, {})
}

/** Finds calls by the address of a page, by phone number, or by manager if the text contains no digit. */
async function findCalls(context: PageContext, search: string): Promise<RecordingJson[]> {
  const id = extractUuid(search)
  if (id !== undefined) {
    const call = await context.api.fetch<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreUnavailableCall)
    return call?.status === 'DONE' ? [call] : []
  }
  const text = search.slice(0, MAX_SEARCH_LENGTH)
  return listCalls(context, /\d/.test(text) ? { phone: text } : { manager: text })
}

async function listCalls({ api }: PageContext, filters: Record<string, string>): Promise<RecordingJson[]> {
  const query = { status: 'DONE', pageSize: String(MAX_OFFERED_CALLS), ...filters }
  const page = api.fetch<{ items: RecordingJson[] }>(formatPathWithQuery('/v1/recordings', query))
  // A search that the API rejects as invalid matches no call.
  const { items } = await page.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return { items: [] }
    throw error
  })
  return items
}

function buildChoice(recording: RecordingJson, { language, panel }: PageContext) {
  const { words, format } = language
  const { id, phoneNumber, fileName, managerName, durationSeconds, score, scoreIsMock } = recording
  const time = recording.callStartedAt ?? recording.createdAt
  return {
    id,
    phone: format.phone(phoneNumber) ?? fileName ?? words.recording.title,
    manager: managerName,
    time: format.shortTime(time),
    length: durationSeconds === null ? null : format.length(durationSeconds),
    score: score === null ? null : format.number(Math.round(score)),
    band: score === null || scoreIsMock ? '' : `score-${getScoreBand(score, panel.config.SCORE_BANDS)}`,
  }
}
