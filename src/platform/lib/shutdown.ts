/** Resolves with the reason on SIGTERM, SIGINT or, in a supervised process, the end of its parent. */
export function shutdownRequested(): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'))
    process.once('SIGINT', () => resolve('SIGINT'))
    if (process.connected) process.once('disconnect', () => resolve('the parent process ended'))
  })
}

/** Whether the work ended in time. @throws what `work` throws in that time */
export async function settlesWithin(seconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000)
  })
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer))
}
