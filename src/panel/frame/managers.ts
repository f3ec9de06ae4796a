import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { cleanName } from '../../platform/lib/names.ts'
import type { PageContext } from './context.ts'
import { readAll } from './read-all.ts'

/** All names in calls and rosters: another name is probably a typo. */
export async function readManagers({ api }: PageContext): Promise<string[]> {
  const [{ managers }, departments] = await Promise.all([
    // The menu needs this request too, so it is cached.
    api.read<FacetsJson>('/v1/recordings/facets'),
    readAll<{ managers: string[] }>(api, '/v1/departments').catch(() => []),
  ])
  const called = managers.map(({ name }) => name)
  return [...called, ...departments.flatMap((one) => one.managers).filter((name) => !isKnown(name, called))]
}

/** The number of suggested names. */
const MOST_OFFERED = 1000

export const offered = (managers: string[]): string[] => managers.slice(0, MOST_OFFERED)

/** Names as compared: е for ё, in lower case. */
export const foldName = (name: string): string => cleanName(name).toLowerCase().replaceAll('ё', 'е')

/** Whether one of these has the name. */
export const isKnown = (name: string, managers: string[]): boolean =>
  managers.some((known) => foldName(known) === foldName(name))
