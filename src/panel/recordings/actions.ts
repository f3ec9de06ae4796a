import { PageError } from '../frame/errors.ts'
import { TRANSCRIPT_EXPORT_FORMATS } from '../../calls/transcripts/schema.ts'
import { EMPTY_OUTCOME_COUNTS, type BulkAction } from '../../work/bulk-actions/values.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { bulkActionRoutes, parseCallListPath, startBulkAction } from './bulk.ts'
import { applyBulkActionToCall, formatChangeOutcomes, MAX_CONCURRENT_CALL_CHANGES } from './change.ts'
import { validateCallFilters, formatFilteredApiUrl, parseCallListHref, parseCallListState } from './filters.ts'
import { replacePeriodByDates } from './relative-period.ts'
import { sendCallTable } from './table.ts'
import { redirect, type PanelRoute, type PageContext } from '../frame/context.ts'

export const recordingActionRoutes: PanelRoute[] = [
  { method: 'get', path: '/recordings/export', handle: sendExport },
  { method: 'post', path: '/recordings/retry', handle: (context) => changeSelected(context, 'retry') },
  { method: 'post', path: '/recordings/cancel', handle: (context) => changeSelected(context, 'cancel') },
  { method: 'post', path: '/recordings/delete', handle: (context) => changeSelected(context, 'delete') },
  { method: 'post', path: '/recordings/recheck', handle: (context) => changeSelected(context, 'recheck') },
  { method: 'post', path: '/recordings/manager', handle: (context) => changeSelected(context, 'manager') },
  ...bulkActionRoutes,
]

/** The longest page of the list has this many calls, so only manipulated forms exceed it. */
const MAX_SELECTED = 100

/**
 * Applies an action to the selected calls, then redirects to the list with a notice of the outcomes. For the whole list, starts a
 * bulk action instead.
 */
async function changeSelected(context: PageContext, action: BulkAction): Promise<void> {
  const { ctx, language } = context
  const fields = await parsePostedForm(ctx)
  const until = parseListTime(fields.raw('all'))
  if (until) return startBulkAction(context, action, fields, until)
  const ids = [...new Set(fields.allValues('id'))]
  if (ids.length > MAX_SELECTED) throw new PageError(400)
  const managerName = fields.text('managerName') || null
  const counts = { ...EMPTY_OUTCOME_COUNTS }
  for (let n = 0; n < ids.length; n += MAX_CONCURRENT_CALL_CHANGES) {
    const batch = ids
      .slice(n, n + MAX_CONCURRENT_CALL_CHANGES)
      .map((id) => applyBulkActionToCall(context, action, id, managerName))
    for (const outcome of await Promise.all(batch)) counts[outcome]++
  }
  redirect(
    ctx,
    parseCallListPath(fields.raw('back')),
    formatChangeOutcomes(action, counts, language).join(' ') || language.words.recordings.nothingSelected,
  )
}

/** Parses when the list was shown, if all of its calls are selected. Returns undefined if only some are selected. */
function parseListTime(value: string | string[] | undefined): string | undefined {
  const time = new Date([value ?? ''].flat()[0]!)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** `table` is CSV for people, formatted by the panel. The API produces the other formats. */
const DOWNLOAD_FORMATS: readonly string[] = ['table', ...TRANSCRIPT_EXPORT_FORMATS]
/** The API's maximum of transcripts in one export. */
const MAX_EXPORTED = 50_000

/** Exports the transcripts of the selected calls as a file. Without a selection, exports the calls that match the filters. */
async function sendExport(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const format = String(ctx.query.format)
  if (!DOWNLOAD_FORMATS.includes(format)) throw new PageError(404)
  const until = parseListTime(ctx.query.all)
  const ids = until ? [] : [ctx.query.id ?? []].flat()
  const { filters } = until ? parseCallListHref(parseLocalPath(ctx.query.back)) : parseCallListState(ctx.query)
  // Rejects more calls than a page can select, and invalid filters, which the list ignores.
  if (ids.length > MAX_SELECTED || Object.keys(validateCallFilters(filters, language)).length > 0)
    throw new PageError(400)
  const listedFilters = until ? replacePeriodByDates(filters, language.format.dayOf(until)) : filters
  const extraParameters = {
    ...(ids.length > 0 && { ids: ids.join() }),
    format: format === 'table' ? 'jsonl' : format,
    limit: MAX_EXPORTED,
    ...(until && !filters.createdTo && { createdTo: until }),
    ...(['csv', 'zip'].includes(format) && { spreadsheet: 'true' }),
  }
  const exportUrl = formatFilteredApiUrl(
    '/v1/transcripts/export',
    ids.length > 0 ? {} : listedFilters,
    ['status'],
    extraParameters,
  )
  if (format !== 'table') return streamFromApi(context, exportUrl)
  await sendCallTable(context, exportUrl)
}
