import { spawn } from 'node:child_process'
import { openSync, closeSync, readFileSync, existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isOutOfSpaceError } from '../../platform/lib/out-of-space.ts'
import { findExecutablePath } from '../../platform/lib/find-program.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'

/** A child process from launchProcess(). `exited` resolves with a text about how the child ended. */
export interface Daemon {
  readonly pid: number | undefined
  readonly exited: Promise<string>
  /** Sends the signals in turn, each with a limit in milliseconds, and finally SIGKILL. */
  stop(...steps: [signal: NodeJS.Signals, limit: number][]): Promise<void>
}

interface LaunchOptions {
  program: string
  args: string[]
  /** The kernel sends this signal to the child if this process dies, even by SIGKILL. This requires setpriv. */
  deathSignal: NodeJS.Signals
  privileges?: string[]
  logFile: string
  env?: NodeJS.ProcessEnv
  /** A message for a child that runs Node, sent when the child requests it. */
  message?: object
}

/**
 * Starts a child process. If setpriv is installed, the child ends when this process ends, even by SIGKILL. Call this function
 * from the main thread, because the kernel sends the death signal when the forking *thread* ends.
 * The child has its own session, so that Ctrl-C does not reach it: we stop the processes in order.
 * @throws Error if `privileges` are given and setpriv is missing
 */
export function launchProcess({
  program,
  args,
  deathSignal,
  privileges = [],
  logFile,
  env,
  message,
}: LaunchOptions): Daemon {
  const setpriv = findExecutablePath('setpriv')
  if (!setpriv && privileges.length > 0) {
    throw new Error('setpriv (package util-linux) is missing; as root it is needed')
  }
  const log = openLog(logFile)
  const child = spawn(
    setpriv ?? program,
    setpriv ? ['--pdeathsig', deathSignal.replace('SIG', ''), ...privileges, program, ...args] : args,
    { detached: true, env, stdio: ['ignore', log, log, ...(message ? ['ipc' as const] : [])] },
  )
  if (log !== 'ignore') closeSync(log)
  let ended = false
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`did not start: ${error.message}`))
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`))
  }).finally(() => (ended = true))
  // A message can fail because the process is ending and has closed its channel. `exited` reports the end.
  child.on('error', () => {})
  if (message) child.once('message', () => child.send(message))

  return {
    pid: child.pid,
    exited,
    async stop(...steps) {
      for (const [signal, limit] of [...steps, ['SIGKILL', 5000] as const]) {
        if (ended) return
        child.kill(signal)
        if (await settlesWithin(limit / 1000, exited)) return
      }
    },
  }
}

/** If the disk is full, the process runs without a log. */
function openLog(file: string): number | 'ignore' {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    if (isOutOfSpaceError(error)) return 'ignore'
    throw error
  }
}

/** The value of `exited` after success. */
export const SUCCESSFUL_EXIT_TEXT = 'ended with exit code 0'

/**
 * Polls every 40 ms until `check` returns true.
 * @param limit milliseconds
 * @throws Error with `problem` after `limit`; the reason of `signal` after an abort
 */
export async function pollUntil(
  problem: string,
  limit: number,
  signal: AbortSignal | undefined,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + limit
  for (;;) {
    signal?.throwIfAborted()
    if (await check()) return
    if (Date.now() > end) throw new Error(`${problem} (${Math.round(limit / 1000)} seconds)`)
    await pause(40)
  }
}

/**
 * Polls until a process is ready.
 * @param limit milliseconds
 * @throws Error with the outcome if the process ends before, or with `problem` after `limit`
 */
export async function waitForProcessReady(
  daemon: Daemon | undefined,
  problem: string,
  limit: number,
  signal: AbortSignal | undefined,
  isReady: () => Promise<boolean>,
): Promise<void> {
  let ended: string | undefined
  void daemon?.exited.then((outcome) => (ended = outcome))
  await pollUntil(problem, limit, signal, () => {
    if (ended) throw new Error(ended)
    return isReady()
  })
}

/** Reads the last lines of a file. A missing file gives an empty text. */
export function readLastLines(file: string, count = 12): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : ''
  return text.split('\n').slice(-count).join('\n')
}

/** Returns whether a process runs. A zombie counts as ended. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return !/^\d+ \(.*\) [ZX]/s.test(readProcFile(pid, 'stat'))
}

/**
 * Waits for the end of the process whose id is in `pidFile`, from an earlier run.
 * @param mark a part of the command line of that process, because the id can belong to another process
 * @param limit milliseconds
 * @throws Error if the process still runs after `limit`
 */
export async function waitForStaleProcessEnd(
  pidFile: string,
  mark: string,
  signal?: AbortSignal,
  limit = 20_000,
): Promise<void> {
  const pid = Number.parseInt(readOptionalFile(pidFile))
  if (Number.isNaN(pid)) return
  const isStillRunning = () => isProcessRunning(pid) && readProcFile(pid, 'cmdline').includes(mark)
  await pollUntil(`process ${pid} of an earlier run has not ended`, limit, signal, () => !isStillRunning())
}

/** Reads a file of /proc about a process. A missing file gives an empty text. */
export function readProcFile(pid: number, file: string): string {
  return readOptionalFile(`/proc/${pid}/${file}`)
}

function readOptionalFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
