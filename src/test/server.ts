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
import { TestClient } from './client.ts'

/** scripts/test.mjs sets these variables to the URLs of the servers that all tests share. */
function requireEnvironment(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test`)
  return value
}

/** A database, a folder and queue names for one test file, without an API. */
export interface TestDatabase {
  config: Config
  db: pg.Pool
  key: string
  remove(): Promise<void>
}

/** A database and an API in this process, for one test file. */
export interface TestApp {
  config: Config
  db: pg.Pool
  /** The base URL of the API. It changes after a restart. */
  url: string
  /** The URL of the metrics. It changes after a restart. */
  metricsUrl: string
  /** Ida, the integration, who uses an API key. */
  ida: TestClient
  /** Olga, the owner, who uses a session cookie and the headers of the panel's pages. */
  olga: TestClient
  /** A client without credentials. */
  nobody: TestClient
  /** Restarts the API on the same data. Its addresses change. */
  restart(overrides?: Partial<Config>): Promise<void>
  stop(): Promise<void>
}

export const OWNER_CREDENTIALS = { email: 'olga@example.com', password: 'correct horse battery' }

/**
 * Creates a copy of the migrated database and a folder.
 * By default, calls are not checked, because a process starts faster without the dictionaries.
 */
export async function createTestDatabase(overrides: Partial<Config> = {}, template?: string): Promise<TestDatabase> {
  const database = await createDatabaseFromTemplate(template)
  const folder = await mkdtemp(join(tmpdir(), 'svc-app-'))
  const db = new pg.Pool({ connectionString: database.url, max: 4 })
  db.on('error', () => undefined)
  // The connection can still be closing when the database is dropped, so its error is ignored.
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

/** Options of a test app in addition to its configuration. */
export interface TestAppOptions {
  /** The queues of the API; by default those of the product. */
  queues?: readonly Queue[]
  /** SQL that runs before the API starts. */
  prepare?: string
  /** False disables the automatic check of new calls. */
  automatic?: boolean
}

/** Enables automatic checks, which are off in a new installation. */
async function enableChecks(db: pg.Pool): Promise<void> {
  await db.query(`INSERT INTO settings (name, value) VALUES ('analysis', '{"agentChannel": {"default": 0}, "automatic": true}')
                  ON CONFLICT (name) DO NOTHING`)
}

let startedTemplate: Promise<string> | undefined

/** Creates a template with the data of a first start, so that further starts are faster. Each process creates it once. */
function createStartedTemplate(): Promise<string> {
  return (startedTemplate ??= createDatabaseFromTemplate().then(async ({ url }) => {
    const db = await connectDatabase(url, {})
    const log = createLogger('silent', 'test')
    const core = { config: makeTestConfig(url, tmpdir(), {}), db, pool: poolOf(db), log } as Core
    await seedRuleSets(core)
    await createFirstOwner(core)
    await db.destroy()
    return new URL(url).pathname.slice(1)
  }))
}

/** Starts an API in this process with a new database. */
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
    ida: new TestClient(() => app.url, { 'X-API-Key': key }),
    olga: new TestClient(() => app.url, {}),
    nobody: new TestClient(() => app.url, {}),
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

/** Queues many calls without the API. The content of each audio file is the id of its call, and so is the path of its callback. */
export async function insertQueuedRecordings(
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

/** Logs Olga in. The client then sends her session cookie and the header of the panel's pages. */
async function logIn(client: TestClient): Promise<void> {
  const response = await client.post('/v1/auth/login', OWNER_CREDENTIALS)
  client.headers.Cookie = response.headers.get('set-cookie')!.split(';')[0]!
  client.headers['Sec-Fetch-Site'] = 'same-origin'
}

/**
 * Creates the configuration of a test app with default values. Database, folder and queue names separate it from other test apps.
 */
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
      jobGraceSeconds: 0, // a stop does not wait for jobs that a test leaves running
      asrUrl: process.env.TEST_ASR_URL ?? 'http://127.0.0.1:9',
      audioDir: join(folder, 'audio'),
      ...overrides,
    },
  )
}

/**
 * Creates a database as a copy of a template, by default of the migrated one.
 * @returns its URL and a function that drops it
 */
export async function createDatabaseFromTemplate(
  template = 'svc_template',
): Promise<{ url: string; drop(): Promise<void> }> {
  const server = requireEnvironment('TEST_DATABASE_URL')
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await runAdminStatement(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runAdminStatement(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** Postgres cannot copy a template that has other connections, so parallel test files wait for each other. */
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
