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

/** The list that the person came from, as a query: of this page's own links, else of the referrer. Null: none. */
export function findListQuery(ctx: Context): string | null {
  if (typeof ctx.query.list === 'string') return normalizeListQuery(ctx.query.list)
  const referrer = URL.parse(ctx.get('Referer'))
  const isList = referrer?.host === ctx.host && referrer.pathname === '/recordings'
  return isList ? normalizeListQuery(referrer.search) : null
}

const normalizeListQuery = (query: string): string =>
  new URL(formatListHref(parseListQuery(query)), 'http://list').search.slice(1)

export const parseListQuery = (query: string): ListState => parseListState(parseQuery(query.replace(/^\?/, '')))

export function formatNeighboursUrl(id: string, list: string, language: Language): string {
  const { filters, ...state } = parseListQuery(list)
  const path = `/v1/recordings/${encodeURIComponent(id)}/neighbours`
  return formatApiUrl(path, validFilters(filters, language), [], buildOrderParameters(state))
}

/** The list, at the page with this call. */
export function formatReturnHref(list: string | null, neighbours: NeighboursJson | undefined): string {
  const state = parseListQuery(list ?? '')
  const position = neighbours?.position
  return formatListHref(position ? { ...state, page: Math.ceil(position / state.pageSize) } : state)
}

/** The page of the call, with the list that the person came from. */
export function formatCallHref({ params, query }: Context): string {
  return `/recordings/${params.id}${formatListParameter(query.list)}`
}

export const formatListParameter = (list: unknown): string =>
  typeof list === 'string' ? `?${new URLSearchParams({ list }).toString()}` : ''
