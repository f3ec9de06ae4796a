/** Resolves with the reason at SIGTERM, at SIGINT, or when the parent closes the IPC channel of a forked process. */
export function waitForShutdownRequest(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'))
    process.once('SIGINT', () => resolve('SIGINT'))
    if (process.connected) process.once('disconnect', () => resolve('the parent process ended'))
  })
}

/**
 * Waits up to `seconds` for `work`. @returns true if it resolved in time
 * @throws the error of `work` if it fails in time
 */
export async function settlesWithin(seconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000)
  })
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer))
}
