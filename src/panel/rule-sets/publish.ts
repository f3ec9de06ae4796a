import type { BacktestJson } from '../../check/backtests/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { renderPage, redirect, type PageContext, type Route } from '../frame/context.ts'
import { PageError } from '../frame/errors.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { differenceOf } from './difference.ts'
import { apiPath, headOf, loadEditable, type RuleSet } from './set.ts'

export const publishRoutes: Route[] = [
  { method: 'get', path: '/rule-sets/:id/publish', handle: showPublish },
  { method: 'post', path: '/rule-sets/:id/publish', handle: publish },
]

/** The last one of the current draft: publishing asks to confirm its new zeros. */
const LAST = 'backtests?state=done&current=true&pageSize=1'

async function load(context: PageContext): Promise<{ set: RuleSet; backtest: BacktestJson | undefined }> {
  const [set, { items }] = await Promise.all([
    loadEditable(context),
    context.api.read<{ items: BacktestJson[] }>(`${apiPath(context)}/${LAST}`),
  ])
  return { set, backtest: items[0] }
}

async function showPublish(context: PageContext): Promise<void> {
  const { set, backtest } = await load(context)
  if (!set.draft) return redirect(context.ctx, `/rule-sets/${set.id}/draft`)
  const { note, revision } = set.draft
  await renderPublish(context, set, backtest, freshForm(Fields.of({ note, revision })))
}

async function publish(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const { set, backtest } = await load(context)
  const { words, format } = context.language
  const t = words.ruleSets.publishing
  const note = fields.text('note')
  const given = {
    revision: Number(fields.text('revision')) || 0,
    ...(note && { note }),
    confirmNewZeros: fields.all('zeros'),
  }
  try {
    const { body } = await api.send<RuleSet>('POST', `${apiPath(context)}/publish`, given)
    redirect(ctx, `/rule-sets/${set.id}`, t.done(format.number(body.version!)))
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409].includes(error.status)) throw error
    const now = await load(context)
    if (!now.set.draft) throw new PageError(409, t.gone)
    const form =
      error.status === 409
        ? { values: fields, errors: {}, error: null }
        : formWithErrors(error, fields, ['note'], context.language)
    const isUnchanged = now.set.draft.revision === given.revision
    const newZeros = now.backtest?.newZeros ?? []
    const isZeros = isUnchanged && newZeros.some(({ rule }) => !given.confirmNewZeros.includes(rule))
    ctx.status = error.status
    const said = error.status === 400 ? form.error : isZeros ? t.confirmZeros : t.stale
    // People publish the changes that the page shows them.
    const values = fields.with('revision', String(now.set.draft.revision))
    await renderPublish(context, now.set, now.backtest ?? backtest, { ...form, values, error: said })
  }
}

async function renderPublish(
  context: PageContext,
  set: RuleSet,
  backtest: BacktestJson | undefined,
  form: Form,
): Promise<void> {
  const { language } = context
  const { words, format, code } = language
  const t = words.ruleSets.publishing
  await renderPage(context, 'rule-sets/publish', {
    title: `${t.title}, ${set.name[code]}`,
    head: headOf(set, language),
    form,
    isFirst: set.rules === null,
    changes: differenceOf(set.rules ?? [], set.draft!.rules, language),
    backtest: backtest && {
      href: `/rule-sets/${set.id}/backtests/${backtest.id}`,
      text: t.compared(backtest.done, format.number(backtest.done), format.number(backtest.changed)),
    },
    warnings: (['neverMet', 'alwaysMet'] as const).flatMap((what) => {
      const names = (backtest?.warnings ?? []).filter((one) => one.code === what).map(({ name }) => name[code])
      return names.length > 0 ? [{ text: t.warnings[what], names: names.join(', ') }] : []
    }),
    zeros: (backtest?.newZeros ?? []).map(({ rule, name, calls }) => ({
      value: rule,
      text: t.zero(name[code], calls, format.number(calls)),
    })),
  })
}
