import type { BacktestJson, ChangedBacktestCallJson, CheckEstimateJson } from '../../check/backtests/schema.ts'
import { createReportSortContext } from '../analytics/report-sorting.ts'
import { ApiError } from '../frame/api-client.ts'
import { isPartialRefresh, renderPage, renderPageParts, redirect, type PageContext } from '../frame/context.ts'
import { FormValues, formatPathWithQuery, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { formatRuleSetApiPath, buildRuleSetHead, fetchEditableRuleSet } from '../rule-sets/rule-set.ts'
import { parsePeriodFields, createRecentPeriod } from '../frame/period.ts'
import { buildBacktestRow, buildChangedCallRow, formatBacktestEstimate, buildBacktestResult } from './view.ts'
import type { Page } from '../frame/page.ts'
import { backtestWords } from './words.ts'

export const backtestsPage: Page<'backtests', typeof backtestWords> = {
  name: 'backtests',
  words: backtestWords,
  routes: [
    { method: 'get', path: '/rule-sets/:id/backtests', handle: showStart },
    { method: 'post', path: '/rule-sets/:id/backtests', handle: startBacktest },
    { method: 'get', path: '/rule-sets/:id/backtests/:backtest', handle: showResult },
    { method: 'post', path: '/rule-sets/:id/backtests/:backtest/cancel', handle: cancelBacktest },
  ],
  styles: ['backtests'],
}

const MAX_CALLS = 1000

async function showStart(context: PageContext): Promise<void> {
  await renderStart(
    context,
    createFormState(FormValues.of({ ...createRecentPeriod(context.language), limit: MAX_CALLS })),
  )
}

async function startBacktest(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  const set = await fetchEditableRuleSet(context)
  const limit = Number(fields.text('limit') || MAX_CALLS)
  try {
    if (fields.has('estimate')) {
      const { body } = await api.send<CheckEstimateJson>(
        'POST',
        `${formatRuleSetApiPath(context)}/draft/estimate`,
        parsePeriodFields(fields),
      )
      const calls = Math.min(body.calls, limit || MAX_CALLS)
      return await renderStart(context, createFormState(fields), scaleEstimate(body, calls))
    }
    const { body } = await api.send<BacktestJson>('POST', `${formatRuleSetApiPath(context)}/backtests`, {
      ...parsePeriodFields(fields),
      limit,
    })
    redirect(ctx, `/rule-sets/${set.id}/backtests/${body.id}`)
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['from', 'to', 'limit'], context.language)
    ctx.status = (error as ApiError).status
    await renderStart(context, form)
  }
}

/** Scales the estimate of a period down to the newest calls that the test run will check. */
function scaleEstimate(estimate: CheckEstimateJson, calls: number): CheckEstimateJson {
  const share = estimate.calls === 0 ? 0 : calls / estimate.calls
  const scale = (value: number | null) => (value === null ? null : Math.round(value * share))
  const { cost } = estimate
  return {
    calls,
    words: scale(estimate.words)!,
    inputTokens: scale(estimate.inputTokens),
    outputTokens: scale(estimate.outputTokens),
    cost: cost && { ...cost, amount: Math.round(cost.amount * share * 100) / 100 },
    seconds: Math.ceil(estimate.seconds * share),
  }
}

async function renderStart(context: PageContext, form: FormState, estimate?: CheckEstimateJson): Promise<void> {
  const [set, { items }] = await Promise.all([
    fetchEditableRuleSet(context),
    context.api.fetch<{ items: BacktestJson[] }>(`${formatRuleSetApiPath(context)}/backtests?pageSize=20`),
  ])
  const { language } = context
  await renderPage(context, 'backtests/start', {
    title: `${language.words.backtests.title}, ${set.name[language.code]}`,
    head: buildRuleSetHead(set, language),
    hasDraft: set.draft !== null,
    isFirst: set.rules === null,
    form,
    estimate: estimate && formatBacktestEstimate(estimate, language),
    rows: items.map((backtest) => buildBacktestRow(backtest, language)),
  })
}

const formatBacktestPath = ({ ctx }: PageContext): string =>
  `/v1/backtests/${encodeURIComponent(String(ctx.params.backtest))}`

const PAGE_SIZE = 25

async function showResult(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const page = parsePageNumber(ctx.query.page)
  const [set, backtest, calls] = await Promise.all([
    fetchEditableRuleSet(context),
    api.fetch<BacktestJson>(formatBacktestPath(context)),
    api.fetch<{ items: ChangedBacktestCallJson[]; total: number }>(
      `${formatBacktestPath(context)}/calls?page=${page}&pageSize=${PAGE_SIZE}`,
    ),
  ])
  const { language } = context
  const self = `/rule-sets/${set.id}/backtests/${backtest.id}`
  const pageQuery: Record<string, string> = page > 1 ? { page: String(page) } : {}
  const sortQuery = FormValues.of(ctx.query).collectFilled('sort', 'order')
  const result = buildBacktestResult(backtest, createReportSortContext(context, self, pageQuery))
  const data = {
    title: `${language.words.backtests.resultTitle}, ${set.name[language.code]}`,
    head: buildRuleSetHead(set, language),
    self: formatPathWithQuery(self, { ...pageQuery, ...sortQuery }),
    action: self,
    result,
    isOlder: !backtest.isCurrent && set.draft !== null,
    mayPublish: backtest.isCurrent && backtest.state === 'done',
    calls: calls.items.map((call) => buildChangedCallRow(call, language)),
    total: calls.total,
    paging: buildPaging(page, PAGE_SIZE, calls.total, (page) =>
      formatPathWithQuery(self, { page: String(page), ...sortQuery }),
    ),
  }
  if (isPartialRefresh(ctx)) await renderPageParts(context, ['backtests/_result'], data)
  else await renderPage(context, 'backtests/show', data)
}

async function cancelBacktest(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const set = await fetchEditableRuleSet(context)
  const t = context.language.words.backtests
  const back = `/rule-sets/${set.id}/backtests/${ctx.params.backtest}`
  try {
    await api.send('POST', `${formatBacktestPath(context)}/cancel`)
    redirect(ctx, back, t.wasCancelled)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    redirect(ctx, back, t.hasEnded)
  }
}
