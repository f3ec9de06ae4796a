import type { RecordingIdsJson } from '../../calls/list/ids-schema.ts'
import { ApiUnavailableError } from '../frame/api-client.ts'
import { renderPage, type PageContext } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { parsePostedForm, type FormValues } from '../frame/fields.ts'
import { parseLocalPath } from '../frame/origin.ts'
import {
  BULK_ACTIONS,
  applyBulkActionToCall,
  CHANGE_OUTCOMES,
  formatChangeOutcomes,
  MAX_CONCURRENT_CALL_CHANGES,
  type BulkAction,
  type ChangeOutcomeCounts,
} from './change.ts'
import {
  formatFilteredApiUrl,
  formatCallListHref,
  parseCallListHref,
  selectValidCallFilters,
  type CallFilterValues,
} from './filters.ts'
import { MAX_CALL_IDS_IN_URL } from './filters/columns.ts'

/** A step starts no further batch after this time. Then the page shows the progress and requests the next step. */
const STEP_MS = 1500

/** Statuses in which an action can change a call. The action skips calls in other statuses. */
const CHANGEABLE_STATUSES: Partial<Record<BulkAction, readonly string[]>> = {
  retry: ['FAILED', 'CANCELLED'],
  cancel: ['QUEUED', 'PROCESSING'],
  recheck: ['DONE'],
}

/**
 * Progress of an action on a whole list. The form of the page contains it between steps, so any replica can run the next step.
 * The ids are fixed at the start, so later calls are not changed.
 */
interface BulkProgress {
  action: BulkAction
  managerName: string
  back: string
  total: number
  counts: ChangeOutcomeCounts
  remainingIds: string[]
  failedIds: string[]
}

/**
 * Starts an action on the calls of the whole list in the form.
 * @param until time of the list, ISO 8601; later calls are not changed
 */
export async function startBulkAction(
  context: PageContext,
  action: BulkAction,
  fields: FormValues,
  until: string,
): Promise<void> {
  const back = parseLocalPath(fields.raw('back'))
  const filters = selectValidCallFilters(parseCallListHref(back).filters, context.language)
  const ids = await fetchChangeableIds(context, action, filters, until)
  await runStep(context, {
    action,
    managerName: fields.text('managerName'),
    back: back.startsWith('/recordings') ? back : '/recordings',
    total: ids.length,
    counts: { done: 0, refused: 0, denied: 0, absent: 0 },
    remainingIds: ids,
    failedIds: [],
  })
}

async function fetchChangeableIds(
  { api }: PageContext,
  action: BulkAction,
  filters: CallFilterValues,
  until: string,
): Promise<string[]> {
  const chosen = filters.status?.split(',')
  const changeable = CHANGEABLE_STATUSES[action]
  const statuses = chosen && changeable ? chosen.filter((one) => changeable.includes(one)) : (chosen ?? changeable)
  if (statuses?.length === 0) return []
  const parameters = { createdUntil: until, ...(statuses && { status: statuses.join() }) }
  return (
    await api.fetch<RecordingIdsJson>(formatFilteredApiUrl('/v1/recordings/ids', filters, ['status'], parameters))
  ).ids
}

/** Runs the next step of an action with the progress in the posted form. @throws PageError 400 for an unknown action */
export async function continueBulkAction(context: PageContext): Promise<void> {
  const fields = await parsePostedForm(context.ctx)
  const action = BULK_ACTIONS.find((one) => one === fields.raw('action'))
  if (!action) throw new PageError(400)
  const back = parseLocalPath(fields.raw('back'))
  const parseIds = (name: string) => fields.raw(name).split(',').filter(Boolean)
  const parseCount = (name: string) => Math.max(0, Number.parseInt(fields.raw(name), 10) || 0)
  const counts = CHANGE_OUTCOMES.map((outcome) => [outcome, parseCount(outcome)] as const)
  await runStep(context, {
    action,
    managerName: fields.text('managerName'),
    back: back.startsWith('/recordings') ? back : '/recordings',
    total: parseCount('total'),
    counts: Object.fromEntries(counts) as ChangeOutcomeCounts,
    remainingIds: parseIds('remainingIds'),
    failedIds: parseIds('failedIds').slice(0, MAX_CALL_IDS_IN_URL),
  })
}

async function runStep(context: PageContext, progress: BulkProgress): Promise<void> {
  let isInterrupted = false
  try {
    await changeNext(context, progress)
  } catch (error) {
    if (!(error instanceof ApiUnavailableError)) throw error
    isInterrupted = true
  }
  await renderProgress(context, progress, isInterrupted)
}

/**
 * Changes calls in batches until STEP_MS has passed. Each change is one API request with its own permission check and audit
 * entry.
 */
async function changeNext(context: PageContext, progress: BulkProgress): Promise<void> {
  const { action, managerName, counts, remainingIds, failedIds } = progress
  const endsAt = performance.now() + STEP_MS
  while (remainingIds.length > 0 && performance.now() < endsAt) {
    const ids = remainingIds.slice(0, MAX_CONCURRENT_CALL_CHANGES)
    const outcomes = await Promise.all(ids.map((id) => applyBulkActionToCall(context, action, id, managerName || null)))
    remainingIds.splice(0, ids.length)
    for (const [n, outcome] of outcomes.entries()) {
      counts[outcome]++
      const canBeShown = outcome === 'refused' || outcome === 'denied'
      if (canBeShown && failedIds.length < MAX_CALL_IDS_IN_URL) failedIds.push(ids[n]!)
    }
  }
}

async function renderProgress(context: PageContext, progress: BulkProgress, isInterrupted: boolean): Promise<void> {
  const { language } = context
  const { whole } = language.words.recordings
  const { action, managerName, back, total, counts, remainingIds, failedIds } = progress
  const finished = total - remainingIds.length
  await renderPage(context, 'recordings/bulk', {
    title: whole.title[action],
    here: back,
    sentOnce: true,
    isDone: remainingIds.length === 0,
    isInterrupted,
    total,
    finished,
    progressText: whole.progress(language.format.number(finished), language.format.number(total)),
    outcomes: formatChangeOutcomes(action, counts, language),
    failedHref:
      failedIds.length > 0
        ? formatCallListHref({ ...parseCallListHref('/recordings'), filters: { ids: failedIds.join() } })
        : null,
    back,
    fields: {
      action,
      managerName,
      back,
      total,
      ...counts,
      remainingIds: remainingIds.join(),
      failedIds: failedIds.join(),
    },
  })
}
