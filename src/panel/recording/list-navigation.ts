import { parse as parseQuery } from 'node:querystring'
import type { Context } from 'koa'
import type { RecordingNeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { Language } from '../frame/i18n.ts'
import {
  buildCallOrderParameters,
  formatCallListHref,
  formatFilteredApiUrl,
  parseCallListState,
  selectValidCallFilters,
  type CallListState,
} from '../recordings/filters.ts'

/** Returns the query of the list that the person came from, by the parameter `list` or the Referer; null without a list. */
export function findOriginListQuery(ctx: Context): string | null {
  if (typeof ctx.query.list === 'string') return normalizeListQuery(ctx.query.list)
  const referrer = URL.parse(ctx.get('Referer'))
  const isList = referrer?.host === ctx.host && referrer.pathname === '/recordings'
  return isList ? normalizeListQuery(referrer.search) : null
}

const normalizeListQuery = (query: string): string =>
  new URL(formatCallListHref(parseListQueryState(query)), 'http://list').search.slice(1)

/** Parses the query of the list of calls, with or without a leading question mark. */
export const parseListQueryState = (query: string): CallListState =>
  parseCallListState(parseQuery(query.replace(/^\?/, '')))

/** Formats the API address of the calls before and after a call in a list. Ignores invalid filters. */
export function formatNeighboursApiUrl(id: string, list: string, language: Language): string {
  const { filters, ...state } = parseListQueryState(list)
  const path = `/v1/recordings/${encodeURIComponent(id)}/neighbours`
  return formatFilteredApiUrl(path, selectValidCallFilters(filters, language), [], buildCallOrderParameters(state))
}

/** Formats the address of the list that the person came from, on the page of this call if its position is known. */
export function formatOriginListHref(list: string | null, neighbours: RecordingNeighboursJson | undefined): string {
  const state = parseListQueryState(list ?? '')
  const position = neighbours?.position
  return formatCallListHref(position ? { ...state, page: Math.ceil(position / state.pageSize) } : state)
}

/** Formats the address of the call's page, keeping the list that the person came from. */
export function formatCallHref({ params, query }: Context): string {
  return `/recordings/${params.id}${formatOriginListParameter(query.list)}`
}

/** Formats the query that keeps the original list in a link; empty without a list. */
export const formatOriginListParameter = (list: unknown): string =>
  typeof list === 'string' ? `?${new URLSearchParams({ list }).toString()}` : ''
