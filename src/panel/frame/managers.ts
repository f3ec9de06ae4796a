import type { FacetsJson } from '../../calls/list/overview-schema.ts'
import { cleanName } from '../../platform/lib/names.ts'
import type { PageContext } from './context.ts'
import { readAll } from './read-all.ts'

/** Every name that a call or a roster carries: another one is probably a slip of the pen. */
export async function readManagers({ api }: PageContext): Promise<string[]> {
  const [{ managers }, departments] = await Promise.all([
    // The menu has asked this too, so it costs nothing.
    api.read<FacetsJson>('/v1/recordings/facets'),
    readAll<{ managers: string[] }>(api, '/v1/departments').catch(() => []),
  ])
  const called = managers.map(({ name }) => name)
  return [...called, ...departments.flatMap((one) => one.managers).filter((name) => !isKnown(name, called))]
}

/** So many names a field offers. */
const MOST_OFFERED = 1000

export const offered = (managers: string[]): string[] => managers.slice(0, MOST_OFFERED)

/** As names are compared: е is ё, large letters are small ones. */
export const foldName = (name: string): string => cleanName(name).toLowerCase().replaceAll('ё', 'е')

/** Whether one of these is called so. */
export const isKnown = (name: string, managers: string[]): boolean =>
  managers.some((known) => foldName(known) === foldName(name))
