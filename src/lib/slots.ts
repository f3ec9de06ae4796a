/** A number of places; who comes when all are taken waits for one, in order. */
export class Slots {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.free = count
  }

  /** Takes a place; answers the function that gives it back, or undefined when none gets free in time. */
  async take(limitMs: number): Promise<(() => void) | undefined> {
    return this.takeNow() ?? ((await this.passedOn(limitMs)) ? this.held() : undefined)
  }

  /** Takes a place if one is free; answers the function that gives it back. */
  takeNow(): (() => void) | undefined {
    if (this.free === 0) return undefined
    this.free--
    return this.held()
  }

  private held(): () => void {
    let held = true
    return () => {
      if (held) this.giveBack()
      held = false
    }
  }

  private passedOn(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const taken = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(taken), 1)
        resolve(false)
      }, limitMs)
      this.waiting.push(taken)
    })
  }

  private giveBack(): void {
    const next = this.waiting.shift()
    if (next) next()
    else this.free++
  }
}
