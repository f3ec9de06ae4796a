import { setImmediate } from 'node:timers/promises'

/** The longest computation between two turns of the event loop, in ms. */
const MAX_COMPUTE_MS = 5

let lastYieldAt = performance.now()

/** True if this process has computed for a while without yielding. Cheap: call it in inner loops. */
export const shouldYield = (): boolean => performance.now() - lastYieldAt > MAX_COMPUTE_MS

/** Lets other work of the event loop run. */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate()
  lastYieldAt = performance.now()
}
