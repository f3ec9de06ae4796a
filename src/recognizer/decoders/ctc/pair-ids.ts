const EMPTY_SLOT = -1

/** Assigns consecutive numbers to pairs of integers. It allocates memory only to grow. */
export class IntegerPairIds {
  size = 0
  private slots: Int32Array
  private firsts: Int32Array
  private seconds: Int32Array

  constructor(capacity = 1024) {
    this.slots = new Int32Array(capacity * 2).fill(EMPTY_SLOT)
    this.firsts = new Int32Array(capacity)
    this.seconds = new Int32Array(capacity)
  }

  /** Returns the number of a pair. A new pair gets the next number. */
  id(first: number, second: number): number {
    const mask = this.slots.length - 1
    let slot = hashPair(first, second) & mask
    for (let id = this.slots[slot]!; id !== EMPTY_SLOT; id = this.slots[slot]!) {
      if (this.firsts[id] === first && this.seconds[id] === second) return id
      slot = (slot + 1) & mask
    }
    if (this.size === this.firsts.length) {
      this.grow()
      return this.id(first, second)
    }
    this.firsts[this.size] = first
    this.seconds[this.size] = second
    this.slots[slot] = this.size
    return this.size++
  }

  clear(): void {
    this.slots.fill(EMPTY_SLOT)
    this.size = 0
  }

  private grow(): void {
    const { firsts, seconds, size } = this
    this.slots = new Int32Array(this.slots.length * 2).fill(EMPTY_SLOT)
    this.firsts = new Int32Array(firsts.length * 2)
    this.seconds = new Int32Array(firsts.length * 2)
    this.size = 0
    for (let id = 0; id < size; id++) this.id(firsts[id]!, seconds[id]!)
  }
}

function hashPair(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)
  return mixed ^ (mixed >>> 15)
}
