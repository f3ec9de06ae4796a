import { setImmediate } from 'node:timers/promises'

/** Longest computation between two turns of the event loop. */
const MAX_COMPUTE_MS = 5

let lastYieldAt = performance.now()

/** Returns true if no yield happened for 5 ms. Cheap enough for inner loops. */
export const shouldYield = (): boolean => performance.now() - lastYieldAt > MAX_COMPUTE_MS

/** Lets other tasks of the event loop run. */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate()
  lastYieldAt = performance.now()
}
