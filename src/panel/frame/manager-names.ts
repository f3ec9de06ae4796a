import type { RecordingFacetsJson } from '../../calls/list/overview-schema.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import type { PageContext } from './context.ts'
import { fetchAllItems } from './fetch-all.ts'

/** Fetches the manager names of visible calls and departments. A form warns about other names as probable typos. */
export async function fetchManagerNames({ api }: PageContext): Promise<string[]> {
  const [{ managers }, departments] = await Promise.all([
    // The menu uses the same path, so the response is already cached.
    api.fetch<RecordingFacetsJson>('/v1/recordings/facets'),
    fetchAllItems<{ managers: string[] }>(api, '/v1/departments').catch(() => []),
  ])
  const callManagers = managers.map(({ name }) => name)
  return [
    ...callManagers,
    ...departments.flatMap((one) => one.managers).filter((name) => !isKnownManagerName(name, callManagers)),
  ]
}

const MAX_SUGGESTIONS = 1000

/** Returns the first 1,000 names, so that the list of suggestions stays small. */
export const limitManagerSuggestions = (managers: string[]): string[] => managers.slice(0, MAX_SUGGESTIONS)

/** Normalizes a name for comparison: one space between words, lower case, е for ё. */
export const foldManagerName = (name: string): string => normalizeWhitespace(name).toLowerCase().replaceAll('ё', 'е')

/** Returns true if a list contains the name, ignoring case, whitespace and ё. */
export const isKnownManagerName = (name: string, managers: string[]): boolean =>
  managers.some((known) => foldManagerName(known) === foldManagerName(name))

/** Quotes a name, so that the filter `manager` matches exactly this manager. Null selects calls without a manager. */
export const quoteManagerName = (name: string | null): string => `"${name ?? ''}"`

/** Returns the name in a `manager` filter without the quotes that quoteManagerName() adds. */
export const unquoteManagerName = (manager: string): string => manager.replace(/^"(.*)"$/, '$1')
