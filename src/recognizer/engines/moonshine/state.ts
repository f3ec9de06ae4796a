import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import { madeBuffers } from '../../../platform/lib/free-buffers.ts'
import type { DecoderState } from '../../decoders/search.ts'
import {
  attentionOf,
  MASK,
  NEWS,
  PARTS,
  pastOf,
  POSITION,
  SOUND,
  soundOf,
  TOKENS,
  type Part,
  type Shape,
} from './graph/graph.ts'
import { alike } from './tokens.ts'
import { TextMemory } from './text-memory.ts'

/** Heads of the attention over the audio: layer and number. */
export type Heads = readonly (readonly [layer: number, head: number])[]

/** The sessions of the graphs that Moonshine's decoder consists of. */
export interface DecoderSessions {
  /** One a layer. */
  soundLayers: InferenceSession[]
  step: InferenceSession
}

/** A model's decoder, and what has to be known of it. */
export interface DecoderModel {
  sessions: DecoderSessions
  shape: Shape
  /** The heads that listen to the word being said. */
  timeHeads: Heads
  /** Memories of the state that ended last, for the next one: else they would wait to be collected, and others lie beside them. */
  spare: { sound?: Float32Array | undefined; text?: Float32Array | undefined }
}

/**
 * Moonshine's decoder over one window of audio, or over several, a row each. What it remembers has two parts: that of
 * the audio is made before the first step and stays as it is (where there is one window, all hypotheses share it); that of
 * the text grows by one token a step and has one row a hypothesis.
 */
export class MoonshineState implements DecoderState {
  readonly startToken = 1
  readonly endToken = 2
  readonly alike = alike
  readonly vocabularySize: number
  private readonly model: DecoderModel
  /** What the encoder made of each window, until the first step. */
  private sounds: Tensor[]
  private feeds: Record<string, Tensor>
  /** Names of what was made of the audio (keys, then values), and of what belongs to the text. */
  private readonly heard = { key: [] as string[], value: [] as string[] }
  private readonly said: string[] = []
  /** Frames of each row's own audio, and of the longest of them at the beginning. */
  private frames: number[]
  private readonly width: number
  private attentions: Float32Array[] = []
  /** Holds what was made of the audio. */
  private memory: Float32Array | undefined
  private text: TextMemory | undefined
  private steps = 0

  private constructor(model: DecoderModel, frames: number[], sounds: Tensor[], heard: Record<string, Tensor>) {
    this.model = model
    this.vocabularySize = model.shape.vocabulary
    this.sounds = sounds
    this.feeds = { [MASK]: maskOf(frames), ...heard }
    this.frames = frames
    this.width = widthOf(frames)
    for (let layer = 0; layer < model.shape.layers; layer++) {
      for (const part of PARTS) {
        this.heard[part].push(soundOf(layer, part))
        this.said.push(pastOf(layer, part))
      }
    }
  }

  /** @param sounds the encoder's last_hidden_state for each window */
  static over(sounds: Tensor[], model: DecoderModel): MoonshineState {
    const frames = sounds.map(({ dims }) => dims[1]!)
    return new MoonshineState(model, frames, sounds, {})
  }

  /** The window of one row from its beginning, alone; what was made of its audio is not made again. */
  alone(row: number): MoonshineState {
    const frames = [this.frames[row]!]
    const heard: Record<string, Tensor> = {}
    for (const part of PARTS) {
      for (const name of this.heard[part]) {
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
    this.text!.add(outputs[NEWS]!.data as Float32Array)
    this.feedText()
    madeBuffers(bytesOf(outputs))
    this.attentions = timeHeads.map(([layer]) => outputs[attentionOf(layer)]!.data as Float32Array)
    return outputs.logits!.data as Float32Array
  }

  /** Makes what every step needs of the sounds, unless it is there: one after the other, which takes less memory and time. */
  private async begin(rows: number): Promise<void> {
    const { layers, heads, headSize } = this.model.shape
    if (this.sounds.length > 0) this.makeRoom(this.sounds.length)
    for (const [row, sound] of this.sounds.entries()) {
      for (let layer = 0; layer < layers; layer++) await this.hear(sound, row, layer)
    }
    this.sounds = []
    this.text = new TextMemory({ tensors: this.said.length, heads, headSize }, rows, takeSpare(this.model, 'text'))
    this.feedText()
  }

  private feedText(): void {
    for (const [index, tensor] of this.text!.tensors.entries()) this.feeds[this.said[index]!] = tensor
  }

  /** A method of its own: what a run gives out can be freed as soon as it is copied. */
  private async hear(sound: Tensor, row: number, layer: number): Promise<void> {
    const heard = await this.model.sessions.soundLayers[layer]!.run({ [SOUND]: sound })
    for (const part of PARTS) copyRow(heard[part]!, 0, this.feeds[this.heard[part][layer]!]!, row, part)
    madeBuffers(bytesOf(heard))
  }

  private makeRoom(rows: number): void {
    const { layers, heads, headSize } = this.model.shape
    const size = rows * heads * headSize * this.width
    const needed = size * layers * PARTS.length
    const usual = USUAL_FRAMES * heads * headSize * layers * PARTS.length
    const spare = takeSpare(this.model, 'sound')
    this.memory = spare && spare.length >= needed ? spare : new Float32Array(Math.max(needed, usual))
    for (const [index, part] of PARTS.entries()) {
      for (const [layer, name] of this.heard[part].entries()) {
        const at = (PARTS.length * layer + index) * size
        const dims = part === 'key' ? [headSize, this.width] : [this.width, headSize]
        this.feeds[name] = new Tensor('float32', this.memory.subarray(at, at + size), [rows, heads, ...dims])
      }
    }
  }

  /** Gives its memory to the next state; it is of no use any more. */
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
    if (!this.text) this.sounds = from.map((row) => this.sounds[row]!)
    const names = this.text ? [MASK, ...this.heard.key, ...this.heard.value] : [MASK]
    for (const name of names) this.feeds[name] = pickRows(this.feeds[name]!, from)
    this.frames = from.map((row) => this.frames[row]!)
  }

  /** The sum over the heads that tell the time. */
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

/**
 * Frames of the longest runs: there is room for them from the beginning, as memory that was let go of waits to be collected.
 * What is not used of it the system does not give.
 */
const USUAL_FRAMES = 2304

const bytesOf = (tensors: InferenceSession.OnnxValueMapType): number =>
  Object.values(tensors).reduce((sum, { data }) => sum + (data as Float32Array).byteLength, 0)

/** Frames are added up in blocks. Where all widths are whole ones, a row is the same to the last bit in any of them. */
const BLOCK = 32
const widthOf = (frames: number[]) => Math.ceil(Math.max(...frames) / BLOCK) * BLOCK

/** The mask that hides what shorter windows are filled up with. */
function maskOf(frames: number[]): Tensor {
  const longest = widthOf(frames)
  const mask = new Float32Array(frames.length * longest)
  frames.forEach((count, row) => mask.fill(-Infinity, row * longest + count, (row + 1) * longest))
  return new Tensor('float32', mask, [frames.length, 1, 1, longest])
}

/** Which axis of a tensor counts frames. */
const FRAMES = { key: 3, value: 2 }

/** One row like those of a tensor, of so many frames. */
function roomFor({ dims }: Tensor, part: Part, frames: number): Tensor {
  const [, ...rest] = dims.with(FRAMES[part], frames)
  return new Tensor('float32', new Float32Array(rest.reduce((size, one) => size * one, 1)), [1, ...rest])
}

/** The spare memory, which is another's from now on. */
function takeSpare(model: DecoderModel, name: keyof DecoderModel['spare']): Float32Array | undefined {
  const spare = model.spare[name]
  model.spare[name] = undefined
  return spare
}

/** Copies as many frames of a row into one of another tensor as both have room for; what is left there becomes silent. */
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
  /** Numbers in a line. */
  length: number
}

/** A tensor of the rows `from` (first axis) of another; where rows only go, in the same memory. */
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
