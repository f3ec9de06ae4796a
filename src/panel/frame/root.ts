import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Finds the folder with views/ and public/, upwards from the given folder. The same call works in sources, tests and the bundle.
 * @throws Error if there is none
 */
export function findPanelRoot(from = dirname(fileURLToPath(import.meta.url))): string {
  if (existsSync(join(from, 'views', 'layout.eta')) && existsSync(join(from, 'public'))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error('The folders views/ and public/ of the panel are missing beside the program')
  return findPanelRoot(parent)
}
