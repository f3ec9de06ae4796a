import type { AssignmentJson } from '../../work/assignments/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { formatPathWithQuery } from '../frame/fields.ts'
import type { Language } from '../frame/i18n.ts'
import { foldManagerName } from '../frame/manager-names.ts'
import { isOwnerOrHead } from '../frame/page.ts'
import { buildPlaybackLinks } from '../frame/playback-links.ts'
import { drawSparkline } from '../frame/sparkline.ts'

interface AssignmentList {
  items: AssignmentJson[]
  total: number
}

/** Fetches assignments to (`others`) or by (`me`) the person, those that wait to be heard first. */
export const fetchAssignments = (
  { api }: PageContext,
  by: 'others' | 'me',
  query: Record<string, string>,
): Promise<AssignmentList> => api.fetch<AssignmentList>(formatPathWithQuery('/v1/assignments', { by, ...query }))

/** Builds a row of a list. @param by `others`: the person hears the call; `me`: they assigned it */
export function buildAssignmentRow(assignment: AssignmentJson, by: 'others' | 'me', context: PageContext) {
  const { id, recording, reason, at, hasAudio, person, creator, createdAt, acknowledgedAt, rule } = assignment
  const { words, format, code } = context.language
  const t = words.assignments
  const isHeard = acknowledgedAt !== null
  const formatTime = (iso: string, text: (shown: string) => string) => ({
    iso,
    text: text(format.shortTime(iso)),
    exact: format.exactTime(iso),
  })
  return {
    id,
    reason,
    by,
    isHeard,
    other: by === 'me' ? person.name : creator.name,
    call: formatTime(recording.callAt, (shown) => shown),
    phone: format.phone(recording.phoneNumber),
    from: at === null ? null : t.fromMoment(format.length(at)),
    state: isHeard
      ? formatTime(acknowledgedAt, t.heard)
      : formatTime(createdAt, by === 'me' ? t.waitsSince : t.assignedAt),
    track: buildPlaybackLinks(recording.id, { hearFrom: at, hasAudio }, context),
    rule: rule && { name: rule.name[code], ...buildTrend(assignment, context.language) },
    canHear: by === 'others' && !isHeard,
    canWithdraw: by === 'me' && !isHeard,
  }
}

/** With fewer calls before or after, a comparison would mostly show chance. */
const MIN_COMPARED_CALLS = 5

const isKnown = (share: number | null): boolean => share !== null

function buildTrend({ trend, rule }: AssignmentJson, language: Language) {
  if (!trend || !rule) return { text: null, sparkline: undefined }
  const { words, format, code } = language
  const { before, since, weeks } = trend
  if (Math.min(before.judged, since.judged) < MIN_COMPARED_CALLS)
    return { text: words.assignments.tooFew, sparkline: undefined }
  const shown = [before.met, before.judged, since.met, since.judged].map((count) => format.number(count))
  const [metBefore, allBefore, metSince, allSince] = shown as [string, string, string, string]
  return {
    text: words.assignments.trend(before.judged, metBefore, allBefore, metSince, allSince),
    sparkline: drawSparkline(
      {
        name: rule.name[code],
        values: weeks.slice(weeks.findIndex(isKnown), weeks.findLastIndex(isKnown) + 1),
        shown: (share) => words.common.percent(format.number(Math.round(100 * share))),
      },
      language,
    ),
  }
}

/** A missed rule and the second at which it shows; null if unknown. */
interface MissedRule {
  key: string
  name: string
  at: number | null
}

interface AssignableCall {
  /** Distinguishes the forms of a page, which can have two for a call. */
  formId: string
  recordingId: string
  manager: string | null
  /** The costliest rule first, whose name is the suggested reason. */
  missed: MissedRule[]
  /** The page to return to. */
  next: string
}

/** Builds the form that assigns a call; null if the person cannot assign it. */
export function buildAssignForm(
  { formId, recordingId, manager, missed, next }: AssignableCall,
  { person, seeAs, language: { words, format } }: PageContext,
) {
  const isOwn = manager !== null && foldManagerName(manager) === foldManagerName(person.name)
  if (manager === null || isOwn || seeAs || !isOwnerOrHead(person)) return null
  const t = words.assignments
  const rules = missed.map(({ key, name, at }) => ({
    key,
    name,
    at: at === null ? '' : String(Math.floor(at)),
    clock: at === null ? '' : format.length(at),
  }))
  const [first] = rules
  return {
    id: formId,
    action: `/recordings/${recordingId}/assignments`,
    manager,
    to: t.to(manager),
    next,
    rules,
    reason: first?.name ?? '',
    at: first?.at ?? '',
    clock: first?.clock ?? '',
  }
}
