import { setImmediate } from 'node:timers/promises'

/** How long judging holds the event loop at a stretch, in ms; the longest step between two looks at the clock is added. */
const STRETCH = 5

/** Lets others in after each stretch of work: look at `due()` often, it costs nothing. */
export class Pace {
  private since = performance.now()

  due(): boolean {
    return performance.now() - this.since > STRETCH
  }

  async rest(): Promise<void> {
    await setImmediate()
    this.since = performance.now()
  }
}
