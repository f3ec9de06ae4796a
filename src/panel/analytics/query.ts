import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError, returnApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { parseDay } from '../frame/dates.ts'
import { formatAddress, Fields } from '../frame/fields.ts'

/** The fields of the bar of all reports. */
export const REPORT_FIELDS = ['from', 'to', 'department', 'manager', 'funnel'] as const

/** Parses fields of the address; days become 2026-03-01. */
export function parseQuery({ ctx }: PageContext, names: readonly string[] = REPORT_FIELDS): Fields {
  const values = names.map((name) => {
    const value = [ctx.query[name] ?? ''].flat()[0]!.trim()
    return [name, name === 'from' || name === 'to' ? parseDay(value) : value]
  })
  return Fields.of(Object.fromEntries(values))
}

/** The address of a report's CSV file in the API, in a readable form. */
export const formatCsvAddress = (path: string, fields: Record<string, string>): string =>
  formatAddress(path, { ...fields, format: 'csv', spreadsheet: 'true' })

/** Names exactly one manager in the filter `manager`; null means calls without a manager. */
export const quoteName = (name: string | null): string => `"${name ?? ''}"`

export const unquoteName = (manager: string): string => manager.replace(/^"(.*)"$/, '$1')

export interface SelectOption {
  value: string
  text: string
}

/** The managers to choose from, and the one in the address if it is another. */
export function buildManagerOptions({ managers }: FacetsJson, chosen: string): SelectOption[] {
  // A whole name without quotes means the same manager.
  const options = managers.map(({ name }) => ({ value: name === chosen ? name : quoteName(name), text: name }))
  return chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, text: unquoteName(chosen) }]
}

/** The funnels to choose from; none for people without access to them, or if there is only one. */
export async function fetchFunnelOptions({ api }: PageContext): Promise<SelectOption[]> {
  const funnels = await api.fetch<{ id: number; name: string }[]>('/v1/crm/funnels').catch(returnApiError(403))
  if (funnels instanceof ApiError || funnels.length < 2) return []
  return funnels.map(({ id, name }) => ({ value: String(id), text: name }))
}
