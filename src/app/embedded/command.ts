import { ENDED_WELL, lastLines, launch, until, untilReady, type Daemon } from './process.ts'

/**
 * glibc returns buffers of 4 MB and more to the system when they are freed, and keeps up to 64 MB of smaller ones. Its
 * default moves the first limit up to 32 MB and keeps the recognizer's tensors: 40 to 55 MB more at its peak
 * (bench/README.md). The Dockerfile sets the same.
 */
export const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '4194304', MALLOC_TRIM_THRESHOLD_: '67108864' }

interface CommandOptions {
  bundle: string
  command: string
  /** The part of the configuration given in code. */
  overrides: object
  logFile: string
  env?: NodeJS.ProcessEnv
  signal?: AbortSignal
}

export interface Readiness {
  url: string
  limit: number
  /** Whether the response means ready; by default its field `status` must be "ready". */
  isReady?: (answer: Response) => boolean | Promise<boolean>
}

export async function runCommand(options: CommandOptions, limit: number): Promise<void> {
  const daemon = launchCommand(options)
  let ended: string | undefined
  void daemon.exited.then((how) => (ended = how))
  try {
    await until(`${options.command} has not ended`, limit, options.signal, () => ended !== undefined)
  } finally {
    await daemon.stop(['SIGTERM', 5000])
  }
  if (ended && ended !== ENDED_WELL) throw new Error(endOf(options.command, ended, options.logFile))
}

export async function startCommand(options: CommandOptions, readiness: Readiness): Promise<Daemon> {
  const daemon = launchCommand(options)
  try {
    await commandReady(daemon, options, readiness)
    return daemon
  } catch (error) {
    await daemon.stop(['SIGTERM', 5000])
    throw error
  }
}

export function launchCommand({ bundle, command, overrides, logFile, env = process.env }: CommandOptions): Daemon {
  return launch({
    program: process.execPath,
    args: [bundle, command, '--supervised'],
    deathSignal: 'SIGTERM',
    logFile,
    env: { ...ALLOCATOR, ...env },
    message: overrides,
  })
}

export async function commandReady(
  daemon: Daemon | undefined,
  { command, logFile, signal }: Pick<CommandOptions, 'command' | 'logFile' | 'signal'>,
  { url, limit, isReady = hasStatusReady }: Readiness,
): Promise<void> {
  const explained = daemon && { ...daemon, exited: daemon.exited.then((how) => endOf(command, how, logFile)) }
  const problem = `${command} is not ready at ${url}; its log is ${logFile}`
  await untilReady(explained, problem, limit, signal, () => answers(url, isReady))
}

export function endOf(name: string, how: string, logFile: string): string {
  const log = lastLines(logFile)
  return `${name} ${how}. ${log ? `The end of ${logFile}:\n${log}` : `Its log, ${logFile}, is empty.`}`
}

async function answers(url: string, isReady: (answer: Response) => boolean | Promise<boolean>): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(2000) })
    return await isReady(answer)
  } catch {
    return false
  }
}

async function hasStatusReady(answer: Response): Promise<boolean> {
  return ((await answer.json()) as { status?: unknown }).status === 'ready'
}
