import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of .svc/secrets.json. */
export interface InstallationSecrets {
  asrApiKey: string
  sessionSecret: string
  /** The generated password of the first owner; deleted after it was shown. */
  ownerPassword?: string
}

/** An entry of .svc/state.json about the first credentials of a database. It contains no secret. */
export interface ShownCredentialsRecord {
  at: string
  /** Undefined if the database already had people. */
  owner?: string
  passwordGiven?: true
}

/** Loads the secrets of an installation, or generates them on the first call. */
export function loadOrCreateInstallationSecrets(folder: string): InstallationSecrets {
  const file = join(folder, 'secrets.json')
  if (!existsSync(file)) {
    writeInstallationSecrets(folder, { asrApiKey: generateSecret(), sessionSecret: generateSecret() })
  }
  return loadJson(file) as InstallationSecrets
}

/** Writes the secrets to a file that only its owner can read. */
export function writeInstallationSecrets(folder: string, secrets: InstallationSecrets): void {
  writeJson(join(folder, 'secrets.json'), secrets)
}

/**
 * Loads from .svc/state.json whether the first credentials of a database were shown.
 * @param database the hash of hashDatabaseUrl()
 */
export function loadShownCredentials(folder: string, database: string): ShownCredentialsRecord | undefined {
  return loadState(folder)[database]
}

/** Records that the first credentials of a database were shown; undefined deletes the record. */
export function writeShownCredentials(
  folder: string,
  database: string,
  shown: ShownCredentialsRecord | undefined,
): void {
  writeJson(join(folder, 'state.json'), { ...loadState(folder), [database]: shown })
}

/**
 * Returns the key of a database in state.json. It is a hash, because the address is private; the embedded database has a constant
 * key.
 */
export function hashDatabaseUrl(url: string | undefined): string {
  if (!url) return 'embedded'
  const { host, pathname } = new URL(url)
  return createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 16)
}

/** Generates a password of 79 bits that people can type from a screen, without easily confused characters. */
export function generateReadablePassword(): string {
  const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

function loadState(folder: string): Record<string, ShownCredentialsRecord | undefined> {
  const file = join(folder, 'state.json')
  return existsSync(file) ? (loadJson(file) as Record<string, ShownCredentialsRecord>) : {}
}

const generateSecret = () => randomBytes(32).toString('base64url')

function loadJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is damaged; remove it and start again`, { cause: error })
  }
}

/** Writes the file atomically, because a start can be killed at any time. */
function writeJson(file: string, value: object): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
