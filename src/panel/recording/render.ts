import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isRefresh, renderPage, renderParts, type PageContext } from '../frame/context.ts'
import { Fields } from '../frame/fields.ts'
import { createForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { limitSuggestions, fetchManagerNames } from '../frame/manager-names.ts'
import { formatTitle } from '../frame/page-title.ts'
import type { ReviewForm } from './check.ts'
import { buildDealsView } from './deals.ts'
import { fetchRecordingParts } from './fetch.ts'
import { buildRecordingView, type RecordingParts } from './view.ts'

/** Renders the page of a call, optionally with an error or with a rejected form. A partial refresh gets only the live part. */
export async function renderRecording(
  context: PageContext,
  {
    error,
    form,
    judging: reviewForm,
    refusedDeals: rejectedDealsForm,
  }: { error?: (words: Language['words']) => string; form?: Form; judging?: ReviewForm; refusedDeals?: Form } = {},
): Promise<void> {
  const refresh = isRefresh(context.ctx)
  const { person } = context
  const [parts, managers] = await Promise.all([
    fetchRecordingParts(context),
    refresh ? [] : fetchManagerNames(context).catch((): string[] => []),
  ])
  const call = buildRecordingView(
    { ...parts, judging: reviewForm ?? findReviewForm(context, parts) },
    person,
    context.language,
  )
  const data = {
    title: formatTitle(`${call.heading}, ${call.time}`, [call.q]),
    call,
    error: error?.(context.language.words),
    managers: limitSuggestions(managers),
    form: form ?? createForm(Fields.of(formatEditableValues(parts.recording, context.language))),
    isRefused: form !== undefined,
    deals: buildDealsView(parts.deals, parts.isDealChoosable, person, context.language),
    dealsForm: rejectedDealsForm ?? createForm(Fields.of({ dealIds: '' })),
    isDealsRefused: rejectedDealsForm !== undefined,
  }
  if (refresh) await renderParts(context, ['recording/_show'], data)
  else
    await renderPage(context, 'recording/index', { ...data, scripts: ['recording.js', 'transcript.js', 'chapters.js'] })
}

/** Opens the review form that the query parameter `judge` names, with the current verdict. */
function findReviewForm({ ctx }: PageContext, { analysis }: Omit<RecordingParts, 'judging'>): ReviewForm | null {
  const verdicts: Pick<AnalysisJson['findings'][number], 'id' | 'verdict'>[] = [
    ...(analysis?.findings ?? []),
    ...(analysis?.labels ?? []),
    ...(analysis?.overturnedLabels ?? []),
  ]
  const finding = verdicts.find(({ id }) => id === ctx.query.judge)
  return finding
    ? { finding: finding.id, form: createForm(Fields.of({ verdict: finding.verdict, comment: '' })) }
    : null
}

/** Names of the API fields that people can correct. */
export const EDITABLE_FIELDS = ['phoneNumber', 'managerName', 'direction', 'callStartedAt', 'externalCallId'] as const
/** Input values of the form that corrects a call, by field name. */
export type EditableValues = Record<(typeof EDITABLE_FIELDS)[number], string>

/** Formats the current values of a call for the form that corrects it. Missing values become empty. */
export function formatEditableValues(call: RecordingJson, { format }: Language): EditableValues {
  const { phoneNumber, managerName, direction, callStartedAt, externalCallId } = call
  return {
    phoneNumber: phoneNumber ?? '',
    managerName: managerName ?? '',
    direction: direction ?? '',
    callStartedAt: callStartedAt === null ? '' : format.localTime(callStartedAt),
    externalCallId: externalCallId ?? '',
  }
}
