import type { JobJson, QueueJson } from '../../queue/schema.ts'
import type { DayLoad } from '../../stats/schema.ts'
import { ApiError } from '../frame/api-client.ts'
import { pageOf, pagingOf } from '../frame/paging.ts'
import { queueCards, queueTabs, sectionOf, STATES, type State, type TranscriptionQueue } from './view.ts'
import { chartsOf } from '../statistics/view.ts'
import {
  countJobs,
  isRefresh,
  loadFrame,
  loadPerson,
  renderPage,
  renderParts,
  seeOther,
  type Route,
  type Visit,
} from '../frame/context.ts'

export const queuesRoutes: Route[] = [
  { method: 'get', path: '/queues', handle: showQueue },
  { method: 'get', path: '/queues/:name', handle: showQueue },
  { method: 'post', path: '/queues/:name/pause', handle: (visit) => changeQueue(visit, 'pause') },
  { method: 'post', path: '/queues/:name/resume', handle: (visit) => changeQueue(visit, 'resume') },
  { method: 'post', path: '/queues/:name/retry-failed', handle: retryFailed },
  { method: 'post', path: '/queues/:name/cancel/:id', handle: (visit) => changeCall(visit, 'cancel') },
  { method: 'post', path: '/queues/:name/retry/:id', handle: (visit) => changeCall(visit, 'retry') },
  { method: 'post', path: '/queues/:name/resend/:id/:delivery', handle: resend },
]

/** The queue that stands at /queues itself. */
const FIRST = 'transcription'
/** Jobs of each state on the page of a queue, and on the page of one of its states. */
const FEW = 10
const MANY = 50
/** Days of the chart below the queue. It stands beside the live part: so much is not counted every other second. */
const CHART_DAYS = 14

const nameOf = ({ ctx }: Visit): string => String(ctx.params.name ?? FIRST)
const addressOf = (name: string): string => (name === FIRST ? '/queues' : `/queues/${encodeURIComponent(name)}`)
const apiPath = (visit: Visit): string => `/v1/queues/${encodeURIComponent(nameOf(visit))}`

async function showQueue(visit: Visit): Promise<void> {
  const { ctx } = visit
  const name = nameOf(visit)
  const state = STATES.find((one) => one === ctx.query.state)
  const page = state ? pageOf(ctx.query.page) : 1
  // The frame counts the queues: what it reads is read once.
  const [person, queues, queue, days, retryable, ...lists] = await Promise.all([
    isRefresh(ctx) ? loadPerson(visit) : loadFrame(visit),
    visit.api.read<QueueJson[]>('/v1/queues'),
    name === FIRST ? visit.api.read<TranscriptionQueue>('/v1/queue') : undefined,
    name === FIRST ? readLoad(visit, isRefresh(ctx) ? 1 : CHART_DAYS) : undefined,
    countRetryable(visit),
    ...(state ? [state] : STATES).map((one) => readJobs(visit, one, page, state ? MANY : FEW)),
  ])
  const { language, counts } = visit
  countJobs(counts, queues)
  const self = addressOf(name)
  const pageHref = (state: State, page = 1) => `${self}?state=${state}${page > 1 ? `&page=${page}` : ''}`
  const shown = queues.find((one) => one.name === name)
  const data = {
    title: language.words.queues.title,
    name,
    person,
    queue: shown,
    retryable,
    tabs: queueTabs(queues, name, addressOf, language),
    cards: queue && queueCards(queue, days?.at(-1), language),
    chart: days && chartsOf(days, language)[0],
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
  if (isRefresh(ctx)) renderParts(visit, ['queues/_queue', '_counts'], data)
  else renderPage(visit, 'queues/index', data)
}

async function readJobs(visit: Visit, state: State, page: number, pageSize: number) {
  const query = `state=${state}&page=${page}&pageSize=${pageSize}&calls=true`
  const { items, total } = await visit.api.read<{ items: JobJson[]; total: number }>(`${apiPath(visit)}/jobs?${query}`)
  return { state, items, total }
}

/** How many of the failed jobs another attempt can mend. */
async function countRetryable(visit: Visit): Promise<number> {
  return (await visit.api.read<{ total: number }>(`${apiPath(visit)}/jobs?retryable=true&pageSize=1`)).total
}

/** What ended on the last days, today among them. A time stands for its day. */
async function readLoad({ api }: Visit, days: number): Promise<DayLoad[]> {
  const from = encodeURIComponent(new Date(Date.now() - (days - 1) * 86_400_000).toISOString())
  return (await api.read<{ days: DayLoad[] }>(`/v1/stats/overview?from=${from}`)).days
}

async function changeQueue(visit: Visit, verb: 'pause' | 'resume'): Promise<void> {
  await visit.api.send('POST', `${apiPath(visit)}/${verb}`)
  seeOther(visit.ctx, addressOf(nameOf(visit)))
}

async function retryFailed(visit: Visit): Promise<void> {
  const [{ body }] = await Promise.all([
    visit.api.send<{ retried: number }>('POST', `${apiPath(visit)}/retry-failed`),
    loadPerson(visit),
  ])
  const { words, format } = visit.language
  seeOther(visit.ctx, addressOf(nameOf(visit)), words.queues.retried(body.retried, format.number(body.retried)))
}

/** Cancels or retries one call, and says so where its state has changed meanwhile. */
async function changeCall(visit: Visit, verb: 'cancel' | 'retry'): Promise<void> {
  await send(visit, `/v1/recordings/${encodeURIComponent(String(visit.ctx.params.id))}/${verb}`)
}

/** Sends one callback again. */
async function resend(visit: Visit): Promise<void> {
  const [id, delivery] = [visit.ctx.params.id, visit.ctx.params.delivery].map((one) => encodeURIComponent(String(one)))
  await send(visit, `/v1/recordings/${id}/deliveries/${delivery}/retry`)
}

async function send(visit: Visit, path: string): Promise<void> {
  const [refused] = await Promise.all([
    visit.api.send('POST', path).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof ApiError && error.status === 409)) throw error
        return error
      },
    ),
    loadPerson(visit),
  ])
  seeOther(visit.ctx, addressOf(nameOf(visit)), refused && visit.language.words.queues.changed)
}
