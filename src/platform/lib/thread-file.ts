import { existsSync } from 'node:fs'

/** The file of a thread: beside the chunk of this module in the bundle; tests are bundled one folder below. */
export function resolveThreadFile(name: string): URL {
  const [beside, above] = ['./', '../'].map((folder) => new URL(`${folder}${name}.js`, import.meta.url))
  return existsSync(beside!) ? beside! : above!
}
