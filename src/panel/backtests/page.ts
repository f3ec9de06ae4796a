import type { BacktestJson, ChangedCallJson, EstimateJson } from '../../check/backtests/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, redirect, type PageContext } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { apiPath, headOf, loadEditable } from '../rule-sets/set.ts'
import { periodOf, recentDays } from './period.ts'
import { backtestRow, changedCall, estimateInWords, resultOf } from './view.ts'
import type { Page } from '../frame/page.ts'
import { backtests } from './words.ts'

export const backtestsPage: Page<'backtests', typeof backtests> = {
  name: 'backtests',
  words: backtests,
  routes: [
    { method: 'get', path: '/rule-sets/:id/backtests', handle: showStart },
    { method: 'post', path: '/rule-sets/:id/backtests', handle: start },
    { method: 'get', path: '/rule-sets/:id/backtests/:backtest', handle: showResult },
    { method: 'post', path: '/rule-sets/:id/backtests/:backtest/cancel', handle: cancel },
  ],
  styles: ['backtests'],
}

const MOST_CALLS = 1000

async function showStart(context: PageContext): Promise<void> {
  await renderStart(context, freshForm(Fields.of({ ...recentDays(context.language), limit: MOST_CALLS })))
}

async function start(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  const set = await loadEditable(context)
  const limit = Number(fields.text('limit') || MOST_CALLS)
  try {
    if (fields.has('estimate')) {
      const { body } = await api.send<EstimateJson>('POST', `${apiPath(context)}/draft/estimate`, periodOf(fields))
      const calls = Math.min(body.calls, limit || MOST_CALLS)
      return await renderStart(context, freshForm(fields), shrunk(body, calls))
    }
    const { body } = await api.send<BacktestJson>('POST', `${apiPath(context)}/backtests`, {
      ...periodOf(fields),
      limit,
    })
    redirect(ctx, `/rule-sets/${set.id}/backtests/${body.id}`)
  } catch (error) {
    const form = formWithErrors(error, fields, ['from', 'to', 'limit'], context.language)
    ctx.status = (error as ApiError).status
    await renderStart(context, form)
  }
}

/** Scales the estimate for all calls of a period to the newest ones. */
function shrunk(estimate: EstimateJson, calls: number): EstimateJson {
  const share = estimate.calls === 0 ? 0 : calls / estimate.calls
  const part = (value: number | null) => (value === null ? null : Math.round(value * share))
  const { cost } = estimate
  return {
    calls,
    words: part(estimate.words)!,
    inputTokens: part(estimate.inputTokens),
    outputTokens: part(estimate.outputTokens),
    cost: cost && { ...cost, amount: Math.round(cost.amount * share * 100) / 100 },
    seconds: Math.ceil(estimate.seconds * share),
  }
}

async function renderStart(context: PageContext, form: Form, estimate?: EstimateJson): Promise<void> {
  const [set, { items }] = await Promise.all([
    loadEditable(context),
    context.api.read<{ items: BacktestJson[] }>(`${apiPath(context)}/backtests?pageSize=20`),
  ])
  const { language } = context
  await renderPage(context, 'backtests/start', {
    title: `${language.words.backtests.title}, ${set.name[language.code]}`,
    head: headOf(set, language),
    hasDraft: set.draft !== null,
    isFirst: set.rules === null,
    form,
    estimate: estimate && estimateInWords(estimate, language),
    rows: items.map((backtest) => backtestRow(backtest, language)),
  })
}

const backtestPath = ({ ctx }: PageContext): string =>
  `/v1/backtests/${encodeURIComponent(String(ctx.params.backtest))}`

const PAGE_SIZE = 25

async function showResult(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const page = pageOf(ctx.query.page)
  const [set, backtest, calls] = await Promise.all([
    loadEditable(context),
    api.read<BacktestJson>(backtestPath(context)),
    api.read<{ items: ChangedCallJson[]; total: number }>(
      `${backtestPath(context)}/calls?page=${page}&pageSize=${PAGE_SIZE}`,
    ),
  ])
  const { language } = context
  const self = `/rule-sets/${set.id}/backtests/${backtest.id}`
  const result = resultOf(backtest, language)
  const data = {
    title: `${language.words.backtests.resultTitle}, ${set.name[language.code]}`,
    head: headOf(set, language),
    self: page > 1 ? `${self}?page=${page}` : self,
    action: self,
    result,
    isOlder: !backtest.isCurrent && set.draft !== null,
    mayPublish: backtest.isCurrent && backtest.state === 'done',
    calls: calls.items.map((call) => changedCall(call, language)),
    total: calls.total,
    paging: pagingOf(page, PAGE_SIZE, calls.total, (page) => `${self}?page=${page}`),
  }
  if (isRefresh(ctx)) await renderParts(context, ['backtests/_result'], data)
  else await renderPage(context, 'backtests/show', data)
}

async function cancel(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const set = await loadEditable(context)
  const t = context.language.words.backtests
  const back = `/rule-sets/${set.id}/backtests/${ctx.params.backtest}`
  try {
    await api.send('POST', `${backtestPath(context)}/cancel`)
    redirect(ctx, back, t.wasCancelled)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    redirect(ctx, back, t.hasEnded)
  }
}
