import type { ViewJson } from '../../work/views/schema.ts'
import {
  buildCallOrderParameters,
  CALL_FILTERS,
  formatFilteredApiUrl,
  parseCallListState,
  type CallFilterName,
  type CallListState,
} from '../recordings/filters.ts'

/** Converts the filters and the order of a list to those of a saved view, under the names of the API. */
export function toViewFilters({ filters, ...order }: CallListState): Record<string, string> {
  const path = formatFilteredApiUrl('', filters, [], buildCallOrderParameters(order))
  return Object.fromEntries(new URLSearchParams(path))
}

/** Builds the list that a saved view opens. */
export function buildViewListState({ id, filters }: Pick<ViewJson, 'id' | 'filters'>): CallListState {
  const entries = Object.entries(filters).map(([name, value]) => toPanelParameter(name, value))
  return parseCallListState(Object.fromEntries([...entries, ['view', id]]))
}

function toPanelParameter(apiName: string, value: string): [name: string, value: string] {
  const name = Object.keys(CALL_FILTERS).find(
    (one) => (CALL_FILTERS[one as CallFilterName].api?.name ?? one) === apiName,
  )
  const { api } = CALL_FILTERS[name as CallFilterName] ?? {}
  return [name ?? apiName, api?.parse(value) ?? value]
}

/** Returns true if the list has other filters or another order than the view that it opened. */
export function isViewChanged(view: ViewJson, state: CallListState): boolean {
  const format = (list: CallListState) => {
    const query = new URLSearchParams(toViewFilters(list))
    query.sort()
    return query.toString()
  }
  return format(buildViewListState(view)) !== format(state)
}
