import { isatty } from 'node:tty'
import { readProc } from '../embedded/process.ts'
import { say } from './progress.ts'

/** Being told to stop, and being told again. */
export interface StopRequest {
  /** Resolves with the reason. */
  asked: Promise<string>
  /** Aborted when somebody has no patience. */
  hurried: AbortSignal
}

/** npm passes on a Ctrl-C that this process gets from the terminal as well: what follows at once is no second one. */
const ECHO = 1000

/** How much later than the end of npm the signal may come that ended it. */
const HANG_UP_LAG = 1000

/**
 * Watches for everything that means stop: the signals (SIGHUP is the terminal being closed), the end of a parent of
 * ours, and the end of npm, which cannot pass on a SIGKILL.
 *
 * Where none of the standard streams is a terminal, as under nohup, its end means nothing to us. Node forgets that nohup
 * had SIGHUP ignored, in npm too, which therefore ends by it.
 */
export function watchForStop(): StopRequest {
  const hurry = new AbortController()
  const asked = new Promise<string>((resolve) => {
    let first: number | undefined
    const told = (signal: NodeJS.Signals) => {
      resolve(signal)
      first ??= performance.now()
      if (signal !== 'SIGHUP' && performance.now() - first > ECHO) hurry.abort()
    }
    const isAttached = [0, 1, 2].some((stream) => isatty(stream))
    let isHungUp = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, told)
    process.on('SIGHUP', (signal) => {
      if (isAttached) return told(signal)
      if (!isHungUp) say(`\nthe terminal was closed; going on without it (kill ${process.pid} stops everything)`)
      isHungUp = true
    })
    if (process.connected) process.once('disconnect', () => resolve('the parent process ended'))
    if (process.env['npm_lifecycle_event'] === 'start') {
      onNpmEnd(() => setTimeout(() => void (isHungUp || resolve('npm ended')), isAttached ? 0 : HANG_UP_LAG))
    }
  })
  return { asked, hurried: hurry.signal }
}

function onNpmEnd(listener: () => void): void {
  const before = parents()
  const timer = setInterval(() => {
    if (parents() === before) return
    clearInterval(timer)
    listener()
  }, 200)
}

/** Our parent, and its parent where ours is only the shell in which npm runs a script. */
function parents(): string {
  const status = readProc(process.ppid, 'status')
  const isShell = /^Name:\s+\w*sh$/m.test(status)
  return isShell ? `${process.ppid} ${/^PPid:\s+(\d+)$/m.exec(status)?.[1]}` : `${process.ppid}`
}
