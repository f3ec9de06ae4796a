import { doubleCapacity } from '../double-capacity.ts'

/** Contexts, newest word first, with their backoffs; typed arrays, so that scoring allocates nothing. */
export class NgramContexts {
  /** The maximum number of words of a context: the model's order less one. */
  readonly stride: number
  lengths: Uint8Array
  /** Word ids of context i, from i × stride on. */
  words: Int32Array
  /** Backoffs (log10) at the same indexes: number k belongs to the newest k + 1 words. */
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
