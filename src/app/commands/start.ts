import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { waitForStaleProcess, until } from '../embedded/process.ts'
import { LineOutput } from '../../platform/lib/output.ts'
import { lockFolder, requireFreePorts } from '../start/lock.ts'
import { FirstAccess } from '../start/first-access.ts'
import { retryWhileFull } from '../start/full-disk.ts'
import { storedSecrets } from '../start/secret-store.ts'
import { beginLogs, boundLogs } from '../start/logs.ts'
import { Parts, type PartName } from '../start/parts.ts'
import { makeFolders, makePlan, withSecrets, type Plan } from '../start/plan.ts'
import { say, seconds, timed } from '../start/progress.ts'
import { report } from '../start/report.ts'
import { API_STOP_LIMIT, lastMessage, launchPart, migrate, startDatabase, startStore } from '../start/run-parts.ts'
import { watchForStop } from '../start/signals.ts'
import { findDownParts } from '../start/readiness.ts'
import { writeUsedDatabase } from '../start/used-database.ts'

const READY_LIMIT = 60_000
/** On its first start the recognizer can fetch several GB. */
const FETCH_LIMIT = 24 * 3600_000

export async function run(overrides: Partial<Config>): Promise<number> {
  const began = performance.now()
  const from = callersFolder()
  // The terminal can be gone before we are.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const stop = watchForStop()
  const plan = makePlan(process.env, overrides)
  process.chdir(plan.project)
  const giveUp = new AbortController()
  const parts = new Parts(plan.folder, giveUp.signal)
  let up: Promise<void> | undefined
  let endBounding: (() => void) | undefined
  try {
    makeFolders(plan)
    await lockFolder(plan.folder)
    await waitForLastRun(plan)
    await requireFreePorts(plan.config)
    beginLogs(join(plan.folder, 'logs'))
    endBounding = boundLogs(join(plan.folder, 'logs'))
    up = bringUp(plan, parts, giveUp.signal, { from, began })
    const reason = await Promise.race([stop.asked, parts.crashed, up.then(() => stop.asked)])
    say(`\nstopping (${reason})`)
    return 0
  } catch (error) {
    new LineOutput(2).write(`\n${(error as Error).message}\n`)
    return 1
  } finally {
    endBounding?.()
    giveUp.abort(new Error('told to stop'))
    // A part that was starting is stopped by the second call.
    await Promise.all([parts.stopAll(stop.hurried), up?.catch(() => {})])
    await parts.stopAll(stop.hurried)
  }
}

/** npm changes to the folder of the project, and passes the caller's folder in a variable. */
function callersFolder(): string {
  const { INIT_CWD, npm_lifecycle_event: script } = process.env
  return (script === 'start' && INIT_CWD) || process.cwd()
}

/** After a kill -9 of `start`, its children can still be running. */
async function waitForLastRun({ folder, bundle }: Plan): Promise<void> {
  for (const name of readdirSync(join(folder, 'run'))) {
    await waitForStaleProcess(join(folder, 'run', name), bundle, undefined, API_STOP_LIMIT)
  }
}

async function bringUp(
  bare: Plan,
  parts: Parts,
  signal: AbortSignal,
  { from, began }: { from: string; began: number },
): Promise<void> {
  const onDisk = <T>(work: () => T | Promise<T>) => retryWhileFull(bare.folder, signal, work)
  const plan = withSecrets(bare, await onDisk(() => storedSecrets(bare.folder)))
  await onDisk(() => writeUsedDatabase(plan.folder, plan.config.DATABASE_URL))
  const launch = (command: string, name: PartName, config: Config) =>
    launchPart(plan, parts, signal, { command, name, config })
  // The recognizer needs no database, and loading its model takes the longest.
  const awaitRecognizer = launch('asr', 'recognizer', withMetricsPort(plan.config, 1))
  const servers = [startStore(plan, parts, signal), startDatabase(plan, parts, signal)] as const
  await Promise.allSettled(servers) // so that after an error nothing starts any more
  const [redisUrl, database] = await Promise.all(servers)
  const config: Config = { ...plan.config, DATABASE_URL: database.url, REDIS_URL: redisUrl }
  await timed('database migrated', () => migrate(plan, config, signal))

  const access = await onDisk(() => new FirstAccess(plan, database.fresh))
  const apiReady = launch('api', 'API', { ...config, ...access.bootstrap() })
  await apiReady({ url: `${config.apiUrl}/readyz`, limit: READY_LIMIT, isReady: hasItsStores })
  const panelReady = launch('dashboard', 'panel', withMetricsPort(config, 2))
  const loginPage = `http://${config.host}:${config.panelPort}/login`
  await panelReady({ url: loginPage, limit: READY_LIMIT, isReady: ({ status }) => status === 200 })
  const made = await onDisk(() => access.make(config.apiUrl, signal))

  const recognizerReady = awaitRecognizer({ url: `${config.asrUrl}/readyz`, limit: FETCH_LIMIT })
  const fetching = await readyOrFetching(recognizerReady, plan.logFile('asr'), signal)
  const down = await findDownParts(config, plan.logFile('api'), fetching, signal)
  for (const { part, reason } of down) say(`ready but for the ${part}: ${reason}`)
  if (down.length === 0) say(`everything ready (${seconds(began)})`)
  say(report(plan, from, made, access.shown))
  await onDisk(() => access.remember(made))
  await recognizerReady
}

/** The API has its metrics on the configured port, the other parts on the ports after it. */
const withMetricsPort = (config: Config, offset: number): Config => ({
  ...config,
  metricsPort: config.metricsPort && config.metricsPort + offset,
})

async function hasItsStores(answer: Response): Promise<boolean> {
  const { database, redis } = (await answer.json()) as { database?: string; redis?: string }
  return database === 'up' && redis === 'up'
}

/** Waits until the recognizer is ready, or fetches its model, which can take hours: then returns its last message. */
async function readyOrFetching(
  ready: Promise<void>,
  logFile: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const end = new AbortController()
  let words: string | undefined
  const fetching = until('no model is fetched', FETCH_LIMIT, AbortSignal.any([signal, end.signal]), () => {
    words = lastMessage(logFile)
    return /^fetching |Trying again in \d+ s\.$/.test(words ?? '')
  })
  try {
    return await Promise.race([ready.then(() => undefined), fetching.then(() => words)])
  } finally {
    end.abort()
    fetching.catch(() => undefined)
  }
}
