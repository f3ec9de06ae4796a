import type { BulkActionJson } from '../../work/bulk-actions/schema.ts'
import type { BulkAction } from '../../work/bulk-actions/values.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import {
  isPartialRefresh,
  redirect,
  redirectFullPage,
  renderPage,
  renderPageParts,
  type PageContext,
  type PanelRoute,
} from '../frame/context.ts'
import type { FormValues } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { formatChangeOutcomes } from './change.ts'
import { buildApiFilterParameters, formatCallListHref, parseCallListHref, selectValidCallFilters } from './filters.ts'
import { replacePeriodByDates } from './relative-period.ts'

export const bulkActionRoutes: PanelRoute[] = [
  { method: 'get', path: '/recordings/bulk/:id', handle: showBulkAction },
  { method: 'post', path: '/recordings/bulk/:id/cancel', handle: cancelBulkAction },
]

/** Returns the path of a list of calls, by default of the whole list. */
export function parseCallListPath(path: unknown): string {
  const back = parseLocalPath(path)
  return back.startsWith('/recordings') ? back : '/recordings'
}

/**
 * Starts an action on the calls of the whole list in the form, which the API runs in the background.
 * @param until time of the list, ISO 8601; later calls are not changed
 */
export async function startBulkAction(
  { ctx, api, language }: PageContext,
  action: BulkAction,
  fields: FormValues,
  until: string,
): Promise<void> {
  const back = parseCallListPath(fields.raw('back'))
  const validFilters = selectValidCallFilters(parseCallListHref(back).filters, language)
  const filters = replacePeriodByDates(validFilters, language.format.dayOf(until))
  const response = await api
    .send<BulkActionJson>('POST', '/v1/bulk-actions', {
      action,
      filters: buildApiFilterParameters(filters),
      createdUntil: until,
      ...(action === 'manager' && { managerName: fields.text('managerName') || null }),
    })
    .catch(returnApiErrorWithStatus(400, 409))
  if (response instanceof ApiError) return redirect(ctx, back, response.messages.map(({ text }) => text).join(' '))
  redirectFullPage(ctx, formatBulkActionHref(response.body.id, back))
}

/** Formats the address of an action. @param back the list to which its page leads */
function formatBulkActionHref(id: string, back: string, verb = ''): string {
  const query = back === '/recordings' ? '' : `?${new URLSearchParams({ back }).toString()}`
  return `/recordings/bulk/${id}${verb}${query}`
}

const formatBulkActionApiPath = ({ ctx }: PageContext): string =>
  `/v1/bulk-actions/${encodeURIComponent(String(ctx.params.id))}`

async function showBulkAction(context: PageContext): Promise<void> {
  const bulk = await context.api.fetch<BulkActionJson>(formatBulkActionApiPath(context))
  const back = parseCallListPath(context.ctx.query.back)
  const view = buildBulkActionView(bulk, context.language)
  const unchanged = { ...parseCallListHref('/recordings'), filters: { ids: bulk.unchangedIds.join() } }
  const data = {
    title: view.title,
    bulk: view,
    self: formatBulkActionHref(bulk.id, back),
    cancel: formatBulkActionHref(bulk.id, back, '/cancel'),
    unchangedHref: bulk.unchangedIds.length > 0 ? formatCallListHref(unchanged) : null,
    back,
  }
  if (isPartialRefresh(context.ctx)) await renderPageParts(context, ['recordings/_bulk'], data)
  else await renderPage(context, 'recordings/bulk', data)
}

async function cancelBulkAction(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const back = parseCallListPath(ctx.query.back)
  const path = `${formatBulkActionApiPath(context)}/cancel`
  const response = await api.send('POST', path).catch(returnApiErrorWithStatus(409))
  const notice = response instanceof ApiError ? language.words.recordings.whole.alreadyEnded : undefined
  redirect(ctx, formatBulkActionHref(String(ctx.params.id), back), notice)
}

function buildBulkActionView(
  { id, action, state, total, processed, counts, finishedAt }: BulkActionJson,
  language: Language,
) {
  const { words, format } = language
  const { whole } = words.recordings
  return {
    id,
    href: formatBulkActionHref(id, '/recordings'),
    title: whole.title[action],
    state,
    isFinished: finishedAt !== null,
    stateText: whole.states[state],
    total,
    processed,
    progress: whole.progress(format.number(processed), format.number(total)),
    outcomes: formatChangeOutcomes(action, counts, language),
  }
}

/** The list of calls shows so many actions. */
const MAX_SHOWN = 5
const SHOWN_AFTER_END_MS = 3_600_000

/** Fetches the person's actions that are running or ended within the last hour, for the list of calls. */
export async function fetchRecentBulkActions({ api, language }: PageContext) {
  const path = `/v1/bulk-actions?pageSize=${MAX_SHOWN}`
  const { items } = await api.fetch<{ items: BulkActionJson[] }>(path)
  const since = Date.now() - SHOWN_AFTER_END_MS
  return items
    .filter(({ finishedAt, total }) => total > 0 && (finishedAt === null || Date.parse(finishedAt) > since))
    .map((bulk) => buildBulkActionView(bulk, language))
}
