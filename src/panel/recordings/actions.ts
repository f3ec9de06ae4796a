import { ApiError } from '../frame/api-client.ts'
import { PageError } from '../frame/errors.ts'
import { isId } from '../../platform/lib/ids.ts'
import { EXPORT_FORMATS } from '../../calls/transcripts/schema.ts'
import { readFields } from '../frame/fields.ts'
import { localPath } from '../frame/origin.ts'
import { passThrough } from '../frame/pass-through.ts'
import { findErrors, questionOf, readState } from './filters.ts'
import { sendTable } from './table.ts'
import { redirect, type Route, type PageContext } from '../frame/context.ts'

export const recordingsActions: Route[] = [
  { method: 'get', path: '/recordings/export', handle: sendExport },
  { method: 'post', path: '/recordings/retry', handle: (context) => changeAll(context, 'retry') },
  { method: 'post', path: '/recordings/cancel', handle: (context) => changeAll(context, 'cancel') },
  { method: 'post', path: '/recordings/delete', handle: (context) => changeAll(context, 'delete') },
  { method: 'post', path: '/recordings/manager', handle: (context) => changeAll(context, 'manager') },
]

/** More than a page of the list has. */
const MOST_SELECTED = 100
const AT_ONCE = 8

type Verb = 'retry' | 'cancel' | 'delete' | 'manager'
type Outcome = 'done' | 'refused' | 'denied' | 'absent'

/** Applies a verb to the selected recordings and returns to the list, with a notice of the outcomes. */
async function changeAll(context: PageContext, verb: Verb): Promise<void> {
  const { ctx } = context
  const fields = await readFields(ctx)
  const { words, format } = context.language
  const ids = [...new Set(fields.all('id'))]
  if (ids.length > MOST_SELECTED) throw new PageError(400)
  const managerName = fields.text('managerName') || null
  const outcomes: Outcome[] = []
  for (let n = 0; n < ids.length; n += AT_ONCE) {
    const some = ids.slice(n, n + AT_ONCE).map((id) => change(context, verb, id, managerName))
    outcomes.push(...(await Promise.all(some)))
  }
  const { bulk } = words.recordings
  const texts = { done: bulk[verb], refused: bulk.refused, denied: bulk.denied, absent: bulk.absent }
  const notices = (Object.keys(texts) as Outcome[]).flatMap((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length
    return count > 0 ? [texts[outcome](count, format.number(count))] : []
  })
  const back = localPath(fields.raw('back'))
  redirect(
    ctx,
    back.startsWith('/recordings') ? back : '/recordings',
    notices.join(' ') || words.recordings.nothingSelected,
  )
}

/** The state can forbid the change by now; a missing call was deleted meanwhile, or is not theirs. */
async function change({ api }: PageContext, verb: Verb, id: string, managerName: string | null): Promise<Outcome> {
  if (!isId(id)) return 'absent'
  const path = `/v1/recordings/${id}`
  try {
    if (verb === 'delete') await api.send('DELETE', path)
    else if (verb === 'manager') await api.send('PATCH', path, { managerName })
    else await api.send('POST', `${path}/${verb}`)
    return 'done'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404) return 'absent'
    if (error.status === 409) return 'refused'
    // The person cannot assign this name.
    if (error.status === 400 && verb === 'manager') return 'denied'
    throw error
  }
}

/** A table is for people; the others are in the API's format. */
const FORMATS: readonly string[] = ['table', ...EXPORT_FORMATS]
/** As many as the API returns at once. */
const MOST_EXPORTED = 50_000

/** The transcripts of the selected calls, or else of all filtered ones, as a file. */
async function sendExport(context: PageContext): Promise<void> {
  const { ctx, language } = context
  const format = String(ctx.query.format)
  if (!FORMATS.includes(format)) throw new PageError(404)
  const ids = [ctx.query.id ?? []].flat()
  const { filters } = readState(ctx.query)
  // Exporting more than the page shows would be a surprise.
  if (ids.length > MOST_SELECTED || Object.keys(findErrors(filters, language)).length > 0) throw new PageError(400)
  const more = {
    ...(ids.length > 0 && { ids: ids.join() }),
    format: format === 'table' ? 'jsonl' : format,
    limit: MOST_EXPORTED,
    ...(['csv', 'zip'].includes(format) && { spreadsheet: 'true' }),
  }
  const question = questionOf('/v1/transcripts/export', ids.length > 0 ? {} : filters, ['status'], more)
  if (format !== 'table') return passThrough(context, question)
  await sendTable(context, question)
}
