import type { ParsedUrlQuery } from 'node:querystring'
import { VERDICTS } from '../../check/checks/values.ts'
import { dayAfter, readDay } from '../frame/dates.ts'
import type { Language } from '../frame/i18n.ts'
import { pageOf } from '../frame/paging.ts'
import { DIRECTIONS, SOURCES, STATUSES, type Status } from '../../calls/recordings/values.ts'

/** What narrows the list, by its name in the address; its value as it was typed. */
export const FILTERS = [
  'q',
  'status',
  'direction',
  'source',
  'manager',
  'department',
  'scoreBelow',
  'noSpeech',
  'scoreFrom',
  'rule',
  'linked',
  'deal',
  'phone',
  'externalCallId',
  'dateFrom',
  'dateTo',
  'createdFrom',
  'createdTo',
  'finishedFrom',
  'finishedTo',
  'lengthFrom',
  'lengthTo',
] as const
export type FilterName = (typeof FILTERS)[number]
export type Filters = Partial<Record<FilterName, string>>

export const PAGE_SIZES = [25, 50, 100]

export type Order = 'desc' | 'asc' | 'best'
/** As usual: what a search found the best first, else the newest. */
const usualOrder = ({ q }: Filters): Order => (q ? 'best' : 'desc')
/** The orders of a list. */
export const ordersOf = ({ q }: Filters): Order[] => (q ? ['best', 'desc', 'asc'] : ['desc', 'asc'])

/** What the address says about the list. */
export interface ListState {
  filters: Filters
  page: number
  pageSize: number
  order: Order
}

/** Reads the address; what is out of its rule is as if it were not there, but for filters, which `errorsOf` judges. */
export function readState(query: ParsedUrlQuery): ListState {
  const pageSize = Number(query.pageSize)
  const given = FILTERS.map((name) => [name, [query[name] ?? ''].flat()[0]!.trim()] as const)
  const filters: Filters = Object.fromEntries(
    given.filter(([, value]) => value !== '').map(([name, value]) => [name, isDate(name) ? readDay(value) : value]),
  )
  return {
    filters,
    page: pageOf(query.page),
    pageSize: PAGE_SIZES.includes(pageSize) ? pageSize : PAGE_SIZES[0]!,
    order: ordersOf(filters).find((order) => order === query.order) ?? usualOrder(filters),
  }
}

/** The address of a list; what is as usual is left out. */
export function addressOf({ filters, page, pageSize, order }: ListState): string {
  const query = new URLSearchParams(filters)
  if (order !== usualOrder(filters) && ordersOf(filters).includes(order)) query.set('order', order)
  if (pageSize !== PAGE_SIZES[0]) query.set('pageSize', String(pageSize))
  if (page > 1) query.set('page', String(page))
  return query.size > 0 ? `/recordings?${query.toString()}` : '/recordings'
}

/** The state with other filters, from its first page; a filter without a value goes. */
export function withFilters(state: ListState, changed: Partial<Record<FilterName, string | null>>): ListState {
  const filters = Object.entries({ ...state.filters, ...changed }).filter(([, value]) => value)
  return { ...state, filters: Object.fromEntries(filters), page: 1 }
}

/** A manager as people read it: in quotes it is the whole name. */
export const wholeName = (manager: string): string => manager.replace(/^"(.+)"$/, '$1')

/** What is wrong with the filters, by name; such a filter narrows nothing. */
export function errorsOf(filters: Filters, { words }: Language): Filters {
  const { rules } = words
  const judge: Partial<Record<FilterName, (value: string) => string | false>> = {
    q: (value) => value.length > 500 && rules.maxLength('500'),
    status: (value) => value.split(',').map(oneOf(STATUSES)).find(Boolean) ?? false,
    direction: oneOf(DIRECTIONS),
    source: oneOf(SOURCES),
    manager: line,
    externalCallId: line,
    department: (value) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) && words.recordings.noDepartment,
    scoreBelow: (value) => !/^\d{1,3}(\.\d+)?$/.test(value) && rules.number,
    noSpeech: (value) => value !== 'true' && value !== 'false' && rules.oneOf('true, false'),
    scoreFrom: (value) => !/^\d{1,3}(\.\d+)?$/.test(value) && rules.number,
    rule: (value) => !RULE.test(value) && words.recordings.filter.noRule,
    linked: (value) => !/^(true|false)$/.test(value) && rules.oneOf('true, false'),
    deal: (value) => !/^[1-9]\d{0,14}$/.test(value) && rules.number,
    phone: (value) => (value.length > 64 ? rules.maxLength('64') : !/\d/.test(value) && rules.digits),
    dateFrom: day,
    dateTo: (value) => day(value) || (isAfter(filters.dateFrom, value) && words.recordings.filter.backwards),
    createdFrom: day,
    createdTo: (value) => day(value) || (isAfter(filters.createdFrom, value) && words.recordings.filter.backwards),
    finishedFrom: day,
    finishedTo: (value) => day(value) || (isAfter(filters.finishedFrom, value) && words.recordings.filter.backwards),
    lengthFrom: length,
    lengthTo: (value) =>
      length(value) ||
      ((secondsOf(filters.lengthFrom ?? '') ?? 0) > secondsOf(value)! && words.recordings.filter.shorter),
  }
  const errors = Object.entries(filters).map(([name, value]) => [name, judge[name as FilterName]!(value)])
  return Object.fromEntries(errors.filter(([, error]) => error)) as Filters

  function line(value: string): string | false {
    // oxlint-disable-next-line no-control-regex
    return value.length > 255 ? rules.maxLength('255') : /[\u0000-\u001f\u007f]/.test(value) && rules.line
  }
  function day(value: string): string | false {
    const [, date = ''] = /^(.{10})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/.exec(value) ?? []
    return dayAfter(date) === undefined && words.recordings.filter.day
  }
  function oneOf(values: readonly string[]): (value: string) => string | false {
    return (value) => !values.includes(value) && rules.oneOf(values.join(', '))
  }
  function length(value: string): string | false {
    return secondsOf(value) === undefined && words.recordings.filter.length
  }
}

/** The filters of which nothing is wrong. */
export function soundFilters(filters: Filters, language: Language): Filters {
  const errors = errorsOf(filters, language)
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in errors)))
}

/** A rule by the keys of its set and its own, and a verdict, as the API has it: judged is met or missed. */
const RULE = new RegExp(`^[^/:]{1,80}/[^/:]{1,80}(:(${[...VERDICTS, 'judged'].join('|')}))?$`)

const ORDER: Record<Status, number> = { DONE: 0, PROCESSING: 1, QUEUED: 2, FAILED: 3, CANCELLED: 4 }

/** The statuses, in the order in which people look for them. */
export const ORDERED_STATUSES = STATUSES.toSorted((a, b) => ORDER[a] - ORDER[b])

const isAfter = (from: string | undefined, to: string): boolean => from !== undefined && from.slice(0, to.length) > to

const isDate = (name: FilterName): boolean => /^(date|created|finished)(From|To)$/.test(name)

/** A length as people write it: minutes, or 1:30, or 1:04:12. Undefined for what is none. */
export function secondsOf(length: string): number | undefined {
  if (/^\d{1,5}([.,]\d{1,2})?$/.test(length)) return Number(length.replace(',', '.')) * 60
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)$/.exec(length) ?? []
  return minutes === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/**
 * The address of a question to the API about what the filters choose.
 * @param except filters that do not narrow this question
 */
export function questionOf(
  path: string,
  filters: Filters,
  except: readonly FilterName[] = [],
  more: Record<string, string | number> = {},
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    if (except.includes(name as FilterName)) continue
    // The last day is meant with all its hours, and the last second with all its parts.
    if (/^(date|created|finished)To$/.test(name)) query.set(name, dayAfter(value) ?? value)
    else if (name === 'lengthFrom') query.set('minDurationSeconds', String(secondsOf(value)!))
    else if (name === 'lengthTo') query.set('maxDurationSeconds', String(secondsOf(value)! + 0.999))
    else query.set(name, value)
  }
  for (const [name, value] of Object.entries(more)) query.set(name, String(value))
  return query.size > 0 ? `${path}?${query.toString()}` : path
}
