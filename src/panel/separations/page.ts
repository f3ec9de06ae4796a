import type { SeparationRunJson } from '../../calls/speakers/runs-schema.ts'
import { createRecentPeriod, formatApiPeriod, parsePeriodFields } from '../frame/period.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import {
  isPartialRefresh,
  redirect,
  renderPage,
  renderPageParts,
  type LoggedInPerson,
  type PageContext,
} from '../frame/context.ts'
import { FormValues, parsePostedForm } from '../frame/fields.ts'
import { createFormState, createFormWithErrors, type FormState } from '../frame/form.ts'
import type { Language } from '../frame/i18n.ts'
import type { Page } from '../frame/page.ts'
import { buildPaging, parsePageNumber } from '../frame/paging.ts'
import { separationWords } from './words.ts'

export const separationsPage: Page<'separations', typeof separationWords> = {
  name: 'separations',
  words: separationWords,
  routes: [
    { method: 'get', path: '/separations', handle: showList },
    { method: 'post', path: '/separations', handle: estimate },
    { method: 'get', path: '/separations/:id', handle: showRun },
    { method: 'post', path: '/separations/:id/confirm', handle: (context) => changeRunState(context, 'confirm') },
    { method: 'post', path: '/separations/:id/cancel', handle: (context) => changeRunState(context, 'cancel') },
  ],
  menu: {
    href: '/separations',
    title: separationWords.title,
    group: 'check',
    for: ({ role, rights }: LoggedInPerson) =>
      role === 'owner' || (role === 'head' && rights.manageRecordings === true),
  },
}

const PAGE_SIZE = 25

function showList(context: PageContext): Promise<void> {
  return renderList(context, createFormState(FormValues.of(createRecentPeriod(context.language))))
}

async function renderList(context: PageContext, form: FormState): Promise<void> {
  const page = parsePageNumber(context.ctx.query.page)
  const { items, total } = await context.api.fetch<{ items: SeparationRunJson[]; total: number }>(
    `/v1/separation-runs?page=${page}&pageSize=${PAGE_SIZE}`,
  )
  const rows = items.map((run) => buildRunView(run, context.language))
  const data = {
    title: context.language.words.separations.title,
    form,
    rows,
    live: rows.some(({ state }) => state === 'running'),
    self: page > 1 ? `/separations?page=${page}` : '/separations',
    paging: buildPaging(page, PAGE_SIZE, total, (number) => `/separations?page=${number}`),
  }
  if (isPartialRefresh(context.ctx)) await renderPageParts(context, ['separations/_list'], data)
  else await renderPage(context, 'separations/index', data)
}

async function estimate(context: PageContext): Promise<void> {
  const { ctx, api } = context
  const fields = await parsePostedForm(ctx)
  try {
    const { body } = await api.send<SeparationRunJson>('POST', '/v1/separation-runs', parsePeriodFields(fields))
    redirect(ctx, `/separations/${body.id}`)
  } catch (error) {
    const form = createFormWithErrors(error, fields, ['from', 'to'], context.language)
    ctx.status = (error as ApiError).status
    await renderList(context, form)
  }
}

const formatRunApiPath = ({ ctx }: PageContext): string =>
  `/v1/separation-runs/${encodeURIComponent(String(ctx.params.id))}`

async function showRun(context: PageContext): Promise<void> {
  const run = await context.api.fetch<SeparationRunJson>(formatRunApiPath(context))
  const { language } = context
  const data = {
    title: language.words.separations.estimateTitle,
    run: buildRunView(run, language),
    self: `/separations/${run.id}`,
  }
  if (isPartialRefresh(context.ctx)) await renderPageParts(context, ['separations/_run'], data)
  else await renderPage(context, 'separations/show', data)
}

async function changeRunState(context: PageContext, verb: 'confirm' | 'cancel'): Promise<void> {
  const { ctx, api } = context
  const { separations: t, recalculations } = context.language.words
  const response = await api.send('POST', `${formatRunApiPath(context)}/${verb}`).catch(returnApiErrorWithStatus(409))
  const notice = verb === 'confirm' ? t.begun : t.wasCancelled
  redirect(ctx, `/separations/${ctx.params.id}`, response instanceof ApiError ? recalculations.moved : notice)
}

function buildRunView(run: SeparationRunJson, language: Language) {
  const { words, format } = language
  const { separations: t, recalculations } = words
  const { id, state, estimate, progress, person, createdAt } = run
  const processed = progress.done + progress.failed
  const total = state === 'estimated' ? estimate.calls : progress.queued
  return {
    id,
    href: `/separations/${id}`,
    state,
    stateText: recalculations.states[state],
    at: { iso: createdAt, text: format.shortTime(createdAt) },
    period: formatApiPeriod(run, language),
    who: person.name,
    estimate: t.estimated(estimate.calls, format.number(estimate.calls), estimate.seconds),
    isEmpty: estimate.calls === 0,
    processed,
    total: Math.max(1, total),
    progress: state === 'estimated' ? '—' : recalculations.progress(format.number(processed), format.number(total)),
    failed: progress.failed > 0 ? t.failed(format.number(progress.failed)) : null,
  }
}
