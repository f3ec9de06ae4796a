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

/** Calls whose check is asked for in one refresh; the others are asked for in the next ones. */
const MAX_CHECKS = 20

/** The state of an uploaded call in its row. */
export type CallState = ReturnType<typeof buildCallState>

/** @param analysis its check, if it has no score yet and was asked for */
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
    /** Whether nothing more will happen to it by itself. */
    final: !isPending && (status !== 'DONE' || isCheckKnown),
  }
}

/** The ids of calls in an address. */
export function parseCallIds(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').filter(isUuid).slice(0, MAX_LISTED_CALLS) : []
}

/** Loads calls with their states, in the order of their ids, without those that are gone. */
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

/** The states of calls, for the rows of a page that follows them. */
export async function showCallStates(context: PageContext): Promise<void> {
  const calls = await fetchCalls(context, parseCallIds(context.ctx.query.ids))
  await renderParts(context, ['upload/_states'], { calls: calls.map(({ state }) => state) })
}

/** Links to exactly these calls in the list; an address names at most 100. */
export function buildListLinks(ids: string[], { words, format }: Language): { href: string; text: string }[] {
  const groups = Array.from({ length: Math.ceil(ids.length / MAX_LISTED_CALLS) }, (_, n) =>
    ids.slice(n * MAX_LISTED_CALLS, (n + 1) * MAX_LISTED_CALLS),
  )
  return groups.map((group) => ({
    href: formatListHref(parseListState({ ids: group.join() })),
    text: words.upload.showInList(format.number(group.length)),
  }))
}
