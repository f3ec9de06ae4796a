import type { HomeSectionJson } from '../../reports/home/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { buildAssignForm, buildAssignmentRow, fetchAssignments } from './view.ts'

const SHOWN_TO_HEAR = 10
const SHOWN_BY_ME = 5
/** The marks of assigned calls need all that wait. */
const MAX_WAITING = 100

/** Fetches the assigned calls for the home page of a manager or a head. @returns undefined if it fails */
export async function fetchHomeAssignments(context: PageContext) {
  if (context.person.role === 'manager') {
    const list = await fetchAssignments(context, 'others', { waiting: 'true', pageSize: String(SHOWN_TO_HEAR) })
    return { list, waiting: list }
  }
  const [list, waiting] = await Promise.all([
    fetchAssignments(context, 'me', { pageSize: String(SHOWN_BY_ME) }),
    fetchAssignments(context, 'me', { waiting: 'true', pageSize: String(MAX_WAITING) }),
  ])
  return { list, waiting }
}

export type HomeAssignments = Awaited<ReturnType<typeof fetchHomeAssignments>>

/** Builds the section of assigned calls. */
export function buildHomeAssignments({ list, waiting }: HomeAssignments, context: PageContext) {
  const { words, format } = context.language
  const t = words.assignments
  const by = context.person.role === 'manager' ? 'others' : 'me'
  const count = format.number(waiting.total)
  return {
    title: by === 'me' ? t.byMe : t.toHear,
    empty: by === 'me' ? t.emptyByMe : t.emptyToHear,
    count: waiting.total === 0 ? null : (by === 'me' ? t.notHeard : t.waiting)(waiting.total, count),
    rows: list.items.map((item) => buildAssignmentRow(item, by, context)),
  }
}

/** Builds what a row of a call on the home page of a head offers: the form, or a mark if the person has assigned the call. */
export function buildHomeAssign(
  call: { formId: string; recordingId: string; manager: string | null; hearFrom: number | null },
  rules: HomeSectionJson<'lowest'>['items'][number]['missed'],
  assignments: HomeAssignments | undefined,
  context: PageContext,
) {
  const isAssigned = assignments?.waiting.items.some(({ recording }) => recording.id === call.recordingId) ?? false
  if (isAssigned) return { isAssigned, form: null }
  const { code } = context.language
  // The moment is that of the costliest rule.
  const missed = rules.map(({ key, name }, n) => ({ key, name: name[code], at: n === 0 ? call.hearFrom : null }))
  const next = context.ctx.path + context.ctx.search
  return { isAssigned, form: buildAssignForm({ ...call, missed, next }, context) }
}
