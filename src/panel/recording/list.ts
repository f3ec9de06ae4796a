import { parse as parseQuery } from 'node:querystring'
import type { Context } from 'koa'
import type { NeighboursJson } from '../../calls/list/neighbours-schema.ts'
import type { Language } from '../frame/i18n.ts'
import { addressOf, questionOf, readState, validFilters, type ListState } from '../recordings/filters.ts'

/**
 * The list that one came from, as the query of its address, where what is as usual is left out: said by links and forms
 * of the call's own page, else told by the browser. Null: one came from none, such as by a link that somebody sent.
 */
export function listOf(ctx: Context): string | null {
  if (typeof ctx.query.list === 'string') return cleaned(ctx.query.list)
  const referrer = URL.parse(ctx.get('Referer'))
  const isList = referrer?.host === ctx.host && referrer.pathname === '/recordings'
  return isList ? cleaned(referrer.search) : null
}

const cleaned = (query: string): string => new URL(addressOf(stateOf(query)), 'http://list').search.slice(1)

/** What the query of a list's address says. */
export const stateOf = (query: string): ListState => readState(parseQuery(query.replace(/^\?/, '')))

/** The question where a call stands in a list. */
export function neighboursQuestion(id: string, list: string, language: Language): string {
  const { filters, order } = stateOf(list)
  const path = `/v1/recordings/${encodeURIComponent(id)}/neighbours`
  return questionOf(path, validFilters(filters, language), [], { order })
}

/** The list, at the page on which the call stands by now. */
export function listHref(list: string | null, neighbours: NeighboursJson | undefined): string {
  const state = stateOf(list ?? '')
  const position = neighbours?.position
  return addressOf(position ? { ...state, page: Math.ceil(position / state.pageSize) } : state)
}

/** The page of the call that a form belongs to, with the list that one came from. */
export function pageOfCall({ params, query }: Context): string {
  return `/recordings/${params.id}${keptList(query.list)}`
}

/** The list, as the query of an address of the call's page. */
export const keptList = (list: unknown): string =>
  typeof list === 'string' ? `?${new URLSearchParams({ list }).toString()}` : ''
