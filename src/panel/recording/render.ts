import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { buildCallAssignments, fetchCallAssignments } from '../assignments/call.ts'
import { isPartialRefresh, renderPage, renderPageParts, type PageContext } from '../frame/context.ts'
import { FormValues } from '../frame/fields.ts'
import { createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { limitManagerSuggestions, fetchManagerNames } from '../frame/manager-names.ts'
import { formatPageTitle } from '../frame/page-title.ts'
import type { VerdictReviewForm } from './check.ts'
import { buildCallDealsView } from './deals.ts'
import { fetchRecordingPageParts } from './fetch.ts'
import { buildRecordingPageView, type RecordingPageParts } from './view.ts'

/** Renders the page of a call, optionally with an error or with a rejected form. A partial refresh gets only the live part. */
export async function renderRecordingPage(
  context: PageContext,
  {
    error,
    form,
    judging: reviewForm,
    refusedDeals: rejectedDealsForm,
  }: {
    error?: (words: Language['words']) => string
    form?: FormState
    judging?: VerdictReviewForm
    refusedDeals?: FormState
  } = {},
): Promise<void> {
  const refresh = isPartialRefresh(context.ctx)
  const { person } = context
  const [parts, assignments, managers] = await Promise.all([
    fetchRecordingPageParts(context),
    fetchCallAssignments(context),
    refresh ? [] : fetchManagerNames(context).catch((): string[] => []),
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
    error: error?.(context.language.words),
    managers: limitManagerSuggestions(managers),
    form: form ?? createFormState(FormValues.of(formatEditableCallValues(parts.recording, context.language))),
    isRefused: form !== undefined,
    deals: buildCallDealsView(parts.deals, parts.isDealChoosable, person, context.language),
    dealsForm: rejectedDealsForm ?? createFormState(FormValues.of({ dealIds: '' })),
    isDealsRefused: rejectedDealsForm !== undefined,
  }
  if (refresh) await renderPageParts(context, ['recording/_show'], data)
  else
    await renderPage(context, 'recording/index', {
      ...data,
      scripts: ['recording.js', 'transcript.js', 'chapters.js', 'assignments.js'],
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
