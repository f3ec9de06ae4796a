import type { AnalysisRunJson } from '../../check/recalculations/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { formatModelUsage } from '../backtests/model-usage.ts'
import { createRecentPeriod, formatApiPeriod, parsePeriodFields } from '../frame/period.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import {
  isPartialRefresh,
  renderPage,
  renderPageParts,
  redirect,
  type PageContext,
  type LoggedInPerson,
} from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormWithErrors, createFormState, type FormState } from '../frame/form.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { fetchAllItems } from '../frame/fetch-all.ts'
import { rejectManagerRole } from '../rule-sets/rule-set.ts'
import type { Page } from '../frame/page.ts'
import { recheckWords } from './words.ts'
import type { Language } from '../frame/i18n.ts'

export const rechecksPage: Page<'recalculations', typeof recheckWords> = {
  name: 'recalculations',
  words: recheckWords,
  routes: [
    { method: 'get', path: '/recalculations', handle: showList },
    { method: 'post', path: '/recalculations', handle: estimate },
    { method: 'get', path: '/recalculations/:id', handle: showRun },
    { method: 'post', path: '/recalculations/:id/confirm', handle: (context) => changeRunState(context, 'confirm') },
    { method: 'post', path: '/recalculations/:id/cancel', handle: (context) => changeRunState(context, 'cancel') },
  ],
  menu: {
    href: '/recalculations',
    title: recheckWords.title,
    group: 'check',
    for: ({ role, rights }: LoggedInPerson) => role === 'owner' || (role === 'head' && rights.editRules === true),
  },
}

const PAGE_SIZE = 25

const fetchRuleSets = ({ api }: PageContext): Promise<RuleSetSummaryJson[]> =>
  fetchAllItems<RuleSetSummaryJson>(api, '/v1/rule-sets')

async function showList(context: PageContext): Promise<void> {
  const ruleSet = String(context.ctx.query.ruleSet ?? '')
  await renderList(context, createFormState(FormValues.of({ ...createRecentPeriod(context.language), ruleSet })))
}

async function renderList(context: PageContext, form: FormState): Promise<void> {
  const page = parsePageNumber(context.ctx.query.page)
  rejectManagerRole(context)
  const [sets, { items, total }] = await Promise.all([
    fetchRuleSets(context),
    context.api.fetch<{ items: AnalysisRunJson[]; total: number }>(
      `/v1/analysis-runs?page=${page}&pageSize=${PAGE_SIZE}`,
    ),
  ])
  const { language } = context
  const t = language.words.recalculations
  const rows = items.map((run) => buildRunView(run, sets, language))
  const data = {
    title: t.title,
    form,
    rows,
    live: rows.some(({ state }) => state === 'running'),
    self: page > 1 ? `/recalculations?page=${page}` : '/recalculations',
    sets: [{ value: '', text: t.anySet }, ...sets.map(({ id, name }) => ({ value: id, text: name[language.code] }))],
    paging: buildPaging(page, PAGE_SIZE, total, (page) => `/recalculations?page=${page}`),
  }
  if (isPartialRefresh(context.ctx)) await renderPageParts(context, ['recalculations/_list'], data)
  else await renderPage(context, 'recalculations/index', data)
}

async function estimate(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  rejectManagerRole(context)
  const ruleSetId = fields.text('ruleSet')
  try {
    const requestBody = { ...parsePeriodFields(fields), ...(ruleSetId && { ruleSetId }) }
    const { body } = await api.send<AnalysisRunJson>('POST', '/v1/analysis-runs', requestBody)
    redirect(ctx, `/recalculations/${body.id}`)
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['from', 'to'], context.language)
    const isOff = error instanceof ApiError && error.status === 409
    ctx.status = (error as ApiError).status
    await renderList(context, isOff ? { ...form, error: context.language.words.recalculations.off } : form)
  }
}

const formatRunApiPath = ({ ctx }: PageContext): string =>
  `/v1/analysis-runs/${encodeURIComponent(String(ctx.params.id))}`

async function showRun(context: PageContext): Promise<void> {
  rejectManagerRole(context)
  const [sets, run] = await Promise.all([
    fetchRuleSets(context),
    context.api.fetch<AnalysisRunJson>(formatRunApiPath(context)),
  ])
  const { language } = context
  const t = language.words.recalculations
  const data = { title: t.estimateTitle, run: buildRunView(run, sets, language), self: `/recalculations/${run.id}` }
  if (isPartialRefresh(context.ctx)) await renderPageParts(context, ['recalculations/_run'], data)
  else await renderPage(context, 'recalculations/show', data)
}

async function changeRunState(context: PageContext, verb: 'confirm' | 'cancel'): Promise<void> {
  const { ctx, api } = context
  rejectManagerRole(context)
  const t = context.language.words.recalculations
  const back = `/recalculations/${ctx.params.id}`
  const response = await api.send('POST', `${formatRunApiPath(context)}/${verb}`).catch(returnApiErrorWithStatus(409))
  redirect(ctx, back, response instanceof ApiError ? t.moved : verb === 'confirm' ? t.begun : t.wasCancelled)
}

function buildRunView(run: AnalysisRunJson, sets: RuleSetSummaryJson[], language: Language) {
  const { words, format, code } = language
  const t = words.recalculations
  const { id, state, ruleSetId, estimate, progress, person, createdAt } = run
  const checked = progress.done + progress.skipped + progress.failed
  const total = state === 'done' ? checked : Math.max(estimate.calls, progress.queued)
  const model = formatModelUsage(estimate, language)
  return {
    id,
    href: `/recalculations/${id}`,
    state,
    stateText: t.states[state],
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: formatApiPeriod(run, language),
    ruleSet: ruleSetId === null ? t.anySet : (sets.find((set) => set.id === ruleSetId)?.name[code] ?? '—'),
    isAny: ruleSetId === null,
    who: person.name,
    estimate: [
      t.estimated(estimate.calls, format.number(estimate.calls), estimate.seconds),
      ...(model ? [t.byModel(model.input, model.output, model.money)] : []),
    ],
    isEmpty: estimate.calls === 0,
    checked,
    total: Math.max(1, total),
    progress: state === 'estimated' ? '—' : t.progress(format.number(checked), format.number(total)),
    notes: [
      ...(progress.skipped > 0 ? [t.skipped(format.number(progress.skipped))] : []),
      ...(progress.failed > 0 ? [t.failed(format.number(progress.failed))] : []),
    ],
  }
}
