import { setImmediate } from 'node:timers/promises'

/** The longest computation between two turns of the event loop, in ms. */
const STRETCH_MS = 5

let since = performance.now()

/** True if this process has computed for a while without yielding. Cheap: call it in inner loops. */
export const shouldYield = (): boolean => performance.now() - since > STRETCH_MS

export async function yieldToOthers(): Promise<void> {
  await setImmediate()
  since = performance.now()
}
