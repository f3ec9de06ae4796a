import {
  SUCCESSFUL_EXIT_TEXT,
  readLastLines,
  launchProcess,
  pollUntil,
  waitForProcessReady,
  type Daemon,
} from './process.ts'

/**
 * With these values, glibc returns freed buffers of 4 MB or more to the system, and keeps at most 64 MB of smaller ones.
 * By default, the first limit grows to 32 MB and the recognizer's peak is 40 to 55 MB higher (bench/README.md). The Dockerfile
 * sets the same values.
 */
export const ALLOCATOR_ENV = { MALLOC_MMAP_THRESHOLD_: '4194304', MALLOC_TRIM_THRESHOLD_: '67108864' }

interface CommandOptions {
  bundle: string
  command: string
  /** Configuration values that override the environment. */
  overrides: object
  logFile: string
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/** An address to poll until a command is ready. `limit` is in milliseconds. */
export interface ReadinessCheck {
  url: string
  limit: number
  /** Decides by the response; by default, the field `status` of its JSON must be "ready". */
  isReady?: (response: Response) => boolean | Promise<boolean>
}

/**
 * Runs a command of the bundle to its end.
 * @param limit milliseconds
 * @throws Error with the end of the log if the command fails, or after `limit`
 */
export async function runCommand(options: CommandOptions, limit: number): Promise<void> {
  const daemon = launchCommand(options)
  let ended: string | undefined
  void daemon.exited.then((outcome) => (ended = outcome))
  try {
    await pollUntil(`${options.command} has not ended`, limit, options.signal, () => ended !== undefined)
  } finally {
    await daemon.stop(['SIGTERM', 5000])
  }
  if (ended && ended !== SUCCESSFUL_EXIT_TEXT)
    throw new Error(formatProcessExit(options.command, ended, options.logFile))
}

/**
 * Starts a command of the bundle and waits until it is ready.
 * @throws Error if the command ends before or is not ready in time
 */
export async function startCommand(options: CommandOptions, readiness: ReadinessCheck): Promise<Daemon> {
  const daemon = launchCommand(options)
  try {
    await waitForCommandReady(daemon, options, readiness)
    return daemon
  } catch (error) {
    await daemon.stop(['SIGTERM', 5000])
    throw error
  }
}

/** Starts a command of the bundle without waiting. The command ends when this process ends. */
export function launchCommand({ bundle, command, overrides, logFile, env = process.env }: CommandOptions): Daemon {
  return launchProcess({
    program: process.execPath,
    args: [bundle, command, '--supervised'],
    deathSignal: 'SIGTERM',
    logFile,
    env: { ...ALLOCATOR_ENV, ...env },
    message: overrides,
  })
}

/**
 * Waits until a started command is ready.
 * @throws Error with the end of the log if the command ends before, or after the limit
 */
export async function waitForCommandReady(
  daemon: Daemon | undefined,
  { command, logFile, signal }: Pick<CommandOptions, 'command' | 'logFile' | 'signal'>,
  { url, limit, isReady = hasStatusReady }: ReadinessCheck,
): Promise<void> {
  const daemonWithLog = daemon && {
    ...daemon,
    exited: daemon.exited.then((outcome) => formatProcessExit(command, outcome, logFile)),
  }
  const problem = `${command} is not ready at ${url}; its log is ${logFile}`
  await waitForProcessReady(daemonWithLog, problem, limit, signal, () => isUrlReady(url, isReady))
}

/** Formats a sentence about the end of a process, with the last lines of its log. */
export function formatProcessExit(name: string, outcome: string, logFile: string): string {
  const log = readLastLines(logFile)
  return `${name} ${outcome}. ${log ? `The end of ${logFile}:\n${log}` : `Its log, ${logFile}, is empty.`}`
}

async function isUrlReady(url: string, isReady: (response: Response) => boolean | Promise<boolean>): Promise<boolean> {
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) })
    return await isReady(response)
  } catch {
    return false
  }
}

async function hasStatusReady(response: Response): Promise<boolean> {
  return ((await response.json()) as { status?: unknown }).status === 'ready'
}
