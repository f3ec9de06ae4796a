import { isatty } from 'node:tty'
import { readProcFile } from '../embedded/process.ts'
import { printTerminalLine } from './progress.ts'

interface StopRequest {
  requested: Promise<string>
  /** A second stop signal aborts it. */
  hurried: AbortSignal
}

/** The terminal and npm both send Ctrl-C to this process. A signal within this time is not a second request. */
const ECHO_MS = 1000

/** SIGHUP can arrive this long after npm ended. */
const HANG_UP_LAG_MS = 1000

/**
 * Watches for stop signals, and for the end of the parent process and of npm, which cannot forward SIGKILL.
 * SIGHUP is ignored if no standard stream is a terminal, because Node and npm drop the ignored SIGHUP of nohup.
 */
export function watchStopSignals(): StopRequest {
  const hurryController = new AbortController()
  const requested = new Promise<string>((resolve) => {
    let first: number | undefined
    const handleSignal = (signal: NodeJS.Signals) => {
      resolve(signal)
      first ??= performance.now()
      if (signal !== 'SIGHUP' && performance.now() - first > ECHO_MS) hurryController.abort()
    }
    const isAttached = [0, 1, 2].some((stream) => isatty(stream))
    let isHungUp = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, handleSignal)
    process.on('SIGHUP', (signal) => {
      if (isAttached) return handleSignal(signal)
      if (!isHungUp)
        printTerminalLine(`\nthe terminal was closed; going on without it (kill ${process.pid} stops everything)`)
      isHungUp = true
    })
    if (process.connected) process.once('disconnect', () => resolve('the parent process ended'))
    if (process.env['npm_lifecycle_event'] === 'start') {
      watchNpmEnd(() => setTimeout(() => void (isHungUp || resolve('npm ended')), isAttached ? 0 : HANG_UP_LAG_MS))
    }
  })
  return { requested, hurried: hurryController.signal }
}

function watchNpmEnd(listener: () => void): void {
  const initialParents = readParentIds()
  const timer = setInterval(() => {
    if (readParentIds() === initialParents) return
    clearInterval(timer)
    listener()
  }, 200)
}

/** Returns the id of the parent, and of the grandparent if the parent is the shell in which npm runs a script. */
function readParentIds(): string {
  const status = readProcFile(process.ppid, 'status')
  const isShell = /^Name:\s+\w*sh$/m.test(status)
  return isShell ? `${process.ppid} ${/^PPid:\s+(\d+)$/m.exec(status)?.[1]}` : `${process.ppid}`
}
