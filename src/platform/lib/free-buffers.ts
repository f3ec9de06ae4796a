import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of buffers that may wait to be freed. */
const MOST_WAITING = 8 * 1024 ** 2

/**
 * V8's own function, which it shows to those contexts alone that are made while the flag is set. The flag is one for all
 * threads, so it stays set: a thread that cleared it would take the function from another that is just making its context.
 */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

let waiting = 0

/**
 * To be told of short-lived buffers as they are made: every 8 MB those that nobody holds any more are freed. V8 does not
 * count them as part of its heap and lets 32 MB and more of them wait. A collection of young objects takes less than 1 ms.
 *
 * What it was worth: 60 MB of the recognizer's peak in the first minute and a half of `npm run bench -- memory` (525 MB instead of 585). Since
 * glibc gives large buffers back (embedded/command.ts) one file's half hour shows no difference (395 MB with and without);
 * three hours and many files were not measured without.
 */
export function trackBufferAllocation(bytes: number): void {
  waiting += bytes
  if (waiting < MOST_WAITING) return
  waiting = 0
  collect({ type: 'minor' })
}

/** Frees all buffers that nobody holds, also old ones; takes some 20 ms. */
export function forceGc(): void {
  waiting = 0
  collect()
}
