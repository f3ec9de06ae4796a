import { isatty } from 'node:tty'
import { readProc } from '../embedded/process.ts'
import { say } from './progress.ts'

interface StopRequest {
  asked: Promise<string>
  /** Aborted by a second request. */
  hurried: AbortSignal
}

/** npm forwards a Ctrl-C that this process receives from the terminal too; the echo is no second request. */
const ECHO = 1000

/** The signal that ended npm can arrive this much later than its end. */
const HANG_UP_LAG = 1000

/**
 * Watches for signals, for the end of our parent process, and for the end of npm, which cannot forward a SIGKILL. Under
 * nohup, none of the standard streams is a terminal, and we ignore SIGHUP: Node and npm forget that nohup had it ignored.
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

/** Our parent, and its parent if ours is the shell in which npm runs a script. */
function parents(): string {
  const status = readProc(process.ppid, 'status')
  const isShell = /^Name:\s+\w*sh$/m.test(status)
  return isShell ? `${process.ppid} ${/^PPid:\s+(\d+)$/m.exec(status)?.[1]}` : `${process.ppid}`
}
