import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import { trackBufferAllocation } from '../../../platform/lib/free-buffers.ts'
import type { DecoderState } from '../../decoders/search.ts'
import {
  attentionOf,
  MASK,
  NEW_KV,
  PARTS,
  pastKv,
  POSITION,
  ENCODER_OUT,
  encoderKv,
  TOKENS,
  type Part,
  type Shape,
} from './graph/graph.ts'
import { alike } from './tokens.ts'
import { TextMemory } from './text-memory.ts'

/** Heads of the cross-attention. */
export type Heads = readonly (readonly [layer: number, head: number])[]

export interface DecoderSessions {
  /** One per layer. */
  encoderKvLayers: InferenceSession[]
  step: InferenceSession
}

export interface DecoderModel {
  sessions: DecoderSessions
  shape: Shape
  timeHeads: Heads
  /** Buffers of the previous state: new ones would wait for the garbage collector. */
  spare: { sound?: Float32Array | undefined; text?: Float32Array | undefined }
}

/**
 * Moonshine's decoder over one or several windows of audio, one per row. The cross-attention's keys and values are computed
 * before the first step and stay; all hypotheses of one window share them. The cache of the text grows by a token per step,
 * with one row per hypothesis.
 */
export class MoonshineState implements DecoderState {
  readonly startToken = 1
  readonly endToken = 2
  readonly alike = alike
  readonly vocabularySize: number
  private feeds: Record<string, Tensor>
  /** Names of inputs: of the cross-attention, and of the self-attention's cache. */
  private readonly audioNames = { key: [] as string[], value: [] as string[] }
  private readonly textNames: string[] = []
  private readonly width: number
  private attentions: Float32Array[] = []
  /** Keys and values of the cross-attention. */
  private memory: Float32Array | undefined
  private text: TextMemory | undefined
  private steps = 0

  private constructor(
    private readonly model: DecoderModel,
    /** Frames of each row's audio, and of the longest at the beginning. */
    private frames: number[],
    /** The encoder's output for each window, until the first step. */
    private encoded: Tensor[],
    heard: Record<string, Tensor>,
  ) {
    this.vocabularySize = model.shape.vocabulary
    this.feeds = { [MASK]: maskOf(frames), ...heard }
    this.width = widthOf(frames)
    for (let layer = 0; layer < model.shape.layers; layer++) {
      for (const part of PARTS) {
        this.audioNames[part].push(encoderKv(layer, part))
        this.textNames.push(pastKv(layer, part))
      }
    }
  }

  /** @param encoded the encoder's last_hidden_state for each window */
  static over(encoded: Tensor[], model: DecoderModel): MoonshineState {
    const frames = encoded.map(({ dims }) => dims[1]!)
    return new MoonshineState(model, frames, encoded, {})
  }

  /** The window of one row alone, from its beginning, with a copy of its keys and values. */
  alone(row: number): MoonshineState {
    const frames = [this.frames[row]!]
    const heard: Record<string, Tensor> = {}
    for (const part of PARTS) {
      for (const name of this.audioNames[part]) {
        heard[name] = roomFor(this.feeds[name]!, part, widthOf(frames))
        copyRow(this.feeds[name]!, row, heard[name], 0, part)
      }
    }
    return new MoonshineState(this.model, frames, [], heard)
  }

  async step(tokens: number[]): Promise<Float32Array> {
    if (this.steps === 0) await this.begin(tokens.length)
    this.feeds[TOKENS] = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1])
    this.feeds[POSITION] = new Tensor('int64', BigInt64Array.of(BigInt(this.steps++)), [1])
    const { sessions, timeHeads } = this.model
    const outputs = await sessions.step.run(this.feeds)
    this.text!.add(outputs[NEW_KV]!.data as Float32Array)
    this.feedText()
    trackBufferAllocation(bytesOf(outputs))
    this.attentions = timeHeads.map(([layer]) => outputs[attentionOf(layer)]!.data as Float32Array)
    return outputs.logits!.data as Float32Array
  }

  /** Computes keys and values of the audio, window by window, which takes less memory and time. */
  private async begin(rows: number): Promise<void> {
    const { layers, heads, headSize } = this.model.shape
    if (this.encoded.length > 0) this.makeRoom(this.encoded.length)
    for (const [row, output] of this.encoded.entries()) {
      for (let layer = 0; layer < layers; layer++) await this.projectAudio(output, row, layer)
    }
    this.encoded = []
    this.text = new TextMemory({ tensors: this.textNames.length, heads, headSize }, rows, takeSpare(this.model, 'text'))
    this.feedText()
  }

  private feedText(): void {
    for (const [index, tensor] of this.text!.tensors.entries()) this.feeds[this.textNames[index]!] = tensor
  }

  /** A method of its own, so that the outputs of a run can be freed as soon as they are copied. */
  private async projectAudio(output: Tensor, row: number, layer: number): Promise<void> {
    const heard = await this.model.sessions.encoderKvLayers[layer]!.run({ [ENCODER_OUT]: output })
    for (const part of PARTS) copyRow(heard[part]!, 0, this.feeds[this.audioNames[part][layer]!]!, row, part)
    trackBufferAllocation(bytesOf(heard))
  }

  private makeRoom(rows: number): void {
    const { layers, heads, headSize } = this.model.shape
    const size = rows * heads * headSize * this.width
    const needed = size * layers * PARTS.length
    const usual = USUAL_FRAMES * heads * headSize * layers * PARTS.length
    const spare = takeSpare(this.model, 'sound')
    this.memory = spare && spare.length >= needed ? spare : new Float32Array(Math.max(needed, usual))
    for (const [index, part] of PARTS.entries()) {
      for (const [layer, name] of this.audioNames[part].entries()) {
        const at = (PARTS.length * layer + index) * size
        const dims = part === 'key' ? [headSize, this.width] : [this.width, headSize]
        this.feeds[name] = new Tensor('float32', this.memory.subarray(at, at + size), [rows, heads, ...dims])
      }
    }
  }

  /** Passes its buffers to the next state and becomes unusable. */
  end(): void {
    const { spare } = this.model
    this.model.spare = { sound: this.memory ?? spare.sound, text: this.text?.spare ?? spare.text }
    this.memory = this.text = undefined
    this.feeds = {}
  }

  reorder(from: number[]): void {
    const rows = this.text?.rows ?? this.frames.length
    if (from.length === rows && from.every((row, index) => row === index)) return
    if (this.text) {
      this.text.pick(from)
      this.feedText()
    }
    if (this.frames.length === 1) return
    if (!this.text) this.encoded = from.map((row) => this.encoded[row]!)
    const names = this.text ? [MASK, ...this.audioNames.key, ...this.audioNames.value] : [MASK]
    for (const name of names) this.feeds[name] = pickRows(this.feeds[name]!, from)
    this.frames = from.map((row) => this.frames[row]!)
  }

  /** Sums the heads that attend to the current word. */
  attention(row: number): Float32Array {
    const frames = this.frames[row] ?? this.frames[0]!
    const sum = new Float32Array(frames)
    this.model.timeHeads.forEach(([, head], index) => {
      const start = (row * this.model.shape.heads + head) * this.width
      const heard = this.attentions[index]!.subarray(start, start + frames)
      heard.forEach((share, frame) => (sum[frame]! += share))
    })
    return sum
  }
}

/** Allocated at once, because smaller buffers would wait to be collected. Unused pages are not mapped. */
const USUAL_FRAMES = 2304

const bytesOf = (tensors: InferenceSession.OnnxValueMapType): number =>
  Object.values(tensors).reduce((sum, { data }) => sum + (data as Float32Array).byteLength, 0)

/** Sums over frames are computed in blocks: with whole blocks, a row is the same to the last bit in any run. */
const BLOCK = 32
const widthOf = (frames: number[]) => Math.ceil(Math.max(...frames) / BLOCK) * BLOCK

/** Hides the padding of shorter windows. */
function maskOf(frames: number[]): Tensor {
  const longest = widthOf(frames)
  const mask = new Float32Array(frames.length * longest)
  frames.forEach((count, row) => mask.fill(-Infinity, row * longest + count, (row + 1) * longest))
  return new Tensor('float32', mask, [frames.length, 1, 1, longest])
}

/** The axis of frames. */
const FRAMES = { key: 3, value: 2 }

/** A row like those of a tensor, with that many frames. */
function roomFor({ dims }: Tensor, part: Part, frames: number): Tensor {
  const [, ...rest] = dims.with(FRAMES[part], frames)
  return new Tensor('float32', new Float32Array(rest.reduce((size, one) => size * one, 1)), [1, ...rest])
}

function takeSpare(model: DecoderModel, name: keyof DecoderModel['spare']): Float32Array | undefined {
  const spare = model.spare[name]
  model.spare[name] = undefined
  return spare
}

/** Copies a row into a row of another tensor, cut or padded with zeros. */
function copyRow(source: Tensor, from: number, target: Tensor, to: number, part: Part): void {
  const [, heads, inner] = source.dims as [number, number, number]
  const lines = part === 'key' ? heads * inner : heads
  const [read, written] = [source, target].map(({ data, dims }) => {
    const length = (data as Float32Array).length / dims[0]! / lines
    return { data: data as Float32Array, length }
  }) as [Lines, Lines]
  const length = Math.min(read.length, written.length)
  for (let line = 0; line < lines; line++) {
    const start = (from * lines + line) * read.length
    const at = (to * lines + line) * written.length
    written.data.set(read.data.subarray(start, start + length), at)
    written.data.fill(0, at + length, at + written.length)
  }
}

interface Lines {
  data: Float32Array
  length: number
}

/** The rows `from` (first axis) of a tensor; reuses its memory if rows are only removed. */
function pickRows(tensor: Tensor, from: number[]): Tensor {
  const [rows, ...rest] = tensor.dims
  const data = tensor.data as Float32Array
  const size = data.length / rows!
  const isSubset = from.every((row, index) => index === 0 || row > from[index - 1]!)
  const picked = isSubset ? data.subarray(0, size * from.length) : new Float32Array(size * from.length)
  from.forEach((row, index) => {
    if (picked.buffer !== data.buffer || row !== index)
      picked.set(data.subarray(row * size, (row + 1) * size), index * size)
  })
  return new Tensor('float32', picked, [from.length, ...rest])
}
