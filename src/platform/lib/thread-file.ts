import { existsSync } from 'node:fs'

/** Returns the URL of a worker thread's file. The bundle has it beside the chunks; tests are bundled one folder below. */
export function resolveThreadFile(name: string): URL {
  const [beside, above] = ['./', '../'].map((folder) => new URL(`${folder}${name}.js`, import.meta.url))
  return existsSync(beside!) ? beside! : above!
}
