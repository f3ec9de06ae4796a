import type { Static } from 'typebox'
import type { ManagerCandidateJson, CrmRosterJson, determineCrmManagersOperation } from '../../crm/managers/schema.ts'
import type { DepartmentJson } from '../../people/departments/schema.ts'
import type { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { fetchVisibleDepartments } from '../frame/fetch-all.ts'
import { buildTimeView } from './view.ts'

const PATH = '/automation/managers'

export const crmManagerRoutes: PanelRoute[] = [
  { method: 'get', path: PATH, handle: showManagers },
  { method: 'post', path: PATH, handle: applyRoster },
  { method: 'post', path: `${PATH}/determine`, handle: showCandidates },
  { method: 'post', path: `${PATH}/changes`, handle: showChanges },
]

/** CRM facts that suggest a sales manager. They are missing for people who appear only because of the roster. */
type CandidateDetails = Partial<
  Pick<ManagerCandidateJson, 'position' | 'departments' | 'active' | 'deals90d' | 'answeredCalls30d'>
>

interface RosterRow extends CandidateDetails {
  userId: string
  name: string
  departmentId: string
}

interface RosterData {
  roster: CrmRosterJson
  departments: DepartmentJson[]
  fields: FormValues
}

async function fetchRosterData(context: PageContext): Promise<RosterData> {
  const [roster, departments, fields] = await Promise.all([
    context.api.fetch<CrmRosterJson>('/v1/crm/roster'),
    fetchVisibleDepartments(context),
    context.ctx.method === 'POST' ? parsePostedForm(context.ctx) : new FormValues(),
  ])
  return { roster, departments, fields }
}

async function showManagers(context: PageContext): Promise<void> {
  const rosterData = await fetchRosterData(context)
  await renderManagers(context, rosterData, rosterData.roster.members)
}

type DetermineResponse = Static<(typeof determineCrmManagersOperation.responses)[200]['json']>

async function showCandidates(context: PageContext): Promise<void> {
  const rosterData = await fetchRosterData(context)
  const { members } = rosterData.roster
  try {
    const { body } = await context.api.send<DetermineResponse>('POST', '/v1/crm/managers/determine')
    const departmentByUser = new Map(members.map(({ userId, departmentId }) => [userId, departmentId]))
    const rosterRows = body.items.map((one) => ({
      ...one,
      departmentId: departmentByUser.get(one.userId) ?? one.suggestedDepartmentId ?? '',
    }))
    await renderManagers(context, rosterData, rosterRows, { isDetermined: true, showsChanges: true })
  } catch (error) {
    await renderRejection(context, rosterData, members, error)
  }
}

async function showChanges(context: PageContext): Promise<void> {
  const rosterData = await fetchRosterData(context)
  await renderManagers(context, rosterData, parseRosterRows(rosterData.fields), { showsChanges: true })
}

async function applyRoster(context: PageContext): Promise<void> {
  const rosterData = await fetchRosterData(context)
  const rosterRows = parseRosterRows(rosterData.fields)
  const members = rosterRows
    .filter(({ departmentId }) => departmentId !== '')
    .map(({ userId, departmentId }) => ({ userId, departmentId }))
  try {
    await context.api.send('PUT', '/v1/crm/roster', { members })
    redirect(context.ctx, PATH, context.language.words.crm.notices.roster)
  } catch (error) {
    await renderRejection(context, rosterData, rosterRows, error)
  }
}

function renderRejection(
  context: PageContext,
  rosterData: RosterData,
  rosterRows: RosterRow[],
  error: unknown,
): Promise<void> {
  const form = createFormWithErrors(error, rosterData.fields, [], context.language)
  context.ctx.status = (error as ApiError).status
  return renderManagers(context, rosterData, rosterRows, { form })
}

const parseRosterRows = (fields: FormValues): RosterRow[] =>
  fields.allValues('user').map((userId) => ({
    ...parseCandidateDetails(fields.raw(`about-${userId}`)),
    userId,
    name: fields.raw(`name-${userId}`),
    departmentId: fields.text(`department-${userId}`),
  }))

function parseCandidateDetails(text: string): CandidateDetails {
  try {
    const details: unknown = JSON.parse(text)
    return typeof details === 'object' && details !== null ? details : {}
  } catch {
    return {}
  }
}

interface RenderOptions {
  form?: FormState
  isDetermined?: boolean
  showsChanges?: boolean
}

async function renderManagers(
  context: PageContext,
  { roster, departments }: RosterData,
  rosterRows: RosterRow[],
  { form = createFormState(), isDetermined = false, showsChanges = false }: RenderOptions = {},
): Promise<void> {
  const { words, format } = context.language
  await renderPage(context, 'crm/managers', {
    title: words.crm.roster.title,
    form,
    isDetermined,
    applied: buildTimeView(roster.appliedAt, context.language),
    changes: showsChanges ? formatRosterChanges(roster, rosterRows, departments, context.language) : null,
    departments: departments.map(({ id, name }) => ({ value: id, text: name })),
    tellsMore: rosterRows.some(({ deals90d }) => deals90d !== undefined),
    rows: rosterRows.map((one) => {
      const { position, departments: candidateDepartments = [], active, deals90d, answeredCalls30d } = one
      return {
        ...one,
        about: JSON.stringify({ position, departments: candidateDepartments, active, deals90d, answeredCalls30d }),
        where: [position, ...candidateDepartments].filter(Boolean).join(' · '),
        deals: typeof deals90d === 'number' ? format.number(deals90d) : null,
        calls: typeof answeredCalls30d === 'number' ? format.number(answeredCalls30d) : null,
      }
    }),
  })
}

function formatRosterChanges(
  { members }: CrmRosterJson,
  rosterRows: RosterRow[],
  departments: DepartmentJson[],
  { words }: Language,
): string[] {
  const t = words.crm.roster
  const formatDepartmentName = (id: string): string => departments.find((one) => one.id === id)?.name ?? id
  const oldDepartments = new Map(members.map(({ userId, departmentId }) => [userId, departmentId]))
  return rosterRows.flatMap(({ userId, name, departmentId: now }) => {
    const before = oldDepartments.get(userId) ?? ''
    if (before === now) return []
    if (before === '') return [t.comes(name, formatDepartmentName(now))]
    return [
      now === ''
        ? t.leaves(name, formatDepartmentName(before))
        : t.moves(name, formatDepartmentName(before), formatDepartmentName(now)),
    ]
  })
}
