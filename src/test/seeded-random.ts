/** Draws random numbers and choices that a seed reproduces (mulberry32). */
export class SeededRandom {
  private state: number
  constructor(seed: number) {
    this.state = seed
  }

  /** A number from 0 to below 1. */
  number(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from 0 to below `below`. */
  integer(below: number): number {
    return Math.floor(this.number() * below)
  }

  /** Returns true with the probability `share`. */
  chance(share: number): boolean {
    return this.number() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.integer(from.length)]!
  }
}
