import { ApiError } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { isUuid } from '../../platform/lib/ids.ts'
import { EXPORT_FORMATS } from '../../calls/transcripts/schema.ts'
import { parseForm } from '../frame/fields.ts'
import { parseLocalPath } from '../frame/origin.ts'
import { streamFromApi } from '../frame/pass-through.ts'
import { validateFilters, formatApiUrl, parseListState } from './filters.ts'
import { sendTable } from './table.ts'
import { redirect, type Route, type PageContext } from '../frame/context.ts'

export const recordingActionRoutes: Route[] = [
  { method: 'get', path: '/recordings/export', handle: sendExport },
  { method: 'post', path: '/recordings/retry', handle: (context) => changeSelected(context, 'retry') },
  { method: 'post', path: '/recordings/cancel', handle: (context) => changeSelected(context, 'cancel') },
  { method: 'post', path: '/recordings/delete', handle: (context) => changeSelected(context, 'delete') },
  { method: 'post', path: '/recordings/manager', handle: (context) => changeSelected(context, 'manager') },
]

/** More than a page of the list has. */
const MAX_SELECTED = 100
const MAX_CONCURRENT_CHANGES = 8

type BulkAction = 'retry' | 'cancel' | 'delete' | 'manager'
type ChangeOutcome = 'done' | 'refused' | 'denied' | 'absent'

/** Applies a verb to the selected recordings and returns to the list, with a notice of the outcomes. */
async function changeSelected(context: PageContext, action: BulkAction): Promise<void> {
  const { ctx } = context
  const fields = await parseForm(ctx)
  const { words, format } = context.language
  const ids = [...new Set(fields.allValues('id'))]
  if (ids.length > MAX_SELECTED) throw new PageError(400)
  const managerName = fields.text('managerName') || null
  const outcomes: ChangeOutcome[] = []
  for (let n = 0; n < ids.length; n += MAX_CONCURRENT_CHANGES) {
    const batch = ids
      .slice(n, n + MAX_CONCURRENT_CHANGES)
      .map((id) => changeRecording(context, action, id, managerName))
    outcomes.push(...(await Promise.all(batch)))
  }
  const { bulk } = words.recordings
  const texts = { done: bulk[action], refused: bulk.refused, denied: bulk.denied, absent: bulk.absent }
  const notices = (Object.keys(texts) as ChangeOutcome[]).flatMap((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length
    return count > 0 ? [texts[outcome](count, format.number(count))] : []
  })
  const back = parseLocalPath(fields.raw('back'))
  redirect(
    ctx,
    back.startsWith('/recordings') ? back : '/recordings',
    notices.join(' ') || words.recordings.nothingSelected,
  )
}

/** The state can forbid the change by now; a missing call was deleted meanwhile, or is not theirs. */
async function changeRecording(
  { api }: PageContext,
  action: BulkAction,
  id: string,
  managerName: string | null,
): Promise<ChangeOutcome> {
  if (!isUuid(id)) return 'absent'
  const path = `/v1/recordings/${id}`
  try {
    if (action === 'delete') await api.send('DELETE', path)
    else if (action === 'manager') await api.send('PATCH', path, { managerName })
    else await api.send('POST', `${path}/${action}`)
    return 'done'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404) return 'absent'
    if (error.status === 409) return 'refused'
    // The person cannot assign this name.
    if (error.status === 400 && action === 'manager') return 'denied'
    throw error
  }
}

/** A table is for people; the others are in the API's format. */
const DOWNLOAD_FORMATS: readonly string[] = ['table', ...EXPORT_FORMATS]
/** As many as the API returns at once. */
const MAX_EXPORTED = 50_000

/** The transcripts of the selected calls, or else of all filtered ones, as a file. */
async function sendExport(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const format = String(ctx.query.format)
  if (!DOWNLOAD_FORMATS.includes(format)) throw new PageError(404)
  const ids = [ctx.query.id ?? []].flat()
  const { filters } = parseListState(ctx.query)
  // Exporting more than the page shows would be a surprise.
  if (ids.length > MAX_SELECTED || Object.keys(validateFilters(filters, language)).length > 0) throw new PageError(400)
  const extraParameters = {
    ...(ids.length > 0 && { ids: ids.join() }),
    format: format === 'table' ? 'jsonl' : format,
    limit: MAX_EXPORTED,
    ...(['csv', 'zip'].includes(format) && { spreadsheet: 'true' }),
  }
  const exportUrl = formatApiUrl('/v1/transcripts/export', ids.length > 0 ? {} : filters, ['status'], extraParameters)
  if (format !== 'table') return streamFromApi(context, exportUrl)
  await sendTable(context, exportUrl)
}
