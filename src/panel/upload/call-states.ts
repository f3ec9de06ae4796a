import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { ignoreRejection } from '../frame/api-client.ts'
import { renderParts, type PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import type { ScoreBands } from '../frame/score-bands.ts'
import { formatCheckState } from '../recording/check.ts'
import { formatListHref, parseListState } from '../recordings/filters.ts'
import { MAX_LISTED_CALLS } from '../recordings/filters/columns.ts'
import { buildRecordingRow } from '../recordings/view.ts'

/** Limits the checks that one refresh fetches. The next refresh fetches others. */
const MAX_CHECKS = 20

/** The state of an uploaded call in its row: status, progress and score. */
export type CallState = ReturnType<typeof buildCallState>

/** Builds the state of an uploaded call. @param analysis the check, if it was fetched because the call has no score yet */
export function buildCallState(
  recording: RecordingJson,
  analysis: AnalysisJson | undefined,
  language: Language,
  bands: ScoreBands,
) {
  const { id, status, score, progress } = recording
  const row = buildRecordingRow(recording, undefined, undefined, language, bands)
  const isPending = status === 'QUEUED' || status === 'PROCESSING'
  const isCheckPending = analysis?.status === 'queued' || analysis?.status === 'running'
  const isCheckKnown = score !== null || (analysis !== undefined && !isCheckPending)
  return {
    id,
    badge: row.badge,
    percent: status === 'PROCESSING' ? progress.percent : null,
    note: analysis && analysis.status !== 'none' ? formatCheckState(analysis, language) : row.note,
    failed: status === 'FAILED' || analysis?.status === 'failed',
    score: row.score,
    band: row.band,
    mock: row.mock,
    /** True if the state will not change without an action, so the page stops refreshing the row. */
    final: !isPending && (status !== 'DONE' || isCheckKnown),
  }
}

/** Parses the call ids in a query parameter, at most MAX_CALL_IDS_IN_URL. */
export function parseCallIds(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').filter(isUuid).slice(0, MAX_LISTED_CALLS) : []
}

/** Fetches calls with their states in the order of `ids`. Omits deleted calls. */
export async function fetchCalls(
  { api, language, panel }: PageContext,
  ids: string[],
): Promise<{ recording: RecordingJson; state: CallState }[]> {
  if (ids.length === 0) return []
  const query = new URLSearchParams({ ids: ids.join(), pageSize: String(MAX_LISTED_CALLS) }).toString()
  const { items } = await api.fetch<{ items: RecordingJson[] }>(`/v1/recordings?${query}`)
  const uncheckedIds = items.filter(({ status, score }) => status === 'DONE' && score === null).map(({ id }) => id)
  const analyses = new Map(
    await Promise.all(
      uncheckedIds.slice(0, MAX_CHECKS).map(async (id) => {
        const path = `/v1/recordings/${id}/analysis`
        return [id, await api.fetch<AnalysisJson>(path).catch(ignoreRejection)] as const
      }),
    ),
  )
  const byId = new Map(items.map((recording) => [recording.id, recording]))
  return ids.flatMap((id) => {
    const recording = byId.get(id.toLowerCase())
    const bands = panel.config.SCORE_BANDS
    return recording ? { recording, state: buildCallState(recording, analyses.get(recording.id), language, bands) } : []
  })
}

/** Renders the states of uploaded calls for the rows of the upload page. */
export async function showCallStates(context: PageContext): Promise<void> {
  const calls = await fetchCalls(context, parseCallIds(context.ctx.query.ids))
  await renderParts(context, ['upload/_states'], { calls: calls.map(({ state }) => state) })
}

/** Links to exactly these calls in the list. An address can name 100 calls, so more calls get several links. */
export function buildListLinks(ids: string[], { words, format }: Language): { href: string; text: string }[] {
  const groups = Array.from({ length: Math.ceil(ids.length / MAX_LISTED_CALLS) }, (_, n) =>
    ids.slice(n * MAX_LISTED_CALLS, (n + 1) * MAX_LISTED_CALLS),
  )
  return groups.map((group) => ({
    href: formatListHref(parseListState({ ids: group.join() })),
    text: words.upload.showInList(format.number(group.length)),
  }))
}
