import { parse as parseQuery } from 'node:querystring'
import type { Context } from 'koa'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { Language } from '../frame/i18n.ts'
import { addressOf, questionOf, readState, validFilters, type ListState } from '../recordings/filters.ts'

/** The list that the person came from, as a query: of this page's own links, else of the referrer. Null: none. */
export function listOf(ctx: Context): string | null {
  if (typeof ctx.query.list === 'string') return cleaned(ctx.query.list)
  const referrer = URL.parse(ctx.get('Referer'))
  const isList = referrer?.host === ctx.host && referrer.pathname === '/recordings'
  return isList ? cleaned(referrer.search) : null
}

const cleaned = (query: string): string => new URL(addressOf(stateOf(query)), 'http://list').search.slice(1)

export const stateOf = (query: string): ListState => readState(parseQuery(query.replace(/^\?/, '')))

export function neighboursQuestion(id: string, list: string, language: Language): string {
  const { filters, order } = stateOf(list)
  const path = `/v1/recordings/${encodeURIComponent(id)}/neighbours`
  return questionOf(path, validFilters(filters, language), [], { order })
}

/** The list, at the page with this call. */
export function listHref(list: string | null, neighbours: NeighboursJson | undefined): string {
  const state = stateOf(list ?? '')
  const position = neighbours?.position
  return addressOf(position ? { ...state, page: Math.ceil(position / state.pageSize) } : state)
}

/** The page of the call, with the list that the person came from. */
export function pageOfCall({ params, query }: Context): string {
  return `/recordings/${params.id}${keptList(query.list)}`
}

export const keptList = (list: unknown): string =>
  typeof list === 'string' ? `?${new URLSearchParams({ list }).toString()}` : ''
