import { statfsSync } from 'node:fs'
import { retry } from '../../platform/lib/retry.ts'
import { printTerminalLine } from './progress.ts'

/** With less free space, the disk counts as full: Postgres needs 16 MB for its next WAL file, and frees space when it fails. */
const MIN_FREE_BYTES = 64 * 1024 * 1024
const RETRY_PAUSE_MS = 5000
const DISK_FULL_ERROR = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/**
 * Returns whether a full disk caused `error`. If the error does not mention it, the disk of `folder` is checked, because a full
 * disk can prevent logging.
 */
export function isDiskFullError(folder: string, error: Error): boolean {
  if (DISK_FULL_ERROR.test(error.message)) return true
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < MIN_FREE_BYTES
  } catch {
    return false // The folder does not exist yet.
  }
}

/**
 * Retries `work` while the disk is full, and prints a line about it.
 * @throws any other error of `work`; the reason of `signal` after an abort
 */
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
      const isFull = isDiskFullError(folder, error as Error)
      if (isFull && failures === 1)
        printTerminalLine(
          `the disk of ${folder} is full: continuing as soon as there is room\n  ${message.split('\n', 1)[0]}`,
        )
      return isFull
    },
  })
}
