import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { redirect, type PanelRoute, type PageContext } from '../frame/context.ts'
import { parseDay } from '../frame/dates.ts'
import { parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors } from '../frame/form.ts'
import { fetchManagerNames } from '../frame/manager-names.ts'
import { collectCallFieldWarnings } from '../upload/file-name.ts'
import {
  renderRecordingPage,
  EDITABLE_CALL_FIELDS,
  formatEditableCallValues,
  type EditableCallValues,
} from './render.ts'
import { formatRecordingApiPath } from './query.ts'
import { formatCallHref } from './list-navigation.ts'

export const recordingEditRoutes: PanelRoute[] = [
  { method: 'post', path: '/recordings/:id/edit', handle: editRecording },
  { method: 'post', path: '/recordings/:id/deals', handle: saveDeals },
]

/** Sends only changed fields. The form omits the seconds of the start time, so sending an unchanged time would lose them. */
async function editRecording(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, call, managers] = await Promise.all([
    parsePostedForm(ctx),
    api.fetch<RecordingJson>(formatRecordingApiPath(context)),
    // The names are needed only for a warning, so the form works without them.
    fetchManagerNames(context).catch((): null => null),
  ])
  const currentValues = formatEditableCallValues(call, context.language)
  const enteredValue = (name: keyof EditableCallValues) =>
    name === 'callStartedAt' ? parseDay(fields.text(name)) : fields.text(name)
  const changedFields = EDITABLE_CALL_FIELDS.filter((name) => enteredValue(name) !== currentValues[name])
  const corrected = Object.fromEntries(changedFields.map((name) => [name, enteredValue(name) || null]))
  try {
    if (changedFields.length > 0) await api.send('PATCH', formatRecordingApiPath(context), corrected)
  } catch (error) {
    const form = createFormWithErrors(error, fields, [...EDITABLE_CALL_FIELDS], context.language)
    ctx.status = (error as { status: number }).status
    return renderRecordingPage(context, { form })
  }
  const warnings = collectCallFieldWarnings(
    Object.fromEntries(changedFields.map((name) => [name, enteredValue(name)])),
    managers,
    context.language,
  )
  const notice = [context.language.words.recording.corrected, ...warnings].join(' ')
  redirect(ctx, formatCallHref(ctx), changedFields.length > 0 ? notice : undefined)
}

async function saveDeals(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const typedIds = fields.text('dealIds').split(/[\s,;]+/)
  const dealIds = [...new Set([...fields.allValues('deal'), ...typedIds].filter(Boolean))]
  const response = await api
    .send('PUT', `${formatRecordingApiPath(context)}/deals`, { dealIds })
    .catch(returnApiErrorWithStatus(400))
  if (!(response instanceof ApiError))
    return redirect(ctx, formatCallHref(ctx), context.language.words.recording.deals.chosen)
  ctx.status = 400
  await renderRecordingPage(context, {
    refusedDeals: createFormWithErrors(response, fields, ['dealIds'], context.language),
  })
}
