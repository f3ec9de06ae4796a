import { spawn } from 'node:child_process'
import { openSync, closeSync, readFileSync, existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isOutOfSpace } from '../../platform/lib/out-of-space.ts'
import { findProgram } from '../../platform/lib/find-program.ts'
import { settlesWithin } from '../../platform/lib/shutdown.ts'

/** A started process. */
export interface Daemon {
  readonly pid: number | undefined
  readonly exited: Promise<string>
  /** Sends the signals one after the other, each with its limit in milliseconds, and at last SIGKILL. */
  stop(...steps: [signal: NodeJS.Signals, limit: number][]): Promise<void>
}

interface LaunchOptions {
  program: string
  args: string[]
  /** The signal that the kernel sends to the process when this one dies, for whatever reason. */
  deathSignal: NodeJS.Signals
  privileges?: string[]
  logFile: string
  env?: NodeJS.ProcessEnv
  /** The first message to a Node process of ours, sent when it asks for one. */
  message?: object
}

/**
 * Starts a process that ends when this one ends, even by SIGKILL. It has its own session: Ctrl-C would reach the whole
 * foreground group, and we stop our processes in order. Call it from the main thread: the kernel sends the death signal
 * when the *thread* that forked ends.
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
  const setpriv = findProgram('setpriv')
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
  // A process that is ending closes its channel; a message to it can then fail, but its exit reports that better.
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

/** If a full disk rejects a new file, the process runs without a log. */
function openLog(file: string): number | 'ignore' {
  try {
    return openSync(file, 'a', 0o600)
  } catch (error) {
    if (isOutOfSpace(error)) return 'ignore'
    throw error
  }
}

/** The words of `exited` after success. */
export const SUCCESSFUL_EXIT = 'ended with exit code 0'

/** Polls until `check` returns true. @throws Error `problem` after `limit` ms, or the reason of `signal` */
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

/** The same for a process that gets ready. @throws Error with how it ended, if it ends before */
export async function waitUntilReady(
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

/** Reads the last lines of a file; an empty text if it is missing. */
export function readLastLines(file: string, count = 12): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : ''
  return text.split('\n').slice(-count).join('\n')
}

/** Whether a process runs. A zombie has ended. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return !/^\d+ \(.*\) [ZX]/s.test(readProcFile(pid, 'stat'))
}

/** Waits for the end of the process that wrote `pidFile`; its command line contains `mark`, as ids repeat. */
export async function waitForStaleProcess(
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

/** A file of /proc about a process; empty if there is none. */
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
