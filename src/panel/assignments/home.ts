import type { HomeSectionJson } from '../../reports/home/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { isOwnerOrHead } from '../frame/page.ts'
import { buildAssignForm, buildAssignmentRow, fetchAssignments } from './view.ts'

const SHOWN_TO_HEAR = 10
/** Of the newest heard calls, those with the trend of a rule are shown. */
const SHOWN_HEARD = 5
const SHOWN_BY_ME = 5
/** The marks of assigned calls need all that wait. */
const MAX_WAITING = 100

/** Fetches the assigned calls for a home page: those to the person, and those by an owner or a head. */
export async function fetchHomeAssignments(context: PageContext) {
  const [toHear, heard, byMe] = await Promise.all([
    fetchAssignments(context, 'others', { waiting: 'true', pageSize: String(SHOWN_TO_HEAR) }),
    fetchAssignments(context, 'others', { waiting: 'false', pageSize: String(SHOWN_HEARD) }),
    isOwnerOrHead(context.person) ? fetchAssignedByMe(context) : undefined,
  ])
  return { toHear, heard: heard.items.filter(({ trend }) => trend !== null), byMe }
}

async function fetchAssignedByMe(context: PageContext) {
  const [list, waiting] = await Promise.all([
    fetchAssignments(context, 'me', { pageSize: String(SHOWN_BY_ME) }),
    fetchAssignments(context, 'me', { waiting: 'true', pageSize: String(MAX_WAITING) }),
  ])
  return { list, waiting }
}

export type HomeAssignments = Awaited<ReturnType<typeof fetchHomeAssignments>>

/** Builds the sections of assigned calls. Without rows, only the main section of a manager or a head is shown. */
export function buildHomeAssignments({ toHear, heard, byMe }: HomeAssignments, context: PageContext) {
  const { language, person } = context
  const { role } = person
  const t = language.words.assignments
  const formatCount = (total: number, text: typeof t.waiting) =>
    total === 0 ? null : text(total, language.format.number(total))
  const sections = [
    {
      id: 'to-hear',
      title: t.toHear,
      href: isOwnerOrHead(person) ? '/assignments?by=others' : '/assignments',
      empty: toHear.total > 0 ? null : heard.length > 0 ? t.allHeard : t.emptyToHear,
      count: formatCount(toHear.total, t.waiting),
      rows: [...toHear.items, ...heard].map((item) => buildAssignmentRow(item, 'others', context)),
      isMain: role === 'manager',
    },
    byMe && {
      id: 'assigned-by-me',
      title: t.byMe,
      href: '/assignments',
      empty: byMe.list.total === 0 ? t.emptyByMe : null,
      count: formatCount(byMe.waiting.total, t.notHeard),
      rows: byMe.list.items.map((item) => buildAssignmentRow(item, 'me', context)),
      isMain: role === 'head',
    },
  ]
  return sections.filter((section) => section !== undefined).filter(({ rows, isMain }) => isMain || rows.length > 0)
}

/** Builds what a row of a call on the home page of a head offers: the form, or a mark if the person has assigned the call. */
export function buildHomeAssign(
  call: { formId: string; recordingId: string; manager: string | null; hearFrom: number | null },
  rules: HomeSectionJson<'lowest'>['items'][number]['missed'],
  assignments: HomeAssignments | undefined,
  context: PageContext,
) {
  const isAssigned =
    assignments?.byMe?.waiting.items.some(({ recording }) => recording.id === call.recordingId) ?? false
  if (isAssigned) return { isAssigned, form: null }
  const { code } = context.language
  // The moment is that of the costliest rule.
  const missed = rules.map(({ key, name }, n) => ({ key, name: name[code], at: n === 0 ? call.hearFrom : null }))
  const next = context.ctx.path + context.ctx.search
  return { isAssigned, form: buildAssignForm({ ...call, missed, next }, context) }
}
