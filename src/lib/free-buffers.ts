import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of buffers that may wait to be freed: of those that were soon let go of, and of those that had grown old. */
const MOST_WAITING = 8 * 1024 ** 2
const MOST_OLD_WAITING = 16 * 1024 ** 2

/**
 * V8's own function, which it shows to those contexts alone that are made while the flag is set. The flag is one for all
 * threads, so it stays set: a thread that cleared it would take the function from another that is just making its context.
 */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

let waiting = 0
let oldWaiting = 0

/**
 * To be told of short-lived buffers as they are made: every 8 MB those that nobody holds any more are freed. V8 does not
 * count them as part of its heap and lets 32 MB and more of them wait. A collection of young objects takes less than 1 ms.
 *
 * What it is worth: 60 MB of the recognizer's peak in the first minute and a half of `bench:memory` (525 MB instead of 585).
 */
export function madeBuffers(bytes: number): void {
  waiting += bytes
  if (waiting < MOST_WAITING) return
  waiting = 0
  collect({ type: 'minor' })
}

/**
 * To be told of buffers that were held for seconds, when they are let go of: every 16 MB all that nobody holds are freed. A
 * collection of young objects passes the old ones over.
 *
 * What it is worth: 20 to 40 MB of the recognizer's peak in forty minutes of `bench:memory` (467 MB instead of 485 to 506).
 */
export function usedBuffers(bytes: number): void {
  oldWaiting += bytes
  if (oldWaiting >= MOST_OLD_WAITING) freeBuffers()
}

/** Frees all buffers that nobody holds, also old ones; takes some 20 ms. */
export function freeBuffers(): void {
  waiting = oldWaiting = 0
  collect()
}
