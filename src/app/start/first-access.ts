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

/** Name and password of the first owner. */
interface Credentials {
  email: string
  password: string
}

/** What this start has made; later starts have nothing of it. */
export interface Made {
  email: string
  /** Absent where the person chose it. */
  password?: string
  key: string
}

const FIRST_OWNER = 'owner@example.com'
const LIMIT = 10_000

/**
 * The first owner and the first API key: made once for each database, shown once, remembered as shown. Until then the
 * generated password is kept beside the other secrets, so that a start that is killed before does not lose it.
 */
export class FirstAccess {
  /** What was shown before; undefined on the first start. */
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

  /** The configuration with which the API makes the owner, if the database has no person yet. */
  bootstrap(): Partial<Config> {
    if (!this.credentials) return {}
    return { BOOTSTRAP_ADMIN_EMAIL: this.credentials.email, BOOTSTRAP_ADMIN_PASSWORD: this.credentials.password }
  }

  /** Makes the key; nothing where it was made before, or where the database had people of its own. */
  async make(apiUrl: string, signal: AbortSignal): Promise<Made | undefined> {
    if (!this.credentials) return undefined
    const { email, password } = this.credentials
    const key = await makeFirstKey(apiUrl, this.credentials, signal)
    return key ? { email, key, ...(this.generated && { password }) } : undefined
  }

  /** To be called when everything has been shown. */
  remember(made: Made | undefined): void {
    // A password of the user's own that did not fit may be a mistake: the next start tries again.
    if (this.shown || (!made && !this.generated)) return
    const at = new Date().toISOString().slice(0, 10)
    const owner = made && { owner: made.email, ...(!made.password && { passwordGiven: true as const }) }
    writeShown(this.folder, this.database, { at, ...owner })
    const { ownerPassword: _, ...secrets } = storedSecrets(this.folder)
    writeSecrets(this.folder, secrets)
  }
}

/** Logs in as a person and makes an API key, over HTTP like any client; undefined where nobody can log in so. */
async function makeFirstKey(apiUrl: string, person: Credentials, signal: AbortSignal): Promise<string | undefined> {
  const post = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
    fetch(`${apiUrl}${path}`, {
      method: 'POST',
      // What changes something with a cookie must say that it comes from our own pages.
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
  // The session has done its work; an error here would help nobody.
  await post('/v1/auth/logout', undefined, { Cookie }).catch(() => {})
  return key
}
