import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { readDay } from '../frame/dates.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors } from '../frame/form.ts'
import { readManagers } from '../frame/managers.ts'
import { doubtsOf } from '../upload/doubts.ts'
import { answerRecording } from './answer.ts'
import { apiPath } from './asked.ts'
import { FIELDS, valuesOf, type Values } from './edit-form.ts'
import { pageOfCall } from './list.ts'
import { seeOther, type Route, type PageContext } from '../frame/context.ts'

export const recordingEditRoutes: Route[] = [{ method: 'post', path: '/recordings/:id/edit', handle: edit }]

/** Corrects what differs: a time keeps its seconds, which the field does not hold, unless it is another one. */
async function edit(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, call, managers] = await Promise.all([
    readFields(ctx),
    api.read<RecordingJson>(apiPath(context)),
    // They only warn: for the want of them nothing stays uncorrected.
    readManagers(context).catch((): null => null),
  ])
  const before = valuesOf(call, context.language)
  const given = (name: keyof Values) => (name === 'callStartedAt' ? readDay(fields.text(name)) : fields.text(name))
  const changed = FIELDS.filter((name) => given(name) !== before[name])
  const corrected = Object.fromEntries(changed.map((name) => [name, given(name) || null]))
  try {
    if (changed.length > 0) await api.send('PATCH', apiPath(context), corrected)
  } catch (error) {
    const form = formWithErrors(error, fields, [...FIELDS], context.language)
    ctx.status = (error as { status: number }).status
    return answerRecording(context, { form })
  }
  const doubts = doubtsOf(Object.fromEntries(changed.map((name) => [name, given(name)])), managers, context.language)
  const told = [context.language.words.recording.corrected, ...doubts].join(' ')
  seeOther(ctx, pageOfCall(ctx), changed.length > 0 ? told : undefined)
}
