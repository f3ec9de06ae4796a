import type { RecordingJson } from '../../recordings/schema.ts'
import { readDay } from '../frame/dates.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { faultyForm, freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOfCall } from './list.ts'
import { apiPath, answerRecording } from './routes.ts'
import { loadPerson, seeOther, type Route, type PageContext } from '../frame/context.ts'

export const recordingEditRoutes: Route[] = [{ method: 'post', path: '/recordings/:id/edit', handle: edit }]

/** What can be corrected of a call, by the names of the API. */
const FIELDS = ['phoneNumber', 'managerName', 'direction', 'callStartedAt', 'externalCallId'] as const
type Values = Record<(typeof FIELDS)[number], string>

/** The fields of a call as the form holds them. */
function valuesOf(call: RecordingJson, { format }: Language): Values {
  const { phoneNumber, managerName, direction, callStartedAt, externalCallId } = call
  return {
    phoneNumber: phoneNumber ?? '',
    managerName: managerName ?? '',
    direction: direction ?? '',
    callStartedAt: callStartedAt === null ? '' : format.localTime(callStartedAt),
    externalCallId: externalCallId ?? '',
  }
}

/** The form with the fields of a call as it is. */
export const editForm = (call: RecordingJson, language: Language): Form =>
  freshForm(Fields.of(valuesOf(call, language)))

/** Corrects what differs: a time keeps its seconds, which the field does not hold, unless it is another one. */
async function edit(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const [fields, call] = await Promise.all([
    readFields(ctx),
    api.read<RecordingJson>(apiPath(context)),
    loadPerson(context),
  ])
  const before = valuesOf(call, context.language)
  const given = (name: keyof Values) => (name === 'callStartedAt' ? readDay(fields.text(name)) : fields.text(name))
  const changed = FIELDS.filter((name) => given(name) !== before[name])
  const corrected = Object.fromEntries(changed.map((name) => [name, given(name) || null]))
  try {
    if (changed.length > 0) await api.send('PATCH', apiPath(context), corrected)
  } catch (error) {
    const form = faultyForm(error, fields, [...FIELDS], context.language)
    ctx.status = (error as { status: number }).status
    return answerRecording(context, { form })
  }
  seeOther(ctx, pageOfCall(ctx), changed.length > 0 ? context.language.words.recording.corrected : undefined)
}
