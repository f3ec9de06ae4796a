import { text, type Translation } from '../frame/words/translation.ts'
import type { ParsedUrlQuery } from 'node:querystring'
import { isUuid } from '../../platform/lib/ids.ts'
import { parsePageNumber } from '../frame/paging.ts'
import * as columns from './filters/columns.ts'
import * as content from './filters/content.ts'
import type { FilterChipContext, FilterErrorWords, CallFilter } from './filters/filter.ts'
import * as managers from './filters/managers.ts'
import * as ranges from './filters/ranges.ts'

/** All filters by their names in the address. The order applies to chips and to the form. */
const filters = {
  q: content.searchPanelFilter,
  status: columns.statusPanelFilter,
  direction: columns.directionPanelFilter,
  source: columns.sourcePanelFilter,
  department: managers.departmentPanelFilter,
  noSpeech: content.noSpeechPanelFilter,
  rule: content.rulePanelFilter,
  linked: content.linkedDealPanelFilter,
  period: ranges.periodPanelFilter,
  ...ranges.callDateFilters,
  ...ranges.createdDateFilters,
  ...ranges.finishedDateFilters,
  phone: columns.phonePanelFilter,
  manager: managers.managerPanelFilter,
  externalCallId: columns.externalCallIdPanelFilter,
  deal: content.dealPanelFilter,
  ...ranges.callLengthFilters,
  ...ranges.scoreFilters,
  ids: columns.callIdsPanelFilter,
}
/** The name of a filter, as in the address of the list. */
export type CallFilterName = keyof typeof filters
export const CALL_FILTERS: Record<CallFilterName, CallFilter> = filters
const FILTER_NAMES = Object.keys(filters) as CallFilterName[]

/** Labels and value names of the filters, for the dictionary. */
export const callFilterWords = Object.fromEntries(
  Object.entries(CALL_FILTERS).map(([name, { label, values }]) => [name, { label, ...(values && { values }) }]),
) as Record<CallFilterName, Pick<CallFilter, 'label'>>

/** Values of the active filters by name, as in the address of the list. */
export type CallFilterValues = Partial<Record<CallFilterName, string>>

export const CALL_LIST_PAGE_SIZES = [25, 50, 100]

type SortOrder = 'desc' | 'asc' | 'best'
/** Returns the orders that the list offers without `sort`, the default first. `best` needs a search. */
export const getCallOrders = ({ q }: CallFilterValues): SortOrder[] => (q ? ['best', 'desc', 'asc'] : ['desc', 'asc'])

const SORT_NAMES = ['phoneNumber', 'managerName', 'durationSeconds', 'score'] as const

/** The order of the list. Without `sort`, calls are ordered by time or, for `best`, by the rank of the search. */
export interface CallListOrder {
  sort?: (typeof SORT_NAMES)[number] | undefined
  order: SortOrder
}

/** The filters, the page and the order of the list of calls. */
export interface CallListState extends CallListOrder {
  filters: CallFilterValues
  page: number
  pageSize: number
  /** Id of the open saved view, whose filters the person can have changed. */
  view?: string | undefined
}

/** Parses the query of the list. Invalid pages and orders become defaults; validateCallFilters() reports invalid filters. */
export function parseCallListState(query: ParsedUrlQuery): CallListState {
  const values: CallFilterValues = {}
  for (const name of FILTER_NAMES) {
    const value = [query[name] ?? ''].flat()[0]!.trim()
    if (value !== '') values[name] = CALL_FILTERS[name].parse?.(value) ?? value
  }
  const pageSize = Number(query.pageSize)
  return {
    filters: values,
    page: parsePageNumber(query.page),
    pageSize: CALL_LIST_PAGE_SIZES.includes(pageSize) ? pageSize : CALL_LIST_PAGE_SIZES[0]!,
    ...parseListOrder(query, values),
    ...(typeof query.view === 'string' && isUuid(query.view) && { view: query.view.toLowerCase() }),
  }
}

function parseListOrder(query: ParsedUrlQuery, filters: CallFilterValues): CallListOrder {
  const sort = SORT_NAMES.find((name) => name === query.sort)
  if (sort) return { sort, order: query.order === 'asc' ? 'asc' : 'desc' }
  const orders = getCallOrders(filters)
  return { order: orders.find((order) => order === query.order) ?? orders[0]! }
}

/** Parses the path and query of a list into its filters, page and order. */
export const parseCallListHref = (href: string): CallListState =>
  parseCallListState(Object.fromEntries(new URL(href, 'http://list').searchParams))

/** Builds the API parameters for the order of a list. */
export const buildCallOrderParameters = ({ sort, order }: CallListOrder): Record<string, string> => ({
  ...(sort && { sort }),
  order,
})

/** Formats the path and query of a list. Omits the default page, page size and order. */
export function formatCallListHref({ filters, page, pageSize, sort, order, view }: CallListState): string {
  const query = new URLSearchParams(filters)
  if (sort) query.set('sort', sort)
  if (sort || getCallOrders(filters).indexOf(order) > 0) query.set('order', order)
  if (pageSize !== CALL_LIST_PAGE_SIZES[0]) query.set('pageSize', String(pageSize))
  if (page > 1) query.set('page', String(page))
  if (view) query.set('view', view)
  return query.size > 0 ? `/recordings?${query.toString()}` : '/recordings'
}

/** New filter values; null, undefined and an empty text remove a filter. */
export type CallFilterChanges = Partial<Record<CallFilterName, string | null | undefined>>

/** Formats the address of the list with changed filters, on the first page. */
export function formatCallListHrefWithFilterChanges(state: CallListState, changed: CallFilterChanges): string {
  const values = Object.entries({ ...state.filters, ...changed }).filter(([, value]) => value)
  return formatCallListHref({ ...state, filters: Object.fromEntries(values), page: 1 })
}

interface FilterLanguage {
  words: { rules: FilterErrorWords['rules']; recordings: { invalid: FilterErrorWords['invalid'] } }
}

/** Returns an error for each invalid filter, by filter name. */
export function validateCallFilters(filters: CallFilterValues, { words }: FilterLanguage): CallFilterValues {
  const t = { rules: words.rules, invalid: words.recordings.invalid }
  const errors = collectFilterNames(filters).map((name) => {
    const { check, values } = CALL_FILTERS[name]
    const known = Object.keys(values?.en ?? {})
    const value = filters[name]!
    return [name, check ? check(value, t, filters) : !known.includes(value) && t.rules.oneOf(known.join(', '))] as const
  })
  return Object.fromEntries(errors.filter(([, error]) => error))
}

const collectFilterNames = (filters: CallFilterValues): CallFilterName[] =>
  FILTER_NAMES.filter((name) => filters[name] !== undefined)

/** Returns only the filters whose values are valid. */
export function selectValidCallFilters(filters: CallFilterValues, language: FilterLanguage): CallFilterValues {
  const errors = validateCallFilters(filters, language)
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !(name in errors)))
}

/** Builds the query parameters of filters in the API. @param ignoredFilters filters to omit */
export function buildApiFilterParameters(
  filters: CallFilterValues,
  ignoredFilters: readonly CallFilterName[] = [],
): Record<string, string> {
  const names = collectFilterNames(filters).filter((name) => !ignoredFilters.includes(name))
  return Object.fromEntries(
    names.map((name) => {
      const { api } = CALL_FILTERS[name]
      return [api?.name ?? name, api?.value(filters[name]!) ?? filters[name]!]
    }),
  )
}

/**
 * Formats an API address with the filters under their API names and values, and the extra parameters.
 * @param ignoredFilters filters to omit
 */
export function formatFilteredApiUrl(
  path: string,
  filters: CallFilterValues,
  ignoredFilters: readonly CallFilterName[] = [],
  extraParameters: Record<string, string | number> = {},
): string {
  const query = new URLSearchParams(buildApiFilterParameters(filters, ignoredFilters))
  for (const [name, value] of Object.entries(extraParameters)) query.set(name, String(value))
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

/** Builds the chips of the active filters. The link of a chip removes its filter, or all filters that share the chip. */
export function buildCallFilterChips(
  state: CallListState,
  context: FilterChipContext,
): { text: string; href: string }[] {
  const { filters } = state
  const filterNames = collectFilterNames(filters)
  return filterNames.flatMap((name) => {
    const { chip, label, values, together = [name] } = CALL_FILTERS[name]
    if (filterNames.find((one) => together.includes(one)) !== name) return []
    const formatDefaultChip = (value: string) => {
      const texts = value.split(',').map((one) => values?.[context.code][one] ?? one)
      return `${label[context.code]}: ${texts.join(', ')}`
    }
    const text = (chip ?? formatDefaultChip)(filters[name]!, context, filters)
    const clearedFilters = Object.fromEntries(together.map((one) => [one, null]))
    return text ? [{ text, href: formatCallListHrefWithFilterChanges(state, clearedFilters) }] : []
  })
}

/** Builds the names of the filters for the audit log, by their API names. */
export function buildFilterAuditNames(): Record<string, Translation<string>> {
  const entries = FILTER_NAMES.map((name) => {
    const { label, audit, api } = CALL_FILTERS[name]
    const { en, ru } = audit ?? label
    return [api?.name ?? name, text(lowerFirstLetter(en), lowerFirstLetter(ru))] as const
  })
  return Object.fromEntries(entries)
}

/** Keeps abbreviations such as ID in upper case. */
const lowerFirstLetter = (text: string): string =>
  /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
