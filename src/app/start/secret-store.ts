import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** .svc/secrets.json */
export interface StoredSecrets {
  asrApiKey: string
  sessionSecret: string
  /** The first owner's password, until it was shown. */
  ownerPassword?: string
}

/** When the first owner was shown; nothing in it is secret. */
export interface Shown {
  at: string
  /** Absent if the database had people before. */
  owner?: string
  passwordGiven?: true
}

export function storedSecrets(folder: string): StoredSecrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) {
    writeSecrets(folder, { asrApiKey: secret(), sessionSecret: secret() })
  }
  return read(file) as StoredSecrets
}

export function writeSecrets(folder: string, secrets: StoredSecrets): void {
  write(join(folder, 'secrets.json'), secrets)
}

/** .svc/state.json: what was shown, by database. */
export function readShown(folder: string, database: string): Shown | undefined {
  return readState(folder)[database]
}

/** Remembers or, with undefined, forgets what was shown for a database. */
export function writeShown(folder: string, database: string, shown: Shown | undefined): void {
  write(join(folder, 'state.json'), { ...readState(folder), [database]: shown })
}

/** The name of a database in state.json: a hash, because the address is private. */
export function databaseName(url: string | undefined): string {
  if (!url) return 'embedded'
  const { host, pathname } = new URL(url)
  return createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 16)
}

/** A password of 79 bits to read from a screen, without characters that look alike. */
export function readablePassword(): string {
  const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

function readState(folder: string): Record<string, Shown | undefined> {
  const file = join(folder, 'state.json')
  return existsSync(file) ? (read(file) as Record<string, Shown>) : {}
}

const secret = () => randomBytes(32).toString('base64url')

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is damaged; remove it and start again`, { cause: error })
  }
}

/** Writes atomically: a start can be killed at any moment. */
function write(file: string, value: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
