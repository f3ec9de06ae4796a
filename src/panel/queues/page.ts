import type { QueueJobJson, QueueJobState, QueueJson } from '../../calls/jobs/schema.ts'
import type { CallLoadEntry } from '../../reports/load/schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import { isPartialRefresh, renderPage, renderPageParts, redirect, type PageContext } from '../frame/context.ts'
import { addDays } from '../frame/dates.ts'
import { isOwner, type Page, type MenuBadge } from '../frame/page.ts'
import { parsePageNumber, buildPaging } from '../frame/paging.ts'
import { formatPauseReason } from '../frame/pause.ts'
import { buildPeriodSpans } from '../statistics/spans.ts'
import { drawEndedCallsChart } from '../statistics/view.ts'
import {
  buildTranscriptionQueueCards,
  buildQueueTabs,
  buildJobSection,
  QUEUE_JOB_STATES,
  type TranscriptionQueueJson,
} from './view.ts'
import { queueWords } from './words.ts'

export const queuesPage: Page<'queues', typeof queueWords> = {
  name: 'queues',
  words: queueWords,
  menu: {
    href: '/queues',
    title: queueWords.title,
    group: 'work',
    for: isOwner,
    badge: { read: fetchBadge, failed: queueWords.failedCount },
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
    { method: 'post', path: '/queues/:name/resend/:id/:delivery', handle: resendDelivery },
  ],
}

const DEFAULT_QUEUE = 'transcription'
/** Jobs per state on the page of a queue. The page of one state shows JOBS_PER_PAGE. */
const PREVIEW_JOBS = 10
const JOBS_PER_PAGE = 50
/** The chart of these days is outside of the live part, because counting so many calls every two seconds is slow. */
const CHART_DAYS = 14

const parseQueueName = ({ ctx }: PageContext): string => String(ctx.params.name ?? DEFAULT_QUEUE)
const formatQueuePath = (name: string): string =>
  name === DEFAULT_QUEUE ? '/queues' : `/queues/${encodeURIComponent(name)}`
const formatApiPath = (context: PageContext): string => `/v1/queues/${encodeURIComponent(parseQueueName(context))}`

async function showQueue(context: PageContext): Promise<void> {
  const { ctx } = context
  const name = parseQueueName(context)
  const state = QUEUE_JOB_STATES.find((one) => one === ctx.query.state)
  const page = state ? parsePageNumber(ctx.query.page) : 1
  const [queues, queue, days, retryable, ...lists] = await Promise.all([
    context.api.fetch<QueueJson[]>('/v1/queues'),
    name === DEFAULT_QUEUE ? context.api.fetch<TranscriptionQueueJson>('/v1/queue') : undefined,
    name === DEFAULT_QUEUE ? fetchDailyLoad(context, isPartialRefresh(ctx) ? 1 : CHART_DAYS) : undefined,
    countRetryable(context),
    ...(state ? [state] : QUEUE_JOB_STATES).map((one) =>
      fetchJobs(context, one, page, state ? JOBS_PER_PAGE : PREVIEW_JOBS),
    ),
  ])
  const currentQueue = queues.find((one) => one.name === name)
  const { language } = context
  context.badges.queues = buildBadge(queues)
  const self = formatQueuePath(name)
  const formatPageHref = (state: QueueJobState, page = 1) => `${self}?state=${state}${page > 1 ? `&page=${page}` : ''}`
  const today = language.format.dayOf(new Date().toISOString())
  const data = {
    title: language.words.queues.title,
    name,
    person: context.person,
    queue: currentQueue,
    pause: currentQueue?.pause && formatPauseReason(currentQueue.pause, language),
    retryable,
    tabs: buildQueueTabs(queues, name, formatQueuePath, language),
    cards: queue && buildTranscriptionQueueCards(queue, days?.at(-1), language),
    chart: days && drawEndedCallsChart(days, language, 'day', buildPeriodSpans(days, 'day', today, today)),
    sections: lists.map((list) =>
      buildJobSection(
        { name, paused: currentQueue?.paused ?? false },
        list,
        (page - 1) * (state ? JOBS_PER_PAGE : PREVIEW_JOBS),
        formatPageHref(list.state),
        language,
      ),
    ),
    state,
    self: state ? formatPageHref(state, page) : self,
    all: self,
    act: `/queues/${encodeURIComponent(name)}`,
    paging: state && buildPaging(page, JOBS_PER_PAGE, lists[0]!.total, (page) => formatPageHref(state, page)),
  }
  if (isPartialRefresh(ctx)) await renderPageParts(context, ['queues/_queue', '_counts'], data)
  else await renderPage(context, 'queues/index', data)
}

async function fetchJobs(context: PageContext, state: QueueJobState, page: number, pageSize: number) {
  const query = `state=${state}&page=${page}&pageSize=${pageSize}&calls=true`
  const { items, total } = await context.api.fetch<{ items: QueueJobJson[]; total: number }>(
    `${formatApiPath(context)}/jobs?${query}`,
  )
  return { state, items, total }
}

/** Counts failed jobs whose retry can succeed. */
async function countRetryable(context: PageContext): Promise<number> {
  return (await context.api.fetch<{ total: number }>(`${formatApiPath(context)}/jobs?retryable=true&pageSize=1`)).total
}

/** Fetches the daily load. `from` is a whole day, so that equal requests share one entry of the audit log. */
async function fetchDailyLoad({ api, language }: PageContext, days: number): Promise<CallLoadEntry[]> {
  const from = addDays(language.format.dayOf(new Date().toISOString()), 1 - days)
  return (await api.fetch<{ days: CallLoadEntry[] }>(`/v1/stats/overview?from=${from}`)).days
}

async function changeQueue(context: PageContext, verb: 'pause' | 'resume'): Promise<void> {
  await context.api.send('POST', `${formatApiPath(context)}/${verb}`)
  redirect(context.ctx, formatQueuePath(parseQueueName(context)))
}

async function retryFailed(context: PageContext): Promise<void> {
  const { body } = await context.api.send<{ retried: number }>('POST', `${formatApiPath(context)}/retry-failed`)
  const { words, format } = context.language
  redirect(
    context.ctx,
    formatQueuePath(parseQueueName(context)),
    words.queues.retried(body.retried, format.number(body.retried)),
  )
}

/** Cancels or retries one call. Shows a notice if the call has changed its state meanwhile. */
async function changeCall(context: PageContext, verb: 'cancel' | 'retry'): Promise<void> {
  await postAndRedirect(context, `/v1/recordings/${encodeURIComponent(String(context.ctx.params.id))}/${verb}`)
}

async function resendDelivery(context: PageContext): Promise<void> {
  const [id, delivery] = [context.ctx.params.id, context.ctx.params.delivery].map((one) =>
    encodeURIComponent(String(one)),
  )
  await postAndRedirect(context, `/v1/recordings/${id}/deliveries/${delivery}/retry`)
}

async function postAndRedirect(context: PageContext, path: string): Promise<void> {
  const response = await context.api.send('POST', path).catch(returnApiErrorWithStatus(409))
  const notice = response instanceof ApiError ? context.language.words.queues.changed : undefined
  redirect(context.ctx, formatQueuePath(parseQueueName(context)), notice)
}

type QueueCounts = Pick<QueueJson, 'name' | 'waiting' | 'delayed' | 'failed'>

/** Counts the waiting jobs of all queues and the failed callbacks. Failed calls are counted beside the list of calls. */
const buildBadge = (queues: QueueCounts[]): MenuBadge => ({
  count: queues.reduce((sum, { waiting, delayed }) => sum + waiting + delayed, 0),
  failed: queues.find(({ name }) => name === 'callbacks')?.failed ?? 0,
})

async function fetchBadge({ api }: PageContext): Promise<MenuBadge> {
  return buildBadge(await api.fetch<QueueCounts[]>('/v1/queues'))
}
