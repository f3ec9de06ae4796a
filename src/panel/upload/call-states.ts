import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { ignoreApiRejection } from '../frame/api-client.ts'
import { renderPageParts, type PageContext } from '../frame/context.ts'
import type { Language } from '../frame/i18n.ts'
import { formatCallCheckState } from '../recording/check.ts'
import { formatCallListHref, parseCallListState } from '../recordings/filters.ts'
import { MAX_CALL_IDS_IN_URL } from '../recordings/filters/columns.ts'
import { buildCallListRow } from '../recordings/view.ts'

/** Limits the checks that one refresh fetches. */
const MAX_CHECKS = 20

/** The state of an uploaded call in its row: status, progress and score. */
export type UploadedCallState = ReturnType<typeof buildUploadedCallState>

/** Builds the state of an uploaded call. @param analysis the check, if it was fetched because the call has no score yet */
export function buildUploadedCallState(
  recording: RecordingJson,
  analysis: AnalysisJson | undefined,
  { language, panel, person }: PageContext,
) {
  const { id, status, score, progress } = recording
  const row = buildCallListRow(recording, undefined, undefined, language, panel.config.SCORE_BANDS)
  const isPending = status === 'QUEUED' || status === 'PROCESSING'
  const isCheckPending = analysis?.status === 'queued' || analysis?.status === 'running'
  const isCheckKnown = score !== null || (analysis !== undefined && !isCheckPending)
  return {
    id,
    badge: row.badge,
    percent: status === 'PROCESSING' ? progress.percent : null,
    note: analysis ? explainMissingUploadScore(analysis, language) : row.note,
    /** True if automatic checks are off and the person can turn them on. */
    canTurnOn: analysis?.reasonCode === 'automaticOff' && person.role === 'owner',
    failed: status === 'FAILED' || analysis?.status === 'failed',
    score: row.score,
    band: row.band,
    mock: row.mock,
    /** True if the state will not change without an action, so the page stops refreshing the row. */
    final: !isPending && (status !== 'DONE' || isCheckKnown),
  }
}

function explainMissingUploadScore(analysis: AnalysisJson, language: Language): string | null {
  const { reasons, noScore } = language.words.recording.check
  if (analysis.reasonCode === 'automaticOff') return reasons.automaticOff
  return formatCallCheckState(analysis, language) ?? noScore
}

/** Parses the call ids in a query parameter, at most MAX_CALL_IDS_IN_URL. */
export function parseCallIds(value: unknown): string[] {
  return typeof value === 'string' ? value.split(',').filter(isUuid).slice(0, MAX_CALL_IDS_IN_URL) : []
}

/** Fetches calls with their states in the order of `ids`. Omits calls that are deleted or not visible. */
export async function fetchUploadedCalls(
  context: PageContext,
  ids: string[],
): Promise<{ recording: RecordingJson; state: UploadedCallState }[]> {
  if (ids.length === 0) return []
  const query = new URLSearchParams({ ids: ids.join(), pageSize: String(MAX_CALL_IDS_IN_URL) }).toString()
  const { api } = context
  const { items } = await api.fetch<{ items: RecordingJson[] }>(`/v1/recordings?${query}`)
  const uncheckedIds = items.filter(({ status, score }) => status === 'DONE' && score === null).map(({ id }) => id)
  const analyses = new Map(
    await Promise.all(
      uncheckedIds.slice(0, MAX_CHECKS).map(async (id) => {
        const path = `/v1/recordings/${id}/analysis`
        return [id, await api.fetch<AnalysisJson>(path).catch(ignoreApiRejection)] as const
      }),
    ),
  )
  const byId = new Map(items.map((recording) => [recording.id, recording]))
  return ids.flatMap((id) => {
    const recording = byId.get(id.toLowerCase())
    return recording ? { recording, state: buildUploadedCallState(recording, analyses.get(recording.id), context) } : []
  })
}

/** Renders the states of uploaded calls for the rows of the upload page. */
export async function showUploadedCallStates(context: PageContext): Promise<void> {
  const calls = await fetchUploadedCalls(context, parseCallIds(context.ctx.query.ids))
  await renderPageParts(context, ['upload/_states'], { calls: calls.map(({ state }) => state) })
}

/** Builds links to exactly these calls in the list. Each link contains at most MAX_CALL_IDS_IN_URL calls. */
export function buildUploadedCallsLinks(ids: string[], { words, format }: Language): { href: string; text: string }[] {
  const groups = Array.from({ length: Math.ceil(ids.length / MAX_CALL_IDS_IN_URL) }, (_, n) =>
    ids.slice(n * MAX_CALL_IDS_IN_URL, (n + 1) * MAX_CALL_IDS_IN_URL),
  )
  return groups.map((group) => ({
    href: formatCallListHref(parseCallListState({ ids: group.join() })),
    text: words.upload.showInList(format.number(group.length)),
  }))
}
