import { Tensor } from 'onnxruntime-node'
import { trackBufferAllocation } from '../../../platform/lib/free-buffers.ts'

/** Of what is remembered: how many tensors there are, and what one of them has for each token. */
export interface TextShape {
  tensors: number
  heads: number
  headSize: number
}

/** Tokens of all rows together that there is room for at the beginning; what is not used of it, the system does not give. */
const USUAL_TOKENS = 384

/**
 * What a decoder remembers of texts, a row each: tensors of rows × heads × tokens × head size that grow by one token a step.
 * They stay in one memory. As outputs of every step they would be allocated and copied by ONNX Runtime and wait to be
 * collected, some megabytes a step.
 */
export class TextMemory {
  private readonly shape: TextShape
  private memory: Float32Array
  rows: number
  private tokens = 0

  /** @param spare the memory of one that has ended */
  constructor(shape: TextShape, rows: number, spare: Float32Array = new Float32Array(0)) {
    this.shape = shape
    this.rows = rows
    const { tensors, heads, headSize } = shape
    const usual = tensors * USUAL_TOKENS * heads * headSize
    this.memory = spare.length >= usual ? spare : new Float32Array(usual)
  }

  /** Its memory for the next one; it is of no use any more. */
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

  /** Adds a token to each row. @param news rows × tensors × heads × head size */
  add(news: Float32Array): void {
    this.makeRoom(this.rows, this.tokens + 1)
    const { memory } = this
    const { tensors, heads, headSize } = this.shape
    const before = this.tokens * headSize
    const after = before + headSize
    for (let tensor = 0; tensor < tensors; tensor++) {
      const start = tensor * this.room
      // From behind: each line goes where the next one was.
      for (let line = this.rows * heads - 1; line >= 0; line--) {
        const to = start + line * after
        const from = start + line * before
        memory.copyWithin(to, from, from + before)
        const row = Math.floor(line / heads)
        const fresh = ((row * tensors + tensor) * heads + (line % heads)) * headSize
        for (let n = 0; n < headSize; n++) memory[to + before + n] = news[fresh + n]!
      }
    }
    this.tokens++
  }

  /** Makes row i what row `from[i]` was. */
  pick(from: number[]): void {
    this.makeRoom(from.length, this.tokens)
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

  /** Numbers that each tensor has room for. */
  private get room(): number {
    return Math.floor(this.memory.length / this.shape.tensors)
  }

  private makeRoom(rows: number, tokens: number): void {
    const { tensors, heads, headSize } = this.shape
    const needed = rows * heads * tokens * headSize
    if (needed <= this.room) return
    const before = this.tensors
    this.memory = new Float32Array(2 * needed * tensors)
    for (const [tensor, { data }] of before.entries()) this.memory.set(data as Float32Array, tensor * this.room)
  }
}
