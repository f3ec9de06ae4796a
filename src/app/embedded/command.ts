import { SUCCESSFUL_EXIT, readLastLines, launchProcess, pollUntil, waitUntilReady, type Daemon } from './process.ts'

/**
 * glibc returns buffers of 4 MB and more to the system when they are freed, and keeps up to 64 MB of smaller ones. Its
 * default moves the first limit up to 32 MB and keeps the recognizer's tensors: 40 to 55 MB more at its peak
 * (bench/README.md). The Dockerfile sets the same.
 */
export const ALLOCATOR_ENV = { MALLOC_MMAP_THRESHOLD_: '4194304', MALLOC_TRIM_THRESHOLD_: '67108864' }

interface CommandOptions {
  bundle: string
  command: string
  /** The part of the configuration given in code. */
  overrides: object
  logFile: string
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/** The address that tells whether a command is ready. */
export interface ReadinessCheck {
  url: string
  limit: number
  /** Whether the response means ready; by default its field `status` must be "ready". */
  isReady?: (response: Response) => boolean | Promise<boolean>
}

/** Runs a command of the bundle to its end. @param limit milliseconds @throws if it fails or takes longer */
export async function runCommand(options: CommandOptions, limit: number): Promise<void> {
  const daemon = launchCommand(options)
  let ended: string | undefined
  void daemon.exited.then((outcome) => (ended = outcome))
  try {
    await pollUntil(`${options.command} has not ended`, limit, options.signal, () => ended !== undefined)
  } finally {
    await daemon.stop(['SIGTERM', 5000])
  }
  if (ended && ended !== SUCCESSFUL_EXIT) throw new Error(formatExit(options.command, ended, options.logFile))
}

/** Starts a command of the bundle and waits until it is ready. @throws if it ends before */
export async function startCommand(options: CommandOptions, readiness: ReadinessCheck): Promise<Daemon> {
  const daemon = launchCommand(options)
  try {
    await waitForCommand(daemon, options, readiness)
    return daemon
  } catch (error) {
    await daemon.stop(['SIGTERM', 5000])
    throw error
  }
}

/** Starts a command of the bundle without waiting. */
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

/** Waits until a started command is ready. @throws with the end of its log if it ends before or takes too long */
export async function waitForCommand(
  daemon: Daemon | undefined,
  { command, logFile, signal }: Pick<CommandOptions, 'command' | 'logFile' | 'signal'>,
  { url, limit, isReady = hasStatusReady }: ReadinessCheck,
): Promise<void> {
  const daemonWithLog = daemon && {
    ...daemon,
    exited: daemon.exited.then((outcome) => formatExit(command, outcome, logFile)),
  }
  const problem = `${command} is not ready at ${url}; its log is ${logFile}`
  await waitUntilReady(daemonWithLog, problem, limit, signal, () => isUrlReady(url, isReady))
}

/** A sentence about the end of a process, with the end of its log. */
export function formatExit(name: string, outcome: string, logFile: string): string {
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
