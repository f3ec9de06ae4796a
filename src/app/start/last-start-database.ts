import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const databaseFileOf = (folder: string): string => join(folder, 'database')

/** Formats name and host of a database, without user and password. */
export function formatDatabaseAddress(url: string): string {
  const { host, pathname } = new URL(url)
  return `${decodeURIComponent(pathname.slice(1))} at ${host}`
}

/** Records in .svc which database `npm start` uses, for commands that run without its environment. */
export function writeLastStartDatabase(folder: string, url: string | undefined): void {
  writeFileSync(databaseFileOf(folder), `${url ? formatDatabaseAddress(url) : 'own'}\n`, { mode: 0o600 })
}

/** Loads the database of the last start: 'own' for the embedded one; undefined before the first start. */
export function loadLastStartDatabase(folder: string): string | undefined {
  const file = databaseFileOf(folder)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined
}
