import { Tensor } from 'onnxruntime-node'
import { trackBufferAllocation } from '../../../platform/lib/buffer-memory.ts'

/** The number of tensors, and the size of each tensor per token. */
interface TextCacheShape {
  tensors: number
  heads: number
  headSize: number
}

/** Tokens of all rows for which memory is allocated at first. The system does not map unused pages. */
const PREALLOCATED_TOKENS = 384

/**
 * The cache of the self-attention: tensors of rows × heads × tokens × head size in one buffer. If the model returned the tensors
 * instead, each step would allocate several megabytes, which occupy memory until a garbage collection.
 */
export class TextKeyValueCache {
  private readonly shape: TextCacheShape
  private memory: Float32Array
  rows: number
  private tokens = 0

  constructor(shape: TextCacheShape, rows: number, spare: Float32Array = new Float32Array(0)) {
    this.shape = shape
    this.rows = rows
    const { tensors, heads, headSize } = shape
    const usual = tensors * PREALLOCATED_TOKENS * heads * headSize
    this.memory = spare.length >= usual ? spare : new Float32Array(usual)
  }

  /** The buffer, which the next cache can reuse. */
  get spare(): Float32Array {
    return this.memory
  }

  get tensors(): Tensor[] {
    const { tensors, heads, headSize } = this.shape
    const size = this.rows * heads * this.tokens * headSize
    return Array.from({ length: tensors }, (_, tensor) => {
      const start = tensor * this.room
      const data = this.memory.subarray(start, start + size)
      return new Tensor('float32', data, [this.rows, heads, this.tokens, headSize])
    })
  }

  /**
   * Adds a token to each row.
   * @param added values in the shape rows × tensors × heads × head size
   */
  add(added: Float32Array): void {
    this.ensureCapacity(this.rows, this.tokens + 1)
    const { memory } = this
    const { tensors, heads, headSize } = this.shape
    const before = this.tokens * headSize
    const after = before + headSize
    for (let tensor = 0; tensor < tensors; tensor++) {
      const start = tensor * this.room
      // Copy backwards, because a line can move to the old place of a later line.
      for (let line = this.rows * heads - 1; line >= 0; line--) {
        const to = start + line * after
        const from = start + line * before
        memory.copyWithin(to, from, from + before)
        const row = Math.floor(line / heads)
        const addedStart = ((row * tensors + tensor) * heads + (line % heads)) * headSize
        for (let n = 0; n < headSize; n++) memory[to + before + n] = added[addedStart + n]!
      }
    }
    this.tokens++
  }

  /** Row i becomes the previous row `from[i]`. The number of rows becomes `from.length`. */
  selectRows(from: number[]): void {
    this.ensureCapacity(from.length, this.tokens)
    const { tensors, heads, headSize } = this.shape
    const size = heads * this.tokens * headSize
    const before = new Float32Array(this.rows * size)
    for (let tensor = 0; tensor < tensors; tensor++) {
      const start = tensor * this.room
      before.set(this.memory.subarray(start, start + before.length))
      for (const [index, row] of from.entries()) {
        this.memory.set(before.subarray(row * size, (row + 1) * size), start + index * size)
      }
    }
    trackBufferAllocation(before.byteLength)
    this.rows = from.length
  }

  private get room(): number {
    return Math.floor(this.memory.length / this.shape.tensors)
  }

  private ensureCapacity(rows: number, tokens: number): void {
    const { tensors, heads, headSize } = this.shape
    const needed = rows * heads * tokens * headSize
    if (needed <= this.room) return
    const before = this.tensors
    this.memory = new Float32Array(2 * needed * tensors)
    for (const [tensor, { data }] of before.entries()) this.memory.set(data as Float32Array, tensor * this.room)
  }
}
