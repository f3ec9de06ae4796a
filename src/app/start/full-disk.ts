import { statfsSync } from 'node:fs'
import { retry } from '../../platform/lib/retry.ts'
import { printLine } from './progress.ts'

/** With less, a disk counts as full: Postgres needs 16 MB for its next WAL file, and frees them when it fails. */
const MIN_FREE_BYTES = 64 * 1024 * 1024
const RETRY_PAUSE_MS = 5000
const DISK_FULL_ERROR = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/** Whether a full disk caused `error`: the error says so, or the disk of `folder` is full, so the log could not say so. */
export function isDiskFull(folder: string, error: Error): boolean {
  if (DISK_FULL_ERROR.test(error.message)) return true
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < MIN_FREE_BYTES
  } catch {
    return false // the folder is not there yet
  }
}

/** Retries `work` while the disk is full, and prints that. @throws any other error */
export function retryWhileDiskFull<T>(
  folder: string,
  signal: AbortSignal,
  work: () => T | Promise<T>,
  pauseMs = RETRY_PAUSE_MS,
): Promise<T> {
  return retry(work, {
    pauseMs,
    signal,
    shouldRetry(error, failures) {
      const { message } = error as Error
      const isFull = isDiskFull(folder, error as Error)
      if (isFull && failures === 1)
        printLine(`the disk of ${folder} is full: continuing as soon as there is room\n  ${message.split('\n', 1)[0]}`)
      return isFull
    },
  })
}
