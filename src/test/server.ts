import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startApi } from '../app/commands/api.ts'
import { parseConfig, type Config } from '../platform/config/config.ts'
import type { Core } from '../platform/core.ts'
import { connectDatabase, poolOf } from '../platform/db/db.ts'
import type { Queue } from '../platform/queue/queue.ts'
import { generateSecret, sha256 } from '../platform/lib/crypto.ts'
import { generateId } from '../platform/lib/ids.ts'
import { createLogger } from '../platform/lib/log.ts'
import { createFirstOwner } from '../people/people/service.ts'
import { seedRuleSets } from '../check/rule-sets/seed.ts'
import { Client } from './client.ts'

/** The servers that scripts/test.mjs started for the whole suite. */
function requireEnvironment(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`)
  return value
}

/** The environment of an app before any API runs: a database, a folder and queue names of its own. */
export interface TestDatabase {
  config: Config
  db: pg.Pool
  /** A valid API key. */
  key: string
  remove(): Promise<void>
}

/** An app for one test file: its database, and an API in this process. */
export interface TestApp {
  config: Config
  db: pg.Pool
  /** Base address of the API. */
  url: string
  /** The address of its metrics. */
  metricsUrl: string
  /** Ida, the integration: calls with an API key. */
  ida: Client
  /** Olga, the owner: calls with a session cookie, with the headers of our pages. */
  olga: Client
  /** Nobody: calls without credentials. */
  nobody: Client
  /** Restarts the API on the same data (the addresses change). */
  restart(overrides?: Partial<Config>): Promise<void>
  stop(): Promise<void>
}

export const OWNER_CREDENTIALS = { email: 'olga@example.com', password: 'correct horse battery' }

/**
 * Creates a fresh copy of the migrated database, and a folder. Calls are not checked by default: without the dictionaries, a
 * process starts in three quarters of the time.
 */
export async function createTestDatabase(overrides: Partial<Config> = {}, template?: string): Promise<TestDatabase> {
  const database = await createDatabase(template)
  const folder = await mkdtemp(join(tmpdir(), 'svc-app-'))
  const db = new pg.Pool({ connectionString: database.url, max: 4 })
  db.on('error', () => undefined)
  // A connection that is still closing when its database is dropped must not end the tests.
  db.on('connect', (client) => void client.on('error', () => undefined))
  const key = `svc_${generateSecret()}`
  await db.query('INSERT INTO api_keys (id, name, prefix, key_hash) VALUES ($1, $2, $3, $4)', [
    generateId(),
    'Ida',
    key.slice(0, 10),
    sha256(key),
  ])
  return {
    config: makeTestConfig(database.url, folder, { ANALYSIS_PROVIDER: 'none', ...overrides }),
    db,
    key,
    async remove() {
      await db.end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The options of an app besides its configuration. */
export interface TestAppOptions {
  /** Its queues, instead of the product's. */
  queues?: readonly Queue[]
  /** SQL that runs before its API starts. */
  prepare?: string
  /** Whether automatic checking is on; true by default. */
  automatic?: boolean
}

/** Switches automatic checking on: on a new installation it is off. */
async function enableChecks(db: pg.Pool): Promise<void> {
  await db.query(`INSERT INTO settings (name, value) VALUES ('analysis', '{"agentChannel": {"default": 0}, "automatic": true}')
                  ON CONFLICT (name) DO NOTHING`)
}

let startedTemplate: Promise<string> | undefined

/** A template with the data of the API's first start: made once in a process, because it takes half of a start. */
function createStartedTemplate(): Promise<string> {
  return (startedTemplate ??= createDatabase().then(async ({ url }) => {
    const db = await connectDatabase(url, {})
    const log = createLogger('silent', 'test')
    const core = { config: makeTestConfig(url, tmpdir(), {}), db, pool: poolOf(db), log } as Core
    await seedRuleSets(core)
    await createFirstOwner(core)
    await db.destroy()
    return new URL(url).pathname.slice(1)
  }))
}

/** Starts an API in this process on a database of its own. */
export async function startTestApp(
  overrides: Partial<Config> = {},
  { queues, prepare = '', automatic = true }: TestAppOptions = {},
): Promise<TestApp> {
  const isOrdinary = prepare === '' && !Object.keys(overrides).some((name) => /^(BOOTSTRAP_|ANALYSIS_SEED_)/.test(name))
  const template = isOrdinary ? await createStartedTemplate() : undefined
  const database = await createTestDatabase({ ANALYSIS_PROVIDER: 'rules', ...overrides }, template)
  const { config, db, key } = database
  await db.query(prepare)
  if (automatic) await enableChecks(db)
  let api = await startApi(config, createLogger(config.LOG_LEVEL, 'test'), queues)
  const updateAddresses = () => {
    app.url = `http://127.0.0.1:${api.port}`
    app.metricsUrl = `http://127.0.0.1:${api.metricsPort}/metrics`
  }
  const app: TestApp = {
    config,
    db,
    url: '',
    metricsUrl: '',
    ida: new Client(() => app.url, { 'X-API-Key': key }),
    olga: new Client(() => app.url, {}),
    nobody: new Client(() => app.url, {}),
    async restart(changes = {}) {
      await api.stop()
      Object.assign(config, changes)
      api = await startApi(config, createLogger(config.LOG_LEVEL, 'test'), queues)
      updateAddresses()
    },
    async stop() {
      await api.stop()
      await database.remove()
    },
  }
  updateAddresses()
  if (config.API_RUN_MODE !== 'worker') await logIn(app.olga)
  return app
}

/** Queues many calls quickly without the API. The audio and the callback path of each are its id. */
export async function insertRecordings(
  { db, config }: Pick<TestApp, 'db' | 'config'>,
  count: number,
  callbackBase?: string,
): Promise<string[]> {
  const ids = Array.from({ length: count }, generateId)
  await mkdir(join(config.audioDir, 'inserted'), { recursive: true })
  await Promise.all(ids.map((id) => writeFile(join(config.audioDir, 'inserted', id), id)))
  await db.query(
    `INSERT INTO recordings (id, source, storage_key, size_bytes, callback_url)
     SELECT id, 'upload', 'inserted/' || id, 36, $2 || '/' || id FROM unnest($1::uuid[]) AS id`,
    [ids, callbackBase ?? null],
  )
  return ids
}

/** Logs Olga in and keeps her cookie, and the header that our pages send with it. */
async function logIn(client: Client): Promise<void> {
  const response = await client.post('/v1/auth/login', OWNER_CREDENTIALS)
  client.headers.Cookie = response.headers.get('set-cookie')!.split(';')[0]!
  client.headers['Sec-Fetch-Site'] = 'same-origin'
}

/** The configuration of a test app: defaults, except values that separate test apps. */
export function makeTestConfig(databaseUrl: string, folder: string, overrides: Partial<Config>): Config {
  return parseConfig(
    'api',
    {},
    {
      DATABASE_URL: databaseUrl,
      REDIS_URL: requireEnvironment('TEST_REDIS_URL'),
      QUEUE_PREFIX: `test-${randomUUID()}`,
      ASR_API_KEY: process.env.TEST_ASR_API_KEY ?? 'none',
      SESSION_SECRET: generateSecret(),
      BOOTSTRAP_ADMIN_EMAIL: OWNER_CREDENTIALS.email,
      BOOTSTRAP_ADMIN_PASSWORD: OWNER_CREDENTIALS.password,
      COOKIE_SECURE: false,
      TRUSTED_PROXY_HOPS: 0,
      LOG_LEVEL: 'silent',
      host: '127.0.0.1',
      apiPort: 0,
      metricsPort: 0,
      jobGraceSeconds: 0, // what a test leaves running holds nobody up
      asrUrl: process.env.TEST_ASR_URL ?? 'http://127.0.0.1:9',
      audioDir: join(folder, 'audio'),
      ...overrides,
    },
  )
}

/** A separate database, copied from the migrated template (or empty). */
export async function createDatabase(template = 'svc_template'): Promise<{ url: string; drop(): Promise<void> }> {
  const server = requireEnvironment('TEST_DATABASE_URL')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await runAdminStatement(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runAdminStatement(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A template with other connections cannot be copied, so parallel test files wait for each other. */
async function runAdminStatement(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock(1)')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
