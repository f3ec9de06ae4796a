import { existsSync } from 'node:fs'

/** Returns the URL of a worker thread's file. The file is beside the bundle; bundled tests are one folder below. */
export function resolveThreadFile(name: string): URL {
  const [beside, above] = ['./', '../'].map((folder) => new URL(`${folder}${name}.js`, import.meta.url))
  return existsSync(beside!) ? beside! : above!
}
