import { existsSync } from 'node:fs'

/** The file of a thread: the bundle's stands beside the chunk that this module is part of; tests are bundled one folder below. */
export function threadFile(name: string): URL {
  const [beside, above] = ['./', '../'].map((folder) => new URL(`${folder}${name}.js`, import.meta.url))
  return existsSync(beside!) ? beside! : above!
}
