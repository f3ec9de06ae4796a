/**
 * npm test [-- WORD]: sets everything up, checks types and style, builds, and runs the tests. They use a Postgres, a Redis and
 * a recognizer of their own. WORD runs only the test files with it in their path.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { runTests } from './run-tests.mjs'
import { SetupError, project, runToEnd, setUp, step } from './setup.mjs'

const OUT = 'dist-test'
const bundle = join(project, OUT, 'svc.js')
const START_LIMIT = 60_000
const STOP_LIMIT = 20_000
const MEMORY = '/dev/shm'
const PLENTY = 8 * 1024 ** 3
/** The slowest tests begin first: at the end they would leave the processor idle. */
const FIRST = [
  'check/model/killed.',
  'test/processes.',
  'panel/accessibility.',
  'test/outages.',
  'calls/recordings/from-storage.',
  'calls/transcription/',
  'platform/queue/clock.',
  'crm/history/history.',
  'platform/storage/ownership.',
  'recognizer/',
]

await main(process.argv.slice(2))

async function main(words) {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort(signal))
  const started = []
  const counts = { passed: 0, failed: 0, skipped: 0 }
  try {
    await setUp({ build: false, tests: true, browser: true, pooler: true })
    await check(words, started, counts, stopping.signal)
  } catch (error) {
    counts.failed++
    if (!stopping.signal.aborted) console.error(error instanceof SetupError ? error.message : error)
  }
  for (const { stop } of started.toReversed()) await stop(['SIGTERM', STOP_LIMIT])
  if (stopping.signal.aborted) console.log(`stopped by ${stopping.signal.reason}`)
  const { passed, failed, skipped } = counts
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  process.exit(failed === 0 ? 0 : 1)
}

/** Runs everything and adds passed and failed tests to `counts`; a failed check counts like a failed test. */
async function check(words, started, counts, signal) {
  const style = inspections()
  try {
    await buildAndTest(words, started, counts, signal, style)
  } finally {
    await style
  }
}

async function buildAndTest(words, started, counts, signal, style) {
  await step('building', () => runToSuccess(process.execPath, ['build.mjs', '--tests', `--out=${OUT}`]))
  const files = testFiles(words)
  if (files.length === 0) throw new SetupError(`no test file has ${words.join(' or ')} in its path`)
  signal.throwIfAborted()
  const env = await step('starting Postgres, Redis and recognizer', () => startServers(started, signal))
  const results = await runTests(files, { ...plainEnvironment(), ...env }, signal)
  for (const name of Object.keys(counts)) counts[name] += results[name] ?? 0
  const failures = (await step('checking types and style', () => style)).filter(({ code }) => code !== 0)
  counts.failed += failures.length
  for (const { name, output } of failures) console.error(`\n${name} failed:\n${output.trim()}\n`)
}

/** Checks types and style in parallel to the tests, which often wait, and shows the results at the end. */
function inspections() {
  const commands = { 'npm run types': ['run', '--silent', 'types'], 'npm run lint': ['run', '--silent', 'lint'] }
  return Promise.all(Object.entries(commands).map(async ([name, args]) => ({ name, ...(await runToEnd('npm', args)) })))
}

async function runToSuccess(program, args) {
  const { code, output } = await runToEnd(program, args)
  if (code !== 0) throw new SetupError(`\n${output.trim()}`)
}

function testFiles(words) {
  const folder = join(OUT, 'test')
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => file.endsWith('.test.mjs'))
    .filter((file) => words.length === 0 || words.some((word) => relative(folder, file).includes(word)))
    .sort()
    .sort((a, b) => rankOf(relative(folder, a)) - rankOf(relative(folder, b)))
    .map((file) => resolve(file))
}

function rankOf(file) {
  const rank = FIRST.findIndex((beginning) => file.startsWith(beginning))
  return rank === -1 ? FIRST.length : rank
}

/** Starts the servers that tests need; returns the environment with their addresses. */
async function startServers(started, signal) {
  const { onFreePort, runCommand, startCommand, startPostgres, startRedis } = await import(
    join(project, OUT, 'embedded.js')
  )
  const folder = mkdtempSync(join(quickFolder(), 'svc-test-'))
  started.push({ stop: () => rmSync(folder, { recursive: true, force: true }) })
  chmodSync(folder, 0o711) // As root, Postgres runs as another user, who needs access.
  const keep = async (starting) => {
    const server = await starting
    started.push(server)
    return server
  }
  const command = (name, overrides) => ({
    bundle,
    command: name,
    overrides,
    logFile: join(folder, `${name}.log`),
    env: plainEnvironment(),
    signal,
  })

  const asr = {
    host: '127.0.0.1',
    metricsPort: 0,
    modelsDir: join(folder, 'models'),
    ASR_MODEL: 'moonshine-tiny-en',
    ASR_API_KEY: randomBytes(24).toString('base64url'),
  }
  let asrUrl
  const recognizer = (asrPort) => {
    asrUrl = `http://127.0.0.1:${asrPort}`
    return startCommand(command('asr', { ...asr, asrPort }), { url: `${asrUrl}/readyz`, limit: START_LIMIT })
  }
  mkdirSync(asr.modelsDir)
  const migrated = async () => {
    const { url } = await keep(
      startPostgres({ folder: join(folder, 'postgres'), durable: false, maxConnections: 300, signal }),
    )
    await runCommand(command('migrate', { DATABASE_URL: await makeTemplate(url) }), START_LIMIT)
    return url
  }
  // Wait for all of them before throwing: each has added its processes to the list by then.
  const [postgresUrl, redis] = await allOrError([
    migrated(),
    keep(startRedis({ folder: join(folder, 'redis'), signal })),
    keep(onFreePort(recognizer)),
  ])
  return {
    TEST_DATABASE_URL: postgresUrl,
    TEST_REDIS_URL: redis.url,
    TEST_ASR_URL: asrUrl,
    TEST_ASR_API_KEY: asr.ASR_API_KEY,
    SVC_TEST_BUNDLE: bundle,
  }
}

/**
 * Memory, if there is enough: each test app copies a database of 700 files, which takes three times the processor time on a
 * disk.
 */
function quickFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (Math.min(bavail * bsize, freemem()) >= PLENTY) return MEMORY
  } catch {
    // This machine has none.
  }
  return tmpdir()
}

/** The only migrated database; every test copies it. */
async function makeTemplate(serverUrl) {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query('CREATE DATABASE svc_template')
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = '/svc_template'
  return url.href
}

async function allOrError(promises) {
  const results = await Promise.allSettled(promises)
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed) throw new SetupError(failed.reason.message)
  return results.map(({ value }) => value)
}

/** The environment without the product's variables: the tests' results must not depend on the machine. */
function plainEnvironment() {
  const names =
    /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TERM|CI|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|CHROME_PATH|TEST_.*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)))
}
