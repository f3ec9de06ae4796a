import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import koffi from 'koffi'
import type { Logger } from '../../platform/lib/log.ts'

const LOCK_EX = 2
const LOCK_NB = 4

/** Locks a folder (flock) until the returned function is called or this process ends; waits for others. */
export async function lockFolder(folder: string, pollMs: number, log: Logger): Promise<() => void> {
  const file = openSync(folder, 'r')
  const flock = koffi.load(null).func('int flock(int file, int operation)') as (
    file: number,
    operation: number,
  ) => number
  for (let waited = false; flock(file, LOCK_EX | LOCK_NB) !== 0; waited = true) {
    if (koffi.errno() !== constants.errno.EWOULDBLOCK) {
      // Some network file systems have no locks; one recognizer alone, which is the rule, needs none.
      log.warn(
        { folder, errno: koffi.errno() },
        'the models folder cannot be locked; only one recognizer may fetch into it',
      )
      break
    }
    if (!waited) log.info({ folder }, 'another recognizer is fetching the models; waiting for it')
    await pause(pollMs)
  }
  return () => closeSync(file)
}
