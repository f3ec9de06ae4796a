import { addDays } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { addressOf, withFilters, type ListState } from './filters.ts'

/** The periods above the list, one click each. */
export function daysOf(state: ListState, { words, format }: Language) {
  const t = words.recordings.days
  const today = format.dayOf(new Date().toISOString())
  const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7))
  const month = today.slice(0, 7)
  const endOfMonth = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)
  const periods: [text: string, from: string, to: string][] = [
    [t.today, today, today],
    [t.yesterday, addDays(today, -1), addDays(today, -1)],
    [t.week, monday, addDays(monday, 6)],
    [t.month, `${month}-01`, endOfMonth],
  ]
  const { dateFrom, dateTo } = state.filters
  const links = periods.map(([text, from, to]) => {
    const current = dateFrom === from && dateTo === to
    const dates = current ? { dateFrom: null, dateTo: null } : { dateFrom: from, dateTo: to }
    return { text, current, href: addressOf(withFilters(state, dates)) }
  })
  return { links, isOwn: Boolean(dateFrom ?? dateTo) && !links.some(({ current }) => current) }
}
