import type { AnalysisJson } from '../../check/checks/check-schema.ts'
import { isRefresh, renderPage, renderParts, type PageContext } from '../frame/context.ts'
import { Fields } from '../frame/fields.ts'
import { freshForm, type Form } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { offered, readManagers } from '../frame/managers.ts'
import { titleOf } from '../frame/page-title.ts'
import type { Judging } from './check.ts'
import { dealsForm, dealsOf } from './deals.ts'
import { editForm } from './edit-form.ts'
import { readParts } from './read.ts'
import { recordingPage, type RecordingParts } from './view.ts'

/** The page of the recording, with what was not possible, or what is wrong with the form that corrects it. */
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
    form: form ?? editForm(parts.recording, context.language),
    isRefused: form !== undefined,
    deals: dealsOf(parts.deals, parts.isDealChoosable, person, context.language),
    dealsForm: refusedDeals ?? dealsForm(),
    isDealsRefused: refusedDeals !== undefined,
  }
  if (refresh) await renderParts(context, ['recording/_show'], data)
  else await renderPage(context, 'recording/index', { ...data, scripts: ['recording.js', 'transcript.js'] })
}

/** The form that the address asks for: the verdict as it stands. */
function judgingOf({ ctx }: PageContext, { analysis }: Omit<RecordingParts, 'judging'>): Judging | null {
  const all: Pick<AnalysisJson['findings'][number], 'id' | 'verdict'>[] = [
    ...(analysis?.findings ?? []),
    ...(analysis?.labels ?? []),
    ...(analysis?.overturnedLabels ?? []),
  ]
  const finding = all.find(({ id }) => id === ctx.query.judge)
  return finding ? { finding: finding.id, form: freshForm(Fields.of({ verdict: finding.verdict, comment: '' })) } : null
}
