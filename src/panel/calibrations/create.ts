import type { CalibrationJson } from '../../work/calibrations/schema.ts'
import { quoteManagerName } from '../frame/manager-names.ts'
import { createRecentPeriod, parsePeriodFields } from '../frame/period.ts'
import type { ApiError } from '../frame/api-client.ts'
import { redirect, renderPage, type PageContext, type PanelRoute } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, createFormWithErrors, type FormState } from '../frame/form.ts'
import { fetchVisibleDepartments } from '../frame/fetch-all.ts'
import type { Role } from '../../platform/http/actor.ts'

export const calibrationFormRoutes: PanelRoute[] = [
  { method: 'get', path: '/calibrations/new', handle: showForm },
  { method: 'post', path: '/calibrations/new', handle: createCalibration },
]

const DEFAULT_CALLS = 5
/** Longer lists of names would make the page slow. */
const MAX_MANAGERS = 300

function showForm(context: PageContext): Promise<void> {
  const values = { 'random.calls': DEFAULT_CALLS, ...nestPeriod(createRecentPeriod(context.language)) }
  return renderForm(context, createFormState(FormValues.of({ ...values, participantIds: [context.person.id] })))
}

/** Names the fields of a period as the API does. */
const nestPeriod = ({ from, to }: { from: string; to: string }) => ({ 'random.from': from, 'random.to': to })

async function renderForm(context: PageContext, form: FormState): Promise<void> {
  const { api, language, person } = context
  const [people, departments] = await Promise.all([
    api.fetch<{ items: { id: string; name: string; role: Role }[] }>('/v1/calibration-people'),
    fetchVisibleDepartments(context),
  ])
  const t = language.words.calibrations
  const names = [...new Set(departments.flatMap(({ managers }) => managers))]
  const managers = names.toSorted((a, b) => a.localeCompare(b, language.code)).slice(0, MAX_MANAGERS)
  await renderPage(context, 'calibrations/new', {
    title: t.add,
    here: '/calibrations/new',
    form,
    people: people.items.map(({ id, name }) => ({ value: id, text: id === person.id ? t.form.you(name) : name })),
    managers: [{ value: '', text: t.form.anyManager }, ...managers.map((name) => ({ value: name, text: name }))],
  })
}

const FIELD_NAMES = [
  'name',
  'participantIds',
  'recordingIds',
  'random.calls',
  'random.manager',
  'random.from',
  'random.to',
]

async function createCalibration(context: PageContext): Promise<void> {
  const { ctx, api, language } = context
  const fields = await parsePostedForm(ctx)
  const body = {
    name: fields.text('name'),
    participantIds: fields.allValues('participantIds'),
    ...parseCalls(fields),
  }
  try {
    const { body: created } = await api.send<CalibrationJson>('POST', '/v1/calibrations', body)
    redirect(ctx, `/calibrations/${created.id}`, language.words.calibrations.created)
  } catch (error) {
    const form = createFormWithErrors(error, fields, FIELD_NAMES, language)
    ctx.status = (error as ApiError).status
    await renderForm(context, form)
  }
}

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Parses links to calls, or else the fields of a random selection. */
function parseCalls(fields: FormValues): object {
  const links = fields.text('recordingIds')
  if (links) return { recordingIds: links.match(UUIDS) ?? [] }
  const calls = fields.text('random.calls')
  const manager = fields.text('random.manager')
  const period = { from: fields.text('random.from'), to: fields.text('random.to') }
  const { from, to } = parsePeriodFields(FormValues.of(period))
  return {
    random: {
      ...(calls && { calls: Number(calls) }),
      ...(manager && { manager: quoteManagerName(manager) }),
      ...(from && { from }),
      ...(to && { to }),
    },
  }
}
