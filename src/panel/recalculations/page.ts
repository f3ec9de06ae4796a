import type { AnalysisRunJson } from '../../check/recalculations/schema.ts'
import type { RuleSetSummaryJson } from '../../check/rule-sets/schema.ts'
import { periodOf, recentDays, formatPeriod, modelShare } from '../backtests/period.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, redirect, type PageContext, type Person } from '../frame/context.ts'
import { Fields, readFields } from '../frame/fields.ts'
import { formWithErrors, freshForm, type Form } from '../frame/form.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { readAll } from '../frame/read-all.ts'
import { refuseManagers } from '../rule-sets/set.ts'
import type { Page } from '../frame/page.ts'
import { recalculations } from './words.ts'
import type { Language } from '../frame/i18n.ts'

export const recalculationsPage: Page<'recalculations', typeof recalculations> = {
  name: 'recalculations',
  words: recalculations,
  routes: [
    { method: 'get', path: '/recalculations', handle: showList },
    { method: 'post', path: '/recalculations', handle: estimate },
    { method: 'get', path: '/recalculations/:id', handle: showRun },
    { method: 'post', path: '/recalculations/:id/confirm', handle: (context) => change(context, 'confirm') },
    { method: 'post', path: '/recalculations/:id/cancel', handle: (context) => change(context, 'cancel') },
  ],
  menu: {
    href: '/recalculations',
    title: recalculations.title,
    group: 'check',
    for: ({ role, rights }: Person) => role === 'owner' || (role === 'head' && rights.editRules === true),
  },
}

const PAGE_SIZE = 25

const setsOf = ({ api }: PageContext): Promise<RuleSetSummaryJson[]> =>
  readAll<RuleSetSummaryJson>(api, '/v1/rule-sets')

async function showList(context: PageContext): Promise<void> {
  await renderList(context, freshForm(Fields.of({ ...recentDays(context.language), ruleSet: '' })))
}

async function renderList(context: PageContext, form: Form): Promise<void> {
  const page = pageOf(context.ctx.query.page)
  refuseManagers(context)
  const [sets, { items, total }] = await Promise.all([
    setsOf(context),
    context.api.read<{ items: AnalysisRunJson[]; total: number }>(
      `/v1/analysis-runs?page=${page}&pageSize=${PAGE_SIZE}`,
    ),
  ])
  const { language } = context
  const t = language.words.recalculations
  const rows = items.map((run) => runView(run, sets, language))
  const data = {
    title: t.title,
    form,
    rows,
    live: rows.some(({ state }) => state === 'running'),
    self: page > 1 ? `/recalculations?page=${page}` : '/recalculations',
    sets: [{ value: '', text: t.anySet }, ...sets.map(({ id, name }) => ({ value: id, text: name[language.code] }))],
    paging: pagingOf(page, PAGE_SIZE, total, (page) => `/recalculations?page=${page}`),
  }
  if (isRefresh(context.ctx)) await renderParts(context, ['recalculations/_list'], data)
  else await renderPage(context, 'recalculations/index', data)
}

async function estimate(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await readFields(ctx)
  refuseManagers(context)
  const ruleSetId = fields.text('ruleSet')
  try {
    const asked = { ...periodOf(fields), ...(ruleSetId && { ruleSetId }) }
    const { body } = await api.send<AnalysisRunJson>('POST', '/v1/analysis-runs', asked)
    redirect(ctx, `/recalculations/${body.id}`)
  } catch (error) {
    const form = formWithErrors(error, fields, ['from', 'to'], context.language)
    const isOff = error instanceof ApiError && error.status === 409
    ctx.status = (error as ApiError).status
    await renderList(context, isOff ? { ...form, error: context.language.words.recalculations.off } : form)
  }
}

const runPath = ({ ctx }: PageContext): string => `/v1/analysis-runs/${encodeURIComponent(String(ctx.params.id))}`

async function showRun(context: PageContext): Promise<void> {
  refuseManagers(context)
  const [sets, run] = await Promise.all([setsOf(context), context.api.read<AnalysisRunJson>(runPath(context))])
  const { language } = context
  const t = language.words.recalculations
  const data = { title: t.estimateTitle, run: runView(run, sets, language), self: `/recalculations/${run.id}` }
  if (isRefresh(context.ctx)) await renderParts(context, ['recalculations/_run'], data)
  else await renderPage(context, 'recalculations/show', data)
}

async function change(context: PageContext, verb: 'confirm' | 'cancel'): Promise<void> {
  const { ctx, api } = context
  refuseManagers(context)
  const t = context.language.words.recalculations
  const back = `/recalculations/${ctx.params.id}`
  const answer = await api.send('POST', `${runPath(context)}/${verb}`).catch(refusal(409))
  redirect(ctx, back, answer instanceof ApiError ? t.moved : verb === 'confirm' ? t.begun : t.wasCancelled)
}

function runView(run: AnalysisRunJson, sets: RuleSetSummaryJson[], language: Language) {
  const { words, format, code } = language
  const t = words.recalculations
  const { id, state, ruleSetId, estimate, progress, person, createdAt } = run
  const checked = progress.done + progress.skipped + progress.failed
  const total = state === 'done' ? checked : Math.max(estimate.calls, progress.queued)
  const model = modelShare(estimate, language)
  return {
    id,
    href: `/recalculations/${id}`,
    state,
    stateText: t.states[state],
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: formatPeriod(run, language),
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
