import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { redirect, type Route, type PageContext } from '../frame/context.ts'
import { readDay } from '../frame/dates.ts'
import { readFields } from '../frame/fields.ts'
import { formWithErrors } from '../frame/form.ts'
import { readManagers } from '../frame/managers.ts'
import { doubtsOf } from '../upload/names.ts'
import { answerRecording, FIELDS, valuesOf, type Values } from './answer.ts'
import { apiPath } from './query.ts'
import { pageOfCall } from './list.ts'

export const recordingEditRoutes: Route[] = [
  { method: 'post', path: '/recordings/:id/edit', handle: edit },
  { method: 'post', path: '/recordings/:id/deals', handle: chooseDeals },
]

/** Corrects the changed fields only: the field of a time has no seconds. */
async function edit(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, call, managers] = await Promise.all([
    readFields(ctx),
    api.read<RecordingJson>(apiPath(context)),
    // Known managers only serve for a warning.
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
  redirect(ctx, pageOfCall(ctx), changed.length > 0 ? told : undefined)
}

async function chooseDeals(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const typed = fields.text('dealIds').split(/[\s,;]+/)
  const dealIds = [...new Set([...fields.all('deal'), ...typed].filter(Boolean))]
  const answer = await api.send('PUT', `${apiPath(context)}/deals`, { dealIds }).catch(refusal(400))
  if (!(answer instanceof ApiError))
    return redirect(ctx, pageOfCall(ctx), context.language.words.recording.deals.chosen)
  ctx.status = 400
  await answerRecording(context, { refusedDeals: formWithErrors(answer, fields, ['dealIds'], context.language) })
}
