import type { Config } from '../../platform/config/config.ts'
import {
  databaseName,
  storedSecrets,
  readablePassword,
  readShown,
  writeSecrets,
  writeShown,
  type Shown,
} from './secret-store.ts'
import { withinLimit } from '../../platform/lib/time-limit.ts'
import type { Plan } from './plan.ts'

interface Credentials {
  email: string
  password: string
}

export interface Made {
  email: string
  /** Absent if the person chose it. */
  password?: string
  key: string
}

const FIRST_OWNER = 'owner@example.com'
const LIMIT = 10_000

/** The first owner and API key of a database, shown once. Until then, their password is among the secrets. */
export class FirstAccess {
  /** Undefined on the first start. */
  readonly shown: Shown | undefined
  private readonly credentials: Credentials | undefined
  private readonly generated: boolean
  private readonly folder: string
  private readonly database: string

  constructor({ folder, config, ownDatabase }: Plan, fresh: boolean) {
    this.folder = folder
    this.database = databaseName(ownDatabase ? config.DATABASE_URL : undefined)
    if (fresh) writeShown(folder, this.database, undefined)
    this.shown = readShown(folder, this.database)
    const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = config
    this.generated = !password
    if (this.shown) return
    this.credentials = { email: email ?? FIRST_OWNER, password: password ?? this.newPassword() }
  }

  private newPassword(): string {
    const secrets = storedSecrets(this.folder)
    const ownerPassword = secrets.ownerPassword ?? readablePassword()
    writeSecrets(this.folder, { ...secrets, ownerPassword })
    return ownerPassword
  }

  /** The configuration with which the API makes the owner if the database has no person. */
  bootstrap(): Partial<Config> {
    if (!this.credentials) return {}
    return { BOOTSTRAP_ADMIN_EMAIL: this.credentials.email, BOOTSTRAP_ADMIN_PASSWORD: this.credentials.password }
  }

  /** Makes the key; undefined if it was made before, or if the database has other people. */
  async make(apiUrl: string, signal: AbortSignal): Promise<Made | undefined> {
    if (!this.credentials) return undefined
    const { email, password } = this.credentials
    const key = await makeFirstKey(apiUrl, this.credentials, signal)
    return key ? { email, key, ...(this.generated && { password }) } : undefined
  }

  /** Call it when everything was shown. */
  remember(made: Made | undefined): void {
    // If a given password was wrong, the next start tries again.
    if (this.shown || (!made && !this.generated)) return
    const at = new Date().toISOString().slice(0, 10)
    const owner = made && { owner: made.email, ...(!made.password && { passwordGiven: true as const }) }
    writeShown(this.folder, this.database, { at, ...owner })
    const { ownerPassword: _, ...secrets } = storedSecrets(this.folder)
    writeSecrets(this.folder, secrets)
  }
}

async function makeFirstKey(apiUrl: string, person: Credentials, signal: AbortSignal): Promise<string | undefined> {
  const post = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
    fetch(`${apiUrl}${path}`, {
      method: 'POST',
      // Required for changes with a cookie.
      headers: { ...(body && { 'Content-Type': 'application/json' }), 'Sec-Fetch-Site': 'same-origin', ...headers },
      body: body && JSON.stringify(body),
      signal: withinLimit(LIMIT, signal),
    })

  const login = await post('/v1/auth/login', person)
  if (login.status === 401) return undefined
  if (!login.ok) throw new Error(`The first log-in was answered with ${login.status}.`)
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const Cookie = cookies.join('; ')
  const answer = await post('/v1/api-keys', { name: 'First key' }, { Cookie })
  if (answer.status !== 201) throw new Error(`Making the first API key was answered with ${answer.status}.`)
  const { key } = (await answer.json()) as { key: string }
  await post('/v1/auth/logout', undefined, { Cookie }).catch(() => {})
  return key
}
