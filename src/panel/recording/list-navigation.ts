import { parse as parseQuery } from 'node:querystring'
import type { Context } from 'koa'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { Language } from '../frame/i18n.ts'
import {
  buildOrderParameters,
  formatListHref,
  formatApiUrl,
  parseListState,
  validFilters,
  type ListState,
} from '../recordings/filters.ts'

/** Returns the query of the list that the person came from, by the parameter `list` or the Referer; null without a list. */
export function findListQuery(ctx: Context): string | null {
  if (typeof ctx.query.list === 'string') return normalizeListQuery(ctx.query.list)
  const referrer = URL.parse(ctx.get('Referer'))
  const isList = referrer?.host === ctx.host && referrer.pathname === '/recordings'
  return isList ? normalizeListQuery(referrer.search) : null
}

const normalizeListQuery = (query: string): string =>
  new URL(formatListHref(parseListQuery(query)), 'http://list').search.slice(1)

/** Parses the query of the list of calls, with or without a leading question mark. */
export const parseListQuery = (query: string): ListState => parseListState(parseQuery(query.replace(/^\?/, '')))

/** Formats the API address of the calls before and after a call in a list. Ignores invalid filters. */
export function formatNeighboursUrl(id: string, list: string, language: Language): string {
  const { filters, ...state } = parseListQuery(list)
  const path = `/v1/recordings/${encodeURIComponent(id)}/neighbours`
  return formatApiUrl(path, validFilters(filters, language), [], buildOrderParameters(state))
}

/** Formats the address of the list that the person came from, on the page that contains this call. */
export function formatReturnHref(list: string | null, neighbours: NeighboursJson | undefined): string {
  const state = parseListQuery(list ?? '')
  const position = neighbours?.position
  return formatListHref(position ? { ...state, page: Math.ceil(position / state.pageSize) } : state)
}

/** Formats the address of the call's page, keeping the list that the person came from. */
export function formatCallHref({ params, query }: Context): string {
  return `/recordings/${params.id}${formatListParameter(query.list)}`
}

/** Formats the query that keeps the original list in a link; empty without a list. */
export const formatListParameter = (list: unknown): string =>
  typeof list === 'string' ? `?${new URLSearchParams({ list }).toString()}` : ''
