import type { Language } from '../frame/i18n.ts'
import { buildSortHeader, type TableSort } from '../frame/sortable.ts'
import { formatListHref, ordersOf, type ListOrder, type ListState } from './filters.ts'

/** The order of the list after a click on a header: that of calls by time has no name in the address. */
const toListOrder = ({ sort, order }: TableSort<'callStartedAt' | 'durationSeconds' | 'score'>): ListOrder =>
  sort === 'callStartedAt' ? { order } : { sort, order }

/** The headers that sort the list. The first click on the score shows the lowest scores, because these need attention. */
export function buildListHeaders(state: ListState, { words }: Language) {
  const { columns } = words.recordings
  const isByTime = state.sort === undefined && state.order !== 'best'
  const current = { sort: isByTime ? 'callStartedAt' : state.sort, order: state.order }
  const formatHref = (sort: Parameters<typeof toListOrder>[0]) =>
    formatListHref({ ...state, sort: undefined, ...toListOrder(sort), page: 1 })
  return {
    time: buildSortHeader({ title: columns.time, name: 'callStartedAt', first: 'desc' }, current, formatHref),
    length: buildSortHeader({ title: columns.length, name: 'durationSeconds', first: 'desc' }, current, formatHref),
    score: buildSortHeader({ title: columns.score, name: 'score', first: 'asc' }, current, formatHref),
  }
}

/** The orders of the list as a menu, for phones, whose lists have no headers. */
export function buildOrderMenu(state: ListState, hasScores: boolean, { words }: Language) {
  const { order: t, sorted } = words.recordings
  const choices: (ListOrder & { text: string })[] = [
    ...ordersOf(state.filters).map((order) => ({ order, text: t[order] })),
    { sort: 'durationSeconds', order: 'desc', text: sorted.longest },
    { sort: 'durationSeconds', order: 'asc', text: sorted.shortest },
    ...(hasScores || state.sort === 'score'
      ? ([
          { sort: 'score', order: 'asc', text: sorted.lowest },
          { sort: 'score', order: 'desc', text: sorted.highest },
        ] as const)
      : []),
  ]
  return choices.map(({ text, sort, order }) => ({
    text,
    href: formatListHref({ ...state, sort, order, page: 1 }),
    current: sort === state.sort && order === state.order,
  }))
}
