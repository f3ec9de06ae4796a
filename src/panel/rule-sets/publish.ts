import type { BacktestJson } from '../../check/backtests/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type PanelRoute } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import { countComparedCalls } from '../backtests/view.ts'
import { buildRuleSetReach, fetchRuleSetReach } from './reach.ts'
import { buildRuleChanges } from './rule-changes.ts'
import { formatRuleSetApiPath, buildRuleSetHead, fetchEditableRuleSet, type RuleSetWithRules } from './rule-set.ts'

export const rulePublishRoutes: PanelRoute[] = [
  { method: 'get', path: '/rule-sets/:id/publish', handle: showPublish },
  { method: 'post', path: '/rule-sets/:id/publish', handle: publishDraft },
]

/** The newest completed test run of the current draft. Publishing requires to confirm rules that newly set scores to 0. */
const LAST_BACKTEST_QUERY = 'backtests?state=done&current=true&pageSize=1'

async function fetchDraftAndBacktest(
  context: PageContext,
): Promise<{ set: RuleSetWithRules; backtest: BacktestJson | undefined }> {
  const [set, { items }] = await Promise.all([
    fetchEditableRuleSet(context),
    context.api.fetch<{ items: BacktestJson[] }>(`${formatRuleSetApiPath(context)}/${LAST_BACKTEST_QUERY}`),
  ])
  return { set, backtest: items[0] }
}

async function showPublish(context: PageContext): Promise<void> {
  const { set, backtest } = await fetchDraftAndBacktest(context)
  if (!set.draft) return redirect(context.ctx, `/rule-sets/${set.id}/draft`)
  const { note, revision } = set.draft
  await renderPublish(context, set, backtest, createFormState(FormValues.of({ note, revision })))
}

async function publishDraft(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const { set, backtest } = await fetchDraftAndBacktest(context)
  const { words, format } = context.language
  const t = words.ruleSets.publishing
  const note = fields.text('note')
  const requestBody = {
    revision: Number(fields.text('revision')) || 0,
    ...(note && { note }),
    confirmNewZeros: fields.allValues('zeros'),
  }
  try {
    const { body } = await api.send<RuleSetWithRules>('POST', `${formatRuleSetApiPath(context)}/publish`, requestBody)
    redirect(ctx, `/rule-sets/${set.id}`, t.done(format.number(body.version!)))
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
    const current = await fetchDraftAndBacktest(context)
    if (!current.set.draft) throw new PageError(409, t.gone)
    const form =
      error.status === 409
        ? { values: fields, errors: {}, error: null }
        : createFormWithErrors(error, fields, ['note'], context.language)
    const isUnchanged = current.set.draft.revision === requestBody.revision
    const newZeros = current.backtest?.newZeros ?? []
    const needsZeroConfirmation =
      isUnchanged && newZeros.some(({ rule }) => !requestBody.confirmNewZeros.includes(rule))
    ctx.status = error.status
    const errorMessage = error.status === 400 ? form.error : needsZeroConfirmation ? t.confirmZeros : t.stale
    // The form gets the revision of the shown draft, so that people publish only changes that they saw.
    const values = fields.with('revision', String(current.set.draft.revision))
    await renderPublish(context, current.set, current.backtest ?? backtest, { ...form, values, error: errorMessage })
  }
}

function formatBacktest(backtest: BacktestJson, { words, format }: Language) {
  const judged = countComparedCalls(backtest)
  return {
    href: `/rule-sets/${backtest.ruleSetId}/backtests/${backtest.id}`,
    text: words.ruleSets.publishing.compared(judged, format.number(judged), format.number(backtest.changed)),
  }
}

async function renderPublish(
  context: PageContext,
  set: RuleSetWithRules,
  backtest: BacktestJson | undefined,
  form: FormState,
): Promise<void> {
  const { language } = context
  const { words, format, code } = language
  const t = words.ruleSets.publishing
  const reach = await fetchRuleSetReach(context)
  await renderPage(context, 'rule-sets/publish', {
    title: `${t.title}, ${set.name[code]}`,
    head: buildRuleSetHead(set, language),
    form,
    isFirst: set.rules === null,
    changes: buildRuleChanges(set.rules ?? [], set.draft!.rules, language),
    reach: buildRuleSetReach(reach, set, language),
    backtest: backtest && formatBacktest(backtest, language),
    warnings: (['neverMet', 'alwaysMet'] as const).flatMap((warningCode) => {
      const names = (backtest?.warnings ?? []).filter((one) => one.code === warningCode).map(({ name }) => name[code])
      return names.length > 0 ? [{ text: t.warnings[warningCode], names: names.join(', ') }] : []
    }),
    zeros: (backtest?.newZeros ?? []).map(({ rule, name, calls }) => ({
      value: rule,
      text: t.zero(name[code], calls, format.number(calls)),
    })),
  })
}
