import { statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { say } from './progress.ts'

/** Below this a disk counts as full: Postgres needs 16 MB for its next WAL file, and frees them when it fails. */
const LEAST_FREE = 64 * 1024 * 1024
const PAUSE = 5000
const FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/** Whether a full disk caused `error`: the error says so, or the disk of `folder` is full, so the log could not say so. */
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
 * Retries `work` every few seconds while it fails because the disk is full, and prints that.
 * @throws any other error of `work`, or the reason of `signal`
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
        say(`the disk of ${folder} is full: continuing as soon as there is room\n  ${firstLine(error as Error)}`)
    }
    await pause(every, undefined, { signal })
  }
}

const firstLine = ({ message }: Error): string => message.split('\n', 1)[0]!
