import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { ApiError } from '../frame/api-client.ts'
import type { PageContext } from '../frame/context.ts'
import { readDay } from '../frame/dates.ts'
import { Fields } from '../frame/fields.ts'

/** What every form of a report asks for; a report takes what fits it. */
export const FIELDS = ['from', 'to', 'department', 'manager', 'funnel'] as const

/** The fields of the address, days as the API has them. */
export function readAsked({ ctx }: PageContext, names: readonly string[] = FIELDS): Fields {
  const one = (name: string) => [ctx.query[name] ?? ''].flat()[0]!.trim()
  const read = (name: string) => (name === 'from' || name === 'to' ? readDay(one(name)) : one(name))
  return Fields.of(Object.fromEntries(names.map((name) => [name, read(name)])))
}

/** Adds the parameters of a CSV export for people. */
export function addSpreadsheetParameters(query: URLSearchParams): void {
  query.set('format', 'csv')
  query.set('spreadsheet', 'true')
}

/** An answer of the API, or its refusal where what was asked for is none. */
export async function readAnswer<T>(context: PageContext, address: string, refusals = [400]): Promise<T | ApiError> {
  try {
    return await context.api.read<T>(address)
  } catch (error) {
    if (error instanceof ApiError && refusals.includes(error.status)) return error
    throw error
  }
}

/** Exactly the manager of a name, as the filter `manager` has it; of null those of nobody. */
export const exactly = (name: string | null): string => `"${name ?? ''}"`

/** The same as people read it. */
export const unquoted = (manager: string): string => manager.replace(/^"(.*)"$/, '$1')

export interface Option {
  value: string
  text: string
}

/** What the fields of a form offer, an address that names another manager included. */
export function managerOptions({ managers }: FacetsJson, asked: string): Option[] {
  // An address may say a whole name without quotes: it is that manager, not a second one of the name.
  const options = managers.map(({ name }) => ({ value: name === asked ? name : exactly(name), text: name }))
  return asked === '' || options.some(({ value }) => value === asked)
    ? options
    : [...options, { value: asked, text: unquoted(asked) }]
}

/** The funnels, for those who choose them; none where there is but one. */
export async function readFunnels({ api }: PageContext): Promise<Option[]> {
  const funnels = await api.read<{ id: number; name: string }[]>('/v1/crm/funnels').catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return []
    throw error
  })
  return funnels.length < 2 ? [] : funnels.map(({ id, name }) => ({ value: String(id), text: name }))
}
