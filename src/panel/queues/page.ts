import type { JobJson, JobState, QueueJson } from '../../calls/jobs/schema.ts'
import type { DayLoad } from '../../reports/load/schema.ts'
import { ApiError, refusal } from '../frame/api-client.ts'
import { isRefresh, renderPage, renderParts, redirect, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { isOwner, type Page, type Badge } from '../frame/page.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { formatPause } from '../frame/pause.ts'
import { spansOf } from '../statistics/spans.ts'
import { loadChart } from '../statistics/view.ts'
import { queueCards, queueTabs, sectionOf, STATES, type TranscriptionQueue } from './view.ts'
import { queues } from './words.ts'

export const queuesPage: Page<'queues', typeof queues> = {
  name: 'queues',
  words: queues,
  menu: {
    href: '/queues',
    title: queues.title,
    group: 'work',
    for: isOwner,
    badge: { read: readBadge, failed: queues.failedCount },
  },
  styles: ['queues'],
  routes: [
    { method: 'get', path: '/queues', handle: showQueue },
    { method: 'get', path: '/queues/:name', handle: showQueue },
    { method: 'post', path: '/queues/:name/pause', handle: (context) => changeQueue(context, 'pause') },
    { method: 'post', path: '/queues/:name/resume', handle: (context) => changeQueue(context, 'resume') },
    { method: 'post', path: '/queues/:name/retry-failed', handle: retryFailed },
    { method: 'post', path: '/queues/:name/cancel/:id', handle: (context) => changeCall(context, 'cancel') },
    { method: 'post', path: '/queues/:name/retry/:id', handle: (context) => changeCall(context, 'retry') },
    { method: 'post', path: '/queues/:name/resend/:id/:delivery', handle: resend },
  ],
}

/** The queue at the address /queues. */
const FIRST = 'transcription'
/** Jobs of each state on the page of a queue, and on the page of one of its states. */
const FEW = 10
const MANY = 50
/** Days of the chart below the queue. It is outside of the live part, because counting so much every other second is slow. */
const CHART_DAYS = 14

const nameOf = ({ ctx }: PageContext): string => String(ctx.params.name ?? FIRST)
const addressOf = (name: string): string => (name === FIRST ? '/queues' : `/queues/${encodeURIComponent(name)}`)
const apiPath = (context: PageContext): string => `/v1/queues/${encodeURIComponent(nameOf(context))}`

async function showQueue(context: PageContext): Promise<void> {
  const { ctx } = context
  const name = nameOf(context)
  const state = STATES.find((one) => one === ctx.query.state)
  const page = state ? pageOf(ctx.query.page) : 1
  const [queues, queue, days, retryable, ...lists] = await Promise.all([
    context.api.read<QueueJson[]>('/v1/queues'),
    name === FIRST ? context.api.read<TranscriptionQueue>('/v1/queue') : undefined,
    name === FIRST ? readLoad(context, isRefresh(ctx) ? 1 : CHART_DAYS) : undefined,
    countRetryable(context),
    ...(state ? [state] : STATES).map((one) => readJobs(context, one, page, state ? MANY : FEW)),
  ])
  const shown = queues.find((one) => one.name === name)
  const { language } = context
  context.badges.queues = badgeOf(queues)
  const self = addressOf(name)
  const pageHref = (state: JobState, page = 1) => `${self}?state=${state}${page > 1 ? `&page=${page}` : ''}`
  const today = language.format.dayOf(new Date().toISOString())
  const data = {
    title: language.words.queues.title,
    name,
    person: context.person,
    queue: shown,
    pause: shown?.pause && formatPause(shown.pause, language),
    retryable,
    tabs: queueTabs(queues, name, addressOf, language),
    cards: queue && queueCards(queue, days?.at(-1), language),
    chart: days && loadChart(days, language, 'day', spansOf(days, 'day', today, today)),
    sections: lists.map((list) =>
      sectionOf(
        { name, paused: shown?.paused ?? false },
        list,
        (page - 1) * (state ? MANY : FEW),
        pageHref(list.state),
        language,
      ),
    ),
    state,
    self: state ? pageHref(state, page) : self,
    all: self,
    act: `/queues/${encodeURIComponent(name)}`,
    paging: state && pagingOf(page, MANY, lists[0]!.total, (page) => pageHref(state, page)),
  }
  if (isRefresh(ctx)) await renderParts(context, ['queues/_queue', '_counts'], data)
  else await renderPage(context, 'queues/index', data)
}

async function readJobs(context: PageContext, state: JobState, page: number, pageSize: number) {
  const query = `state=${state}&page=${page}&pageSize=${pageSize}&calls=true`
  const { items, total } = await context.api.read<{ items: JobJson[]; total: number }>(
    `${apiPath(context)}/jobs?${query}`,
  )
  return { state, items, total }
}

/** The number of failed jobs that a retry can help. */
async function countRetryable(context: PageContext): Promise<number> {
  return (await context.api.read<{ total: number }>(`${apiPath(context)}/jobs?retryable=true&pageSize=1`)).total
}

/** The work that ended on the last days. Periods are days, so that equal reads share one entry of the audit log. */
async function readLoad({ api, language }: PageContext, days: number): Promise<DayLoad[]> {
  const from = addDays(language.format.dayOf(new Date().toISOString()), 1 - days)
  return (await api.read<{ days: DayLoad[] }>(`/v1/stats/overview?from=${from}`)).days
}

async function changeQueue(context: PageContext, verb: 'pause' | 'resume'): Promise<void> {
  await context.api.send('POST', `${apiPath(context)}/${verb}`)
  redirect(context.ctx, addressOf(nameOf(context)))
}

async function retryFailed(context: PageContext): Promise<void> {
  const { body } = await context.api.send<{ retried: number }>('POST', `${apiPath(context)}/retry-failed`)
  const { words, format } = context.language
  redirect(context.ctx, addressOf(nameOf(context)), words.queues.retried(body.retried, format.number(body.retried)))
}

/** Cancels or retries one call; shows an error if its state has changed meanwhile. */
async function changeCall(context: PageContext, verb: 'cancel' | 'retry'): Promise<void> {
  await send(context, `/v1/recordings/${encodeURIComponent(String(context.ctx.params.id))}/${verb}`)
}

async function resend(context: PageContext): Promise<void> {
  const [id, delivery] = [context.ctx.params.id, context.ctx.params.delivery].map((one) =>
    encodeURIComponent(String(one)),
  )
  await send(context, `/v1/recordings/${id}/deliveries/${delivery}/retry`)
}

async function send(context: PageContext, path: string): Promise<void> {
  const answer = await context.api.send('POST', path).catch(refusal(409))
  const notice = answer instanceof ApiError ? context.language.words.queues.changed : undefined
  redirect(context.ctx, addressOf(nameOf(context)), notice)
}

type QueueCounts = Pick<QueueJson, 'name' | 'waiting' | 'delayed' | 'failed'>

/** The waiting jobs of all queues, and undelivered callbacks; failed calls are in the list of calls. */
const badgeOf = (queues: QueueCounts[]): Badge => ({
  count: queues.reduce((sum, { waiting, delayed }) => sum + waiting + delayed, 0),
  failed: queues.find(({ name }) => name === 'callbacks')?.failed ?? 0,
})

async function readBadge({ api }: PageContext): Promise<Badge> {
  return badgeOf(await api.read<QueueCounts[]>('/v1/queues'))
}
