import type { Config } from '../../platform/config/config.ts'
import {
  hashDatabaseUrl,
  loadOrCreateInstallationSecrets,
  generateReadablePassword,
  loadShownCredentials,
  writeInstallationSecrets,
  writeShownCredentials,
  type ShownCredentialsRecord,
} from './secret-store.ts'
import { createTimeoutSignal } from '../../platform/lib/timeout-signal.ts'
import type { StartPlan } from './plan.ts'

interface Credentials {
  email: string
  password: string
}

/** The login of the first owner and the first API key, which the terminal shows once. */
export interface FirstCredentials {
  email: string
  /** Undefined if the operator configured the password. */
  password?: string
  key: string
}

const DEFAULT_OWNER_EMAIL = 'owner@example.com'
const REQUEST_LIMIT_MS = 10_000

/**
 * Chooses the login of the first owner and creates the first API key of a database. The terminal shows both once. Until then, a
 * generated password is stored with the secrets.
 */
export class FirstAccessSetup {
  /** Undefined if no earlier start showed the credentials. */
  readonly shown: ShownCredentialsRecord | undefined
  private readonly credentials: Credentials | undefined
  private readonly generated: boolean
  private readonly folder: string
  private readonly database: string

  constructor({ folder, config, hasExternalDatabase: ownDatabase }: StartPlan, fresh: boolean) {
    this.folder = folder
    this.database = hashDatabaseUrl(ownDatabase ? config.DATABASE_URL : undefined)
    if (fresh) writeShownCredentials(folder, this.database, undefined)
    this.shown = loadShownCredentials(folder, this.database)
    const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = config
    this.generated = !password
    if (this.shown) return
    this.credentials = { email: email ?? DEFAULT_OWNER_EMAIL, password: password ?? this.loadOrCreatePassword() }
  }

  private loadOrCreatePassword(): string {
    const secrets = loadOrCreateInstallationSecrets(this.folder)
    const ownerPassword = secrets.ownerPassword ?? generateReadablePassword()
    writeInstallationSecrets(this.folder, { ...secrets, ownerPassword })
    return ownerPassword
  }

  /** Returns the configuration with which the API creates the first owner if the database has no person. */
  bootstrapConfig(): Partial<Config> {
    if (!this.credentials) return {}
    return { BOOTSTRAP_ADMIN_EMAIL: this.credentials.email, BOOTSTRAP_ADMIN_PASSWORD: this.credentials.password }
  }

  /**
   * Creates the first API key.
   * @returns undefined if the credentials were shown before, or if the API rejects the login because the database has people
   * @throws Error if the API rejects a request
   */
  async createCredentials(apiUrl: string, signal: AbortSignal): Promise<FirstCredentials | undefined> {
    if (!this.credentials) return undefined
    const { email, password } = this.credentials
    const key = await createFirstKey(apiUrl, this.credentials, signal)
    return key ? { email, key, ...(this.generated && { password }) } : undefined
  }

  /** Records that the credentials were shown, and deletes the generated password. Call it after they were printed. */
  recordShown(firstCredentials: FirstCredentials | undefined): void {
    // If the configured password was wrong, the next start tries again.
    if (this.shown || (!firstCredentials && !this.generated)) return
    const at = new Date().toISOString().slice(0, 10)
    const owner = firstCredentials && {
      owner: firstCredentials.email,
      ...(!firstCredentials.password && { passwordGiven: true as const }),
    }
    writeShownCredentials(this.folder, this.database, { at, ...owner })
    const { ownerPassword: _, ...secrets } = loadOrCreateInstallationSecrets(this.folder)
    writeInstallationSecrets(this.folder, secrets)
  }
}

async function createFirstKey(apiUrl: string, person: Credentials, signal: AbortSignal): Promise<string | undefined> {
  const post = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
    fetch(`${apiUrl}${path}`, {
      method: 'POST',
      // The API requires this header for changes with a cookie.
      headers: { ...(body && { 'Content-Type': 'application/json' }), 'Sec-Fetch-Site': 'same-origin', ...headers },
      body: body && JSON.stringify(body),
      signal: createTimeoutSignal(REQUEST_LIMIT_MS, signal),
    })

  const login = await post('/v1/auth/login', person)
  if (login.status === 401) return undefined
  if (!login.ok) throw new Error(`The first log-in was answered with ${login.status}.`)
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const Cookie = cookies.join('; ')
  const response = await post('/v1/api-keys', { name: 'First key' }, { Cookie })
  if (response.status !== 201) throw new Error(`Making the first API key was answered with ${response.status}.`)
  const { key } = (await response.json()) as { key: string }
  await post('/v1/auth/logout', undefined, { Cookie }).catch(() => {})
  return key
}
