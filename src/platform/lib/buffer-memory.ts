import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Starts a minor collection after this many bytes of new buffers. */
const MAX_UNFREED_BYTES = 8 * 1024 ** 2

/**
 * V8 exposes gc() only to contexts created while the flag is set. All threads share the flag, so it stays set. Clearing it races
 * with a thread that creates its context.
 */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void

let unfreedBytes = 0

/**
 * Counts short-lived buffers and frees the unused ones every 8 MB. Otherwise V8 keeps 32 MB or more of unused ones. A minor
 * collection takes less than 1 ms.
 * Saved 60 MB of the recognizer's peak in the first 90 seconds of `npm run bench -- memory` (525 MB instead of 585 MB). Since
 * glibc returns large buffers (embedded/command.ts), half an hour of one file shows no difference (395 MB). Three hours and many
 * files are not measured.
 */
export function trackBufferAllocation(bytes: number): void {
  unfreedBytes += bytes
  if (unfreedBytes < MAX_UNFREED_BYTES) return
  unfreedBytes = 0
  collectGarbage({ type: 'minor' })
}

/** Frees all unused buffers, including old ones. Takes about 20 ms. */
export function forceGc(): void {
  unfreedBytes = 0
  collectGarbage()
}
