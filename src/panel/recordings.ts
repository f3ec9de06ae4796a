import type { Context } from 'koa'
import type { RecordingJson } from '../recordings/schema.ts'
import { recordingRow } from './recording-view.ts'
import { seeOther } from './login.ts'
import { isRefresh, loadPerson, renderPage, renderParts, type Route, type Visit } from './visit.ts'

export const recordingsRoutes: Route[] = [
  { method: 'get', path: '/', handle: async ({ ctx }) => seeOther(ctx, '/recordings') },
  { method: 'get', path: '/recordings', handle: showList },
]

/** A page of GET /v1/recordings. */
export interface RecordingsPage {
  items: RecordingJson[]
  total: number
}

const PAGE_SIZES = [25, 50, 100]

/** What the address says about the list. */
interface ListState {
  page: number
  pageSize: number
  order: 'asc' | 'desc'
}

async function showList(visit: Visit): Promise<void> {
  const { ctx, api, language } = visit
  const state = readState(ctx)
  const refresh = isRefresh(ctx)
  const query = `page=${state.page}&pageSize=${state.pageSize}&order=${state.order}`
  const [{ items, total }] = await Promise.all([
    api.read<RecordingsPage>(`/v1/recordings?${query}`),
    refresh ? undefined : loadPerson(visit),
  ])
  visit.recordingsTotal = total
  const data = {
    title: language.words.recordings,
    rows: items.map((recording) => recordingRow(recording, language)),
    total,
    // While something waits or runs the list refreshes itself; an empty one waits for its first call.
    live: total === 0 || items.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING'),
    self: address(state),
    state,
    orders: (['desc', 'asc'] as const).map((order) => ({ order, href: address({ ...state, order, page: 1 }) })),
    pageSizes: PAGE_SIZES.map((pageSize) => ({ pageSize, href: address({ ...state, pageSize, page: 1 }) })),
    paging: paging(state, total),
  }
  if (refresh) renderParts(visit, ['recordings/_rows', 'recordings/_count'], data)
  else renderPage(visit, 'recordings/index', data)
}

/** Reads the address; what is out of its rule is as if it were not there. */
function readState({ query }: Context): ListState {
  const page = Number(query.page)
  const pageSize = Number(query.pageSize)
  return {
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    pageSize: PAGE_SIZES.includes(pageSize) ? pageSize : PAGE_SIZES[0]!,
    order: query.order === 'asc' ? 'asc' : 'desc',
  }
}

/** The address of a list; what is as usual is left out. */
function address({ page, pageSize, order }: ListState): string {
  const query = new URLSearchParams()
  if (order !== 'desc') query.set('order', order)
  if (pageSize !== PAGE_SIZES[0]) query.set('pageSize', String(pageSize))
  if (page > 1) query.set('page', String(page))
  return query.size > 0 ? `/recordings?${query.toString()}` : '/recordings'
}

/** The links below the list: the first, the last, and those around this page; null stands for a gap. */
function paging(state: ListState, total: number) {
  const last = Math.max(1, Math.ceil(total / state.pageSize))
  const to = (page: number) => ({ page, href: address({ ...state, page }) })
  const near = [1, state.page - 1, state.page, state.page + 1, last]
  const shown = [...new Set(near)].filter((page) => page >= 1 && page <= last).sort((a, b) => a - b)
  return {
    from: (state.page - 1) * state.pageSize + 1,
    to: Math.min(total, state.page * state.pageSize),
    first: to(1),
    previous: state.page > 1 && state.page <= last ? to(state.page - 1) : null,
    next: state.page < last ? to(state.page + 1) : null,
    pages: shown.flatMap((page, index) => (index > 0 && page - shown[index - 1]! > 1 ? [null, to(page)] : [to(page)])),
  }
}
