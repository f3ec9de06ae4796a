import { statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { say } from './progress.ts'

/** Below this a disk counts as full: Postgres needs 16 MB at once for the next file of its log, and frees them when it fails. */
const LEAST_FREE = 64 * 1024 * 1024
const PAUSE = 5000
const FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/** Whether `error` came from a full disk: it says so, or the disk of `folder` is full now, because then no log can say it. */
export function isDiskFull(folder: string, error: Error): boolean {
  if (FULL.test(error.message)) return true
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < LEAST_FREE
  } catch {
    return false // the folder is not there yet
  }
}

/**
 * Does the work again, every few seconds, while it fails because the disk is full, and says so.
 * @throws what the work throws for another reason, or the reason of `signal`
 */
export async function retryWhileFull<T>(
  folder: string,
  signal: AbortSignal,
  work: () => T | Promise<T>,
  every = PAUSE,
): Promise<T> {
  for (let isSaid = false; ; isSaid = true) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isDiskFull(folder, error as Error)) throw error
      if (!isSaid)
        say(`the disk of ${folder} is full: going on as soon as there is room\n  ${firstLine(error as Error)}`)
    }
    await pause(every, undefined, { signal })
  }
}

const firstLine = ({ message }: Error): string => message.split('\n', 1)[0]!
