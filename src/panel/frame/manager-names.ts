import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { normalizeWhitespace } from '../../platform/lib/whitespace.ts'
import type { PageContext } from './context.ts'
import { fetchAll } from './fetch-all.ts'

/** All names in calls and rosters: another name is probably a typo. */
export async function fetchManagerNames({ api }: PageContext): Promise<string[]> {
  const [{ managers }, departments] = await Promise.all([
    // The menu needs this request too, so it is cached.
    api.fetch<FacetsJson>('/v1/recordings/facets'),
    fetchAll<{ managers: string[] }>(api, '/v1/departments').catch(() => []),
  ])
  const callManagers = managers.map(({ name }) => name)
  return [
    ...callManagers,
    ...departments.flatMap((one) => one.managers).filter((name) => !isKnownManager(name, callManagers)),
  ]
}

/** The number of suggested names. */
const MAX_SUGGESTIONS = 1000

export const limitSuggestions = (managers: string[]): string[] => managers.slice(0, MAX_SUGGESTIONS)

/** Names as compared: е for ё, in lower case. */
export const foldName = (name: string): string => normalizeWhitespace(name).toLowerCase().replaceAll('ё', 'е')

/** Whether one of these has the name. */
export const isKnownManager = (name: string, managers: string[]): boolean =>
  managers.some((known) => foldName(known) === foldName(name))
