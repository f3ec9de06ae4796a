import type { Context } from 'koa'
import type { RecordingJson } from '../recordings/schema.ts'
import { recordingRow } from './recording-view.ts'
import { pageOf, pagingOf } from './paging.ts'
import { isRefresh, loadFrame, renderPage, renderParts, seeOther, type Route, type Visit } from './visit.ts'

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
  const { ctx, api } = visit
  const state = readState(ctx)
  const refresh = isRefresh(ctx)
  const query = `page=${state.page}&pageSize=${state.pageSize}&order=${state.order}`
  const [{ items, total }] = await Promise.all([api.read<RecordingsPage>(`/v1/recordings?${query}`), loadFrame(visit)])
  const { language } = visit
  const data = {
    title: language.words.recordings.title,
    rows: items.map((recording) => recordingRow(recording, language)),
    total,
    // While something waits or runs the list refreshes itself; an empty one waits for its first call.
    live: total === 0 || items.some(({ status }) => status === 'QUEUED' || status === 'PROCESSING'),
    self: address(state),
    state,
    orders: (['desc', 'asc'] as const).map((order) => ({ order, href: address({ ...state, order, page: 1 }) })),
    pageSizes: PAGE_SIZES.map((pageSize) => ({ pageSize, href: address({ ...state, pageSize, page: 1 }) })),
    paging: pagingOf(state.page, state.pageSize, total, (page) => address({ ...state, page })),
  }
  if (refresh) renderParts(visit, ['recordings/_rows', '_counts'], data)
  else renderPage(visit, 'recordings/index', data)
}

/** Reads the address; what is out of its rule is as if it were not there. */
function readState({ query }: Context): ListState {
  const pageSize = Number(query.pageSize)
  return {
    page: pageOf(query.page),
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
