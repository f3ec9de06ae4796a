import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { buildCallAssignments, fetchCallAssignments } from '../assignments/call.ts'
import { fetchCommentForm } from '../comments/form.ts'
import { buildCallComments } from '../comments/view.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { limitManagerSuggestions, fetchManagerNames } from '../frame/manager-names.ts'
import { formatPageTitle } from '../frame/page-title.ts'
import { fetchCallPlaylists } from '../playlists/of-call.ts'
import type { VerdictReviewForm } from './check.ts'
import { buildCallDealsView } from './deals.ts'
import { fetchRecordingPageParts, type FetchedPageParts } from './fetch.ts'
import { buildRecordingPageView, type RecordingPageParts } from './view.ts'

const SCRIPTS = ['recording.js', 'transcript.js', 'chapters.js', 'assignments.js', 'comments.js', 'playlists.js']

/** Renders the page of a call, optionally with an error or with a rejected form. A partial refresh gets only the live part. */
export async function renderRecordingPage(
  context: PageContext,
  {
    error,
    form,
    judging: reviewForm,
    refusedDeals: rejectedDealsForm,
    commentForm: rejectedComment,
  }: {
    error?: (words: Language['words']) => string
    form?: FormState
    judging?: VerdictReviewForm
    refusedDeals?: FormState
    commentForm?: FormState
  } = {},
): Promise<void> {
  const refresh = isPartialRefresh(context.ctx)
  const { person } = context
  const [parts, assignments, managers, commentForm, playlists] = await Promise.all([
    fetchRecordingPageParts(context),
    fetchCallAssignments(context),
    refresh ? [] : fetchManagerNames(context).catch((): string[] => []),
    refresh ? null : fetchCommentForm(context, rejectedComment),
    fetchCallPlaylists(context),
  ])
  const call = buildRecordingPageView(
    { ...parts, judging: reviewForm ?? findReviewForm(context, parts) },
    person,
    context.language,
  )
  const data = {
    title: formatPageTitle(`${call.heading}, ${call.time}`, [call.q]),
    call,
    assignments: buildCallAssignments(assignments, parts, call.self, context),
    error: error?.(context.language.words) ?? findMissingComment(context, parts),
    managers: limitManagerSuggestions(managers),
    form: form ?? createFormState(FormValues.of(formatEditableCallValues(parts.recording, context.language))),
    isRefused: form !== undefined,
    deals: buildCallDealsView(parts.deals, parts.isDealChoosable, person, context.language),
    dealsForm: rejectedDealsForm ?? createFormState(FormValues.of({ dealIds: '' })),
    isDealsRefused: rejectedDealsForm !== undefined,
    playlists,
    playlistForm: createFormState(),
    comments: buildPageComments(context, parts),
    isListOpen: context.ctx.query.comments === 'all',
    commentForm,
  }
  if (refresh) await renderPageParts(context, ['recording/_show'], data)
  else await renderPage(context, 'recording/index', { ...data, scripts: SCRIPTS })
}

/** A notification can link to a comment that was deleted meanwhile. */
const findMissingComment = ({ ctx, language }: PageContext, { shownComment }: FetchedPageParts): string | undefined =>
  ctx.query.comment === undefined || shownComment ? undefined : language.words.comments.missing

/** Builds the comments on the shown part of the transcript; all of them without a transcript. */
function buildPageComments(
  context: PageContext,
  { recording, comments, layout, part, shownComment }: FetchedPageParts,
) {
  return buildCallComments({ recording, comments, turns: layout.turns }, context, {
    ...(shownComment && { shownId: shownComment.id }),
    ...(layout.turns.length > 0 && { rows: part }),
    isListWhole: context.ctx.query.comments === 'all',
  })
}

/** Builds the review form of the finding or label in query parameter `judge`, with its current verdict; null if there is none. */
function findReviewForm(
  { ctx }: PageContext,
  { analysis }: Omit<RecordingPageParts, 'judging'>,
): VerdictReviewForm | null {
  const verdicts: Pick<AnalysisJson['findings'][number], 'id' | 'verdict'>[] = [
    ...(analysis?.findings ?? []),
    ...(analysis?.labels ?? []),
    ...(analysis?.overturnedLabels ?? []),
  ]
  const finding = verdicts.find(({ id }) => id === ctx.query.judge)
  return finding
    ? { finding: finding.id, form: createFormState(FormValues.of({ verdict: finding.verdict, comment: '' })) }
    : null
}

/** The API fields that the form of a call can correct. */
export const EDITABLE_CALL_FIELDS = [
  'phoneNumber',
  'managerName',
  'direction',
  'callStartedAt',
  'externalCallId',
] as const
/** Input values of the form that corrects a call, by field name. */
export type EditableCallValues = Record<(typeof EDITABLE_CALL_FIELDS)[number], string>

/** Formats the current values of a call for the form that corrects it. Missing values become empty. */
export function formatEditableCallValues(call: RecordingJson, { format }: Language): EditableCallValues {
  const { phoneNumber, managerName, direction, callStartedAt, externalCallId } = call
  return {
    phoneNumber: phoneNumber ?? '',
    managerName: managerName ?? '',
    direction: direction ?? '',
    callStartedAt: callStartedAt === null ? '' : format.localTime(callStartedAt),
    externalCallId: externalCallId ?? '',
  }
}
