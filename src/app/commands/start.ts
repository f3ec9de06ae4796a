import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { waitForStaleProcessEnd, pollUntil } from '../embedded/process.ts'
import { LineOutput } from '../../platform/lib/line-output.ts'
import { lockInstallationFolder, requireFreePorts } from '../start/lock.ts'
import { FirstAccessSetup } from '../start/first-credentials.ts'
import { retryWhileDiskFull } from '../start/full-disk.ts'
import { loadOrCreateInstallationSecrets } from '../start/secret-store.ts'
import { rotateAllLogs, startLogRotation } from '../start/log-rotation.ts'
import { ServicePartSupervisor, type ServicePartName } from '../start/part-supervisor.ts'
import { createInstallationFolders, createStartPlan, addSecretsToStartPlan, type StartPlan } from '../start/plan.ts'
import { printTerminalLine, formatSecondsSince, runAndPrintDuration } from '../start/progress.ts'
import { formatStartReport } from '../start/report.ts'
import {
  API_STOP_LIMIT_MS,
  readLastLogMessage,
  launchServicePart,
  runMigrateCommand,
  startDatabase,
  startRedisServer,
} from '../start/launch-parts.ts'
import { watchStopSignals } from '../start/signals.ts'
import { fetchUnreadyParts } from '../start/readiness.ts'
import { writeLastStartDatabase } from '../start/last-start-database.ts'

const READY_LIMIT_MS = 60_000
/** The download of a model with several GB can take hours on a slow line. */
const FETCH_LIMIT_MS = 24 * 3600_000

/**
 * Starts all parts on this machine and waits for a stop request or a crash.
 * @returns the exit code
 */
export async function run(overrides: Partial<Config>): Promise<number> {
  const began = performance.now()
  const from = findCallerFolder()
  // The terminal can close before this process ends, so write errors are ignored.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const stopRequest = watchStopSignals()
  const plan = createStartPlan(process.env, overrides)
  process.chdir(plan.project)
  const giveUp = new AbortController()
  const parts = new ServicePartSupervisor(plan.folder, giveUp.signal)
  let startup: Promise<void> | undefined
  let stopLogRotation: (() => void) | undefined
  try {
    createInstallationFolders(plan)
    await lockInstallationFolder(plan.folder)
    await waitForPreviousRun(plan)
    await requireFreePorts(plan.config)
    rotateAllLogs(join(plan.folder, 'logs'))
    stopLogRotation = startLogRotation(join(plan.folder, 'logs'))
    startup = startParts(plan, parts, giveUp.signal, { from, began })
    const reason = await Promise.race([stopRequest.requested, parts.crashed, startup.then(() => stopRequest.requested)])
    printTerminalLine(`\nstopping (${reason})`)
    return 0
  } catch (error) {
    new LineOutput(2).write(`\n${(error as Error).message}\n`)
    return 1
  } finally {
    stopLogRotation?.()
    giveUp.abort(new Error('told to stop'))
    // A part can start during the first call; the second call stops it.
    await Promise.all([parts.stopAll(stopRequest.hurried), startup?.catch(() => {})])
    await parts.stopAll(stopRequest.hurried)
  }
}

/** npm changes to the folder of the project and passes the original folder in INIT_CWD. */
function findCallerFolder(): string {
  const { INIT_CWD, npm_lifecycle_event: script } = process.env
  return (script === 'start' && INIT_CWD) || process.cwd()
}

/** After `kill -9` of the previous start, its child processes can still be running. */
async function waitForPreviousRun({ folder, bundle }: StartPlan): Promise<void> {
  for (const name of readdirSync(join(folder, 'run'))) {
    await waitForStaleProcessEnd(join(folder, 'run', name), bundle, undefined, API_STOP_LIMIT_MS)
  }
}

async function startParts(
  initialPlan: StartPlan,
  parts: ServicePartSupervisor,
  signal: AbortSignal,
  { from, began }: { from: string; began: number },
): Promise<void> {
  const retryOnFullDisk = <T>(work: () => T | Promise<T>) => retryWhileDiskFull(initialPlan.folder, signal, work)
  const plan = addSecretsToStartPlan(
    initialPlan,
    await retryOnFullDisk(() => loadOrCreateInstallationSecrets(initialPlan.folder)),
  )
  await retryOnFullDisk(() => writeLastStartDatabase(plan.folder, plan.config.DATABASE_URL))
  const launch = (command: string, name: ServicePartName, config: Config) =>
    launchServicePart(plan, parts, signal, { command, name, config })
  // The recognizer starts first, because it needs no database and its model loads longest.
  const awaitRecognizer = launch('asr', 'recognizer', withMetricsPort(plan.config, 1))
  const servers = [startRedisServer(plan, parts, signal), startDatabase(plan, parts, signal)] as const
  await Promise.allSettled(servers) // Wait for both servers even after an error, so that nothing starts later.
  const [redisUrl, database] = await Promise.all(servers)
  const config: Config = { ...plan.config, DATABASE_URL: database.url, REDIS_URL: redisUrl }
  await runAndPrintDuration('database migrated', () => runMigrateCommand(plan, config, signal))

  const access = await retryOnFullDisk(() => new FirstAccessSetup(plan, database.fresh))
  const apiReady = launch('api', 'API', { ...config, ...access.bootstrapConfig() })
  await apiReady({ url: `${config.apiUrl}/readyz`, limit: READY_LIMIT_MS, isReady: hasReadyStores })
  const panelReady = launch('dashboard', 'panel', withMetricsPort(config, 2))
  const loginPage = `http://${config.host}:${config.panelPort}/login`
  await panelReady({ url: loginPage, limit: READY_LIMIT_MS, isReady: ({ status }) => status === 200 })
  const credentials = await retryOnFullDisk(() => access.createCredentials(config.apiUrl, signal))

  const recognizerReady = awaitRecognizer({ url: `${config.asrUrl}/readyz`, limit: FETCH_LIMIT_MS })
  const fetching = await waitForReadyOrFetching(recognizerReady, plan.logFile('asr'), signal)
  const downParts = await fetchUnreadyParts(config, plan.logFile('api'), fetching, signal)
  for (const { part, reason } of downParts) printTerminalLine(`ready but for the ${part}: ${reason}`)
  if (downParts.length === 0) printTerminalLine(`everything ready (${formatSecondsSince(began)})`)
  printTerminalLine(formatStartReport(plan, from, credentials, access.shown))
  await retryOnFullDisk(() => access.recordShown(credentials))
  await recognizerReady
}

/** The API serves metrics on the configured port, the recognizer and the panel on the next two ports. */
const withMetricsPort = (config: Config, offset: number): Config => ({
  ...config,
  metricsPort: config.metricsPort && config.metricsPort + offset,
})

async function hasReadyStores(response: Response): Promise<boolean> {
  const { database, redis } = (await response.json()) as { database?: string; redis?: string }
  return database === 'up' && redis === 'up'
}

/**
 * Waits until the recognizer is ready or reports that it downloads its model.
 * @returns undefined if the recognizer is ready, else its last log message
 */
async function waitForReadyOrFetching(
  ready: Promise<void>,
  logFile: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stopPolling = new AbortController()
  let message: string | undefined
  const fetching = pollUntil(
    'no model is fetched',
    FETCH_LIMIT_MS,
    AbortSignal.any([signal, stopPolling.signal]),
    () => {
      message = readLastLogMessage(logFile)
      return /^fetching |Trying again in \d+ s\.$/.test(message ?? '')
    },
  )
  try {
    return await Promise.race([ready.then(() => undefined), fetching.then(() => message)])
  } finally {
    stopPolling.abort()
    fetching.catch(() => undefined)
  }
}
