import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError, returnApiErrorWithStatus } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { parseDay } from '../frame/dates.ts'
import { formatPathWithQuery, FormValues } from '../frame/fields.ts'
import { quoteManagerName, unquoteManagerName } from '../frame/manager-names.ts'

/** Query parameters of the filter bar that all reports share. */
export const REPORT_FILTER_FIELDS = ['from', 'to', 'department', 'manager', 'funnel'] as const

/** Parses query parameters of a report. Converts valid days to YYYY-MM-DD, and uses only the first of repeated values. */
export function parseReportQuery({ ctx }: PageContext, names: readonly string[] = REPORT_FILTER_FIELDS): FormValues {
  const values = names.map((name) => {
    const value = [ctx.query[name] ?? ''].flat()[0]!.trim()
    return [name, name === 'from' || name === 'to' ? parseDay(value) : value]
  })
  return FormValues.of(Object.fromEntries(values))
}

/** Formats the address of a report's CSV file. `spreadsheet` keeps programs from changing phone numbers and similar text. */
export const formatReportCsvAddress = (path: string, fields: Record<string, string>): string =>
  formatPathWithQuery(path, { ...fields, format: 'csv', spreadsheet: 'true' })

/** An option of a select field: the sent value and the shown text. */
export interface SelectOption {
  value: string
  text: string
}

/** Builds the options of the manager filter. Adds the chosen manager if the facets do not list them. */
export function buildManagerOptions({ managers }: RecordingFacetsJson, chosen: string): SelectOption[] {
  // The filter treats a complete name without quotes as the same manager, so the option keeps the form of the address.
  const options = managers.map(({ name }) => ({ value: name === chosen ? name : quoteManagerName(name), text: name }))
  return chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, text: unquoteManagerName(chosen) }]
}

/** Fetches the options of the funnel filter. Returns none if the person has no access, or if there are fewer than two funnels. */
export async function fetchFunnelOptions({ api }: PageContext): Promise<SelectOption[]> {
  const funnels = await api
    .fetch<{ id: number; name: string }[]>('/v1/crm/funnels')
    .catch(returnApiErrorWithStatus(403))
  if (funnels instanceof ApiError || funnels.length < 2) return []
  return funnels.map(({ id, name }) => ({ value: String(id), text: name }))
}
