import type { RecordingJson } from '../../calls/recordings/schema.ts'
import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isRefresh, renderPage, renderParts, type PageContext } from '../frame/context.ts'
import { Fields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { offered, readManagers } from '../frame/managers.ts'
import { titleOf } from '../frame/page-title.ts'
import type { Judging } from './check.ts'
import { dealsOf } from './deals.ts'
import { readParts } from './read.ts'
import { recordingPage, type RecordingParts } from './view.ts'

/** Renders the page of a recording, with an error or a rejected form. */
export async function answerRecording(
  context: PageContext,
  {
    error,
    form,
    judging,
    refusedDeals,
  }: { error?: (words: Language['words']) => string; form?: Form; judging?: Judging; refusedDeals?: Form } = {},
): Promise<void> {
  const refresh = isRefresh(context.ctx)
  const { person } = context
  const [parts, managers] = await Promise.all([
    readParts(context),
    refresh ? [] : readManagers(context).catch((): string[] => []),
  ])
  const call = recordingPage({ ...parts, judging: judging ?? judgingOf(context, parts) }, person, context.language)
  const data = {
    title: titleOf(`${call.heading}, ${call.time}`, [call.q]),
    call,
    error: error?.(context.language.words),
    managers: offered(managers),
    form: form ?? freshForm(Fields.of(valuesOf(parts.recording, context.language))),
    isRefused: form !== undefined,
    deals: dealsOf(parts.deals, parts.isDealChoosable, person, context.language),
    dealsForm: refusedDeals ?? freshForm(Fields.of({ dealIds: '' })),
    isDealsRefused: refusedDeals !== undefined,
  }
  if (refresh) await renderParts(context, ['recording/_show'], data)
  else await renderPage(context, 'recording/index', { ...data, scripts: ['recording.js', 'transcript.js'] })
}

/** The form in the address: the current verdict. */
function judgingOf({ ctx }: PageContext, { analysis }: Omit<RecordingParts, 'judging'>): Judging | null {
  const all: Pick<AnalysisJson['findings'][number], 'id' | 'verdict'>[] = [
    ...(analysis?.findings ?? []),
    ...(analysis?.labels ?? []),
    ...(analysis?.overturnedLabels ?? []),
  ]
  const finding = all.find(({ id }) => id === ctx.query.judge)
  return finding ? { finding: finding.id, form: freshForm(Fields.of({ verdict: finding.verdict, comment: '' })) } : null
}

/** The fields of a call that can be corrected. */
export const FIELDS = ['phoneNumber', 'managerName', 'direction', 'callStartedAt', 'externalCallId'] as const
export type Values = Record<(typeof FIELDS)[number], string>

/** The values of the form that corrects a call. */
export function valuesOf(call: RecordingJson, { format }: Language): Values {
  const { phoneNumber, managerName, direction, callStartedAt, externalCallId } = call
  return {
    phoneNumber: phoneNumber ?? '',
    managerName: managerName ?? '',
    direction: direction ?? '',
    callStartedAt: callStartedAt === null ? '' : format.localTime(callStartedAt),
    externalCallId: externalCallId ?? '',
  }
}
