import { doubleCapacity } from '../double-capacity.ts'

/** The contexts of several texts, newest word first, with their backoffs. Typed arrays avoid allocations during scoring. */
export class NgramContexts {
  /** The maximum number of words in a context, which is the order of the model minus one. */
  readonly stride: number
  lengths: Uint8Array
  /** Word ids. Those of context i start at index i × stride. */
  words: Int32Array
  /** Log10 backoffs at the same indexes. Backoff k of a context belongs to its newest k + 1 words. */
  backoffs: Float32Array

  constructor(order: number, capacity: number) {
    this.stride = order - 1
    this.lengths = new Uint8Array(capacity)
    this.words = new Int32Array(capacity * this.stride)
    this.backoffs = new Float32Array(capacity * this.stride)
  }

  get capacity(): number {
    return this.lengths.length
  }

  grow(): void {
    this.lengths = doubleCapacity(this.lengths)
    this.words = doubleCapacity(this.words)
    this.backoffs = doubleCapacity(this.backoffs)
  }
}
