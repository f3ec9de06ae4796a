import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileIn = (folder: string): string => join(folder, 'database')

/** A database without user and password: its name, host and port. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url)
  return `${decodeURIComponent(pathname.slice(1))} at ${host}`
}

/** Notes in .svc with which database `npm start` runs, for commands that are run without its environment. */
export function noteUsedDatabase(folder: string, url: string | undefined): void {
  writeFileSync(fileIn(folder), `${url ? describeDatabase(url) : 'own'}\n`, { mode: 0o600 })
}

/** The database of the last start: 'own' for the embedded one; undefined where none is noted. */
export function readUsedDatabase(folder: string): string | undefined {
  const file = fileIn(folder)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined
}
