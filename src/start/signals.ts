/** Being told to stop, and being told again. */
export interface StopRequest {
  /** Resolves with the reason. */
  asked: Promise<string>
  /** Aborted when somebody has no patience. */
  hurried: AbortSignal
}

/** npm passes on a Ctrl-C that this process gets from the terminal as well: what follows at once is no second one. */
const ECHO = 1000

/**
 * Watches for everything that means stop: the signals (SIGHUP is the terminal being closed), the end of a parent of
 * ours, and the end of npm, which cannot pass on a SIGKILL.
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
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, told)
    if (process.connected) process.once('disconnect', () => resolve('the parent process ended'))
    if (process.env['npm_lifecycle_event'] === 'start') onParentEnd(() => resolve('npm ended'))
  })
  return { asked, hurried: hurry.signal }
}

function onParentEnd(listener: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    listener()
  }, 1000)
}
