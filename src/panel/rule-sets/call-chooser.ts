import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { formatAddress } from '../frame/fields.ts'
import { getScoreBand } from '../frame/score-bands.ts'
import { findUuid, ignoreMissing } from './pinned-call.ts'

const MAX_OFFERED_CALLS = 8
const MAX_SEARCH_LENGTH = 64

/** The calls to try rules on: the newest ones with a score, or those that a search finds. */
export async function fetchCallChooser(context: PageContext, search: string) {
  const calls = search ? await findCalls(context, search) : await listRecentCalls(context)
  return { search, calls: calls.map((call) => buildChoice(call, context)) }
}

/** Without any score, as before the first check, all calls with a text are offered. */
async function listRecentCalls(context: PageContext): Promise<RecordingJson[]> {
  const checked = await listCalls(context, { scoreFrom: '0' })
  return checked.length > 0 ? checked : listCalls(context, {})
}

/** Finds calls by the address of a page, by phone, or by manager if the text has no digit. */
async function findCalls(context: PageContext, search: string): Promise<RecordingJson[]> {
  const id = findUuid(search)
  if (id !== undefined) {
    const call = await context.api.fetch<RecordingJson>(`/v1/recordings/${id}`).catch(ignoreMissing)
    return call?.status === 'DONE' ? [call] : []
  }
  const text = search.slice(0, MAX_SEARCH_LENGTH)
  return listCalls(context, /\d/.test(text) ? { phone: text } : { manager: text })
}

async function listCalls({ api }: PageContext, filters: Record<string, string>): Promise<RecordingJson[]> {
  const query = { status: 'DONE', pageSize: String(MAX_OFFERED_CALLS), ...filters }
  const page = api.fetch<{ items: RecordingJson[] }>(formatAddress('/v1/recordings', query))
  // The API rejects a text such as "+" as a phone: it finds no call.
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
