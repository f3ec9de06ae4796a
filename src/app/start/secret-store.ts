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
export interface ShownCredentials {
  at: string
  /** Absent if the database had people before. */
  owner?: string
  passwordGiven?: true
}

/** Loads the secrets of an installation, or creates them. */
export function loadOrCreateSecrets(folder: string): StoredSecrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) {
    writeSecrets(folder, { asrApiKey: generateSecret(), sessionSecret: generateSecret() })
  }
  return loadJson(file) as StoredSecrets
}

/** Writes the secrets of an installation, readable by its owner only. */
export function writeSecrets(folder: string, secrets: StoredSecrets): void {
  writeJson(join(folder, 'secrets.json'), secrets)
}

/** .svc/state.json: what was shown, by database. */
export function loadShownCredentials(folder: string, database: string): ShownCredentials | undefined {
  return loadState(folder)[database]
}

/** Remembers or, with undefined, forgets what was shown for a database. */
export function writeShownCredentials(folder: string, database: string, shown: ShownCredentials | undefined): void {
  writeJson(join(folder, 'state.json'), { ...loadState(folder), [database]: shown })
}

/** The name of a database in state.json: a hash, because the address is private. */
export function hashDatabaseUrl(url: string | undefined): string {
  if (!url) return 'embedded'
  const { host, pathname } = new URL(url)
  return createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 16)
}

/** A password of 79 bits to read from a screen, without characters that look alike. */
export function generatePassword(): string {
  const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

function loadState(folder: string): Record<string, ShownCredentials | undefined> {
  const file = join(folder, 'state.json')
  return existsSync(file) ? (loadJson(file) as Record<string, ShownCredentials>) : {}
}

const generateSecret = () => randomBytes(32).toString('base64url')

function loadJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is damaged; remove it and start again`, { cause: error })
  }
}

/** Writes atomically: a start can be killed at any moment. */
function writeJson(file: string, value: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
