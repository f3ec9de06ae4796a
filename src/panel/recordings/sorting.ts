import type { Language } from '../frame/i18n.ts'
import { buildSortHeader, type TableSort } from '../frame/sortable.ts'
import { formatCallListHref, getCallOrders, type CallListOrder, type CallListState } from './filters.ts'

/** Converts a clicked header to the order of the list. The default order by time has no `sort`. */
const toListOrder = ({ sort, order }: TableSort<'callStartedAt' | NonNullable<CallListOrder['sort']>>): CallListOrder =>
  sort === 'callStartedAt' ? { order } : { sort, order }

/**
 * Builds the sortable headers of the list. The first click on the score puts the lowest scores first, because they need
 * attention.
 */
export function buildCallListHeaders(state: CallListState, { words }: Language) {
  const { columns } = words.recordings
  const isByTime = state.sort === undefined && state.order !== 'best'
  const current = { sort: isByTime ? 'callStartedAt' : state.sort, order: state.order }
  const formatHref = (sort: Parameters<typeof toListOrder>[0]) =>
    formatCallListHref({ ...state, sort: undefined, ...toListOrder(sort), page: 1 })
  return {
    time: buildSortHeader({ title: columns.time, name: 'callStartedAt', first: 'desc' }, current, formatHref),
    phone: buildSortHeader({ title: columns.phone, name: 'phoneNumber', first: 'asc' }, current, formatHref),
    manager: buildSortHeader({ title: columns.manager, name: 'managerName', first: 'asc' }, current, formatHref),
    length: buildSortHeader(
      { title: columns.shortLength, name: 'durationSeconds', first: 'desc' },
      current,
      formatHref,
    ),
    score: buildSortHeader({ title: columns.score, name: 'score', first: 'asc' }, current, formatHref),
  }
}

/** Builds the orders of the list as a menu, for phones, whose layout has no headers. */
export function buildCallOrderMenu(state: CallListState, hasScores: boolean, { words }: Language) {
  const { order: t, sorted } = words.recordings
  const choices: (CallListOrder & { text: string })[] = [
    ...getCallOrders(state.filters).map((order) => ({ order, text: t[order] })),
    { sort: 'phoneNumber', order: 'asc', text: sorted.phoneUp },
    { sort: 'phoneNumber', order: 'desc', text: sorted.phoneDown },
    { sort: 'managerName', order: 'asc', text: sorted.managerUp },
    { sort: 'managerName', order: 'desc', text: sorted.managerDown },
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
    href: formatCallListHref({ ...state, sort, order, page: 1 }),
    current: sort === state.sort && order === state.order,
  }))
}
