/**
 * npm test [-- WORD]: sets everything up, checks types and style, builds, and runs the tests. The tests use a Postgres, a Redis
 * and a recognizer of their own. WORD runs only the test files with it in their path.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { runTests } from './run-tests.mjs'
import { SetupError, projectFolder, runProgram, setUp, runStep } from './setup.mjs'

const OUT_FOLDER = 'dist-test'
const bundle = join(projectFolder, OUT_FOLDER, 'svc.js')
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 20_000
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_MEMORY_BYTES = 8 * 1024 ** 3
/** Beginnings of the paths of slow files, which start first. At the end, they would leave processors idle. */
const SLOWEST_TESTS = [
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
    await runChecks(words, started, counts, stopping.signal)
  } catch (error) {
    counts.failed++
    if (!stopping.signal.aborted) console.error(error instanceof SetupError ? error.message : error)
  }
  for (const { stop } of started.toReversed()) await stop(['SIGTERM', STOP_LIMIT_MS])
  if (stopping.signal.aborted) console.log(`stopped by ${stopping.signal.reason}`)
  const { passed, failed, skipped } = counts
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  process.exit(failed === 0 ? 0 : 1)
}

/** Builds, runs checks and tests, and adds the results to `counts`. A failed check counts like a failed test. */
async function runChecks(words, started, counts, signal) {
  const styleResults = checkTypesAndStyle()
  try {
    await buildAndRunTests(words, started, counts, signal, styleResults)
  } finally {
    await styleResults
  }
}

async function buildAndRunTests(words, started, counts, signal, styleResults) {
  await runStep('building', () => runOrFail(process.execPath, ['build.mjs', '--tests', `--out=${OUT_FOLDER}`]))
  const files = listTestFiles(words)
  if (files.length === 0) throw new SetupError(`no test file has ${words.join(' or ')} in its path`)
  signal.throwIfAborted()
  const env = await runStep('starting Postgres, Redis and recognizer', () => startServers(started, signal))
  const results = await runTests(files, { ...filterEnvironment(), ...env }, signal)
  for (const name of Object.keys(counts)) counts[name] += results[name] ?? 0
  const failures = (await runStep('checking types and style', () => styleResults)).filter(({ code }) => code !== 0)
  counts.failed += failures.length
  for (const { name, output } of failures) console.error(`\n${name} failed:\n${output.trim()}\n`)
}

/** Checks types and style in parallel to the tests, which often wait, and shows the results at the end. */
function checkTypesAndStyle() {
  const commands = { 'npm run types': ['run', '--silent', 'types'], 'npm run lint': ['run', '--silent', 'lint'] }
  return Promise.all(
    Object.entries(commands).map(async ([name, args]) => ({ name, ...(await runProgram('npm', args)) })),
  )
}

async function runOrFail(program, args) {
  const { code, output } = await runProgram(program, args)
  if (code !== 0) throw new SetupError(`\n${output.trim()}`)
}

function listTestFiles(words) {
  const folder = join(OUT_FOLDER, 'test')
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => file.endsWith('.test.mjs'))
    .filter((file) => words.length === 0 || words.some((word) => relative(folder, file).includes(word)))
    .sort()
    .sort((a, b) => findRank(relative(folder, a)) - findRank(relative(folder, b)))
    .map((file) => resolve(file))
}

function findRank(file) {
  const rank = SLOWEST_TESTS.findIndex((beginning) => file.startsWith(beginning))
  return rank === -1 ? SLOWEST_TESTS.length : rank
}

/** Starts the servers that tests need. @returns the environment variables with their addresses */
async function startServers(started, signal) {
  const { startOnFreePort, runCommand, startCommand, startPostgres, startRedis } = await import(
    join(projectFolder, OUT_FOLDER, 'embedded.js')
  )
  const folder = mkdtempSync(join(findFastFolder(), 'svc-test-'))
  started.push({ stop: () => rmSync(folder, { recursive: true, force: true }) })
  chmodSync(folder, 0o711) // As root, Postgres runs as another user, who needs access.
  const startAndRecord = async (starting) => {
    const server = await starting
    started.push(server)
    return server
  }
  const makeCommand = (name, overrides) => ({
    bundle,
    command: name,
    overrides,
    logFile: join(folder, `${name}.log`),
    env: filterEnvironment(),
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
  const startRecognizer = (asrPort) => {
    asrUrl = `http://127.0.0.1:${asrPort}`
    return startCommand(makeCommand('asr', { ...asr, asrPort }), { url: `${asrUrl}/readyz`, limit: START_LIMIT_MS })
  }
  mkdirSync(asr.modelsDir)
  const startDatabase = async () => {
    const { url } = await startAndRecord(
      startPostgres({ folder: join(folder, 'postgres'), durable: false, maxConnections: 300, signal }),
    )
    await runCommand(makeCommand('migrate', { DATABASE_URL: await createTemplate(url) }), START_LIMIT_MS)
    return url
  }
  // Wait for all of them before throwing, so that `started` has every process.
  const [postgresUrl, redis] = await waitForAll([
    startDatabase(),
    startAndRecord(startRedis({ folder: join(folder, 'redis'), signal })),
    startAndRecord(startOnFreePort(startRecognizer)),
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
 * Returns a folder in memory if there is enough. Each test app copies a database of 700 files, which takes three times the
 * processor time on a disk.
 */
function findFastFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    if (Math.min(bavail * bsize, freemem()) >= MIN_FREE_MEMORY_BYTES) return MEMORY_FOLDER
  } catch {
    // This machine has none.
  }
  return tmpdir()
}

/** Creates the database that `migrate` migrates once and every test copies. @returns its URL */
async function createTemplate(serverUrl) {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query('CREATE DATABASE svc_template')
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = '/svc_template'
  return url.href
}

async function waitForAll(promises) {
  const results = await Promise.allSettled(promises)
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed) throw new SetupError(failed.reason.message)
  return results.map(({ value }) => value)
}

/** Returns the environment without the variables of the product, so that results do not depend on the machine. */
function filterEnvironment() {
  const names =
    /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TERM|CI|NODE_OPTIONS|NO_COLOR|FORCE_COLOR|CHROME_PATH|TEST_.*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)))
}
