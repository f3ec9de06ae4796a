import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import type { DecoderState } from '../decoders/search.ts'
import {
  attentionOf,
  MASK,
  PARTS,
  pastOf,
  POSITION,
  presentOf,
  SOUND,
  soundOf,
  TOKENS,
  type Shape,
} from './moonshine-graph.ts'
import { alike } from './moonshine-tokens.ts'

/** Heads of the attention over the audio: layer and number. */
export type Heads = readonly (readonly [layer: number, head: number])[]

/** The sessions of the two graphs that Moonshine's decoder consists of. */
export interface DecoderSessions {
  sound: InferenceSession
  step: InferenceSession
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
  private readonly sessions: DecoderSessions
  private readonly shape: Shape
  private feeds: Record<string, Tensor>
  /** Names of what belongs to the audio, and of what belongs to the text. */
  private readonly heard: string[] = [MASK]
  private readonly said: string[] = []
  private readonly timeHeads: Heads
  /** Frames of each row's own audio, and of the longest of them at the beginning. */
  private frames: number[]
  private readonly width: number
  private attentions: Float32Array[] = []
  private steps = 0

  /** @param sounds the encoder's last_hidden_state for each window */
  constructor(sessions: DecoderSessions, shape: Shape, sounds: Tensor[], timeHeads: Heads) {
    this.sessions = sessions
    this.shape = shape
    this.timeHeads = timeHeads
    this.vocabularySize = shape.vocabulary
    this.frames = sounds.map(({ dims }) => dims[1]!)
    this.width = widthOf(this.frames)
    this.feeds = together(sounds, this.frames)
    for (let layer = 0; layer < shape.layers; layer++) {
      for (const part of PARTS) {
        this.heard.push(soundOf(layer, part))
        this.said.push(pastOf(layer, part))
      }
    }
  }

  async step(tokens: number[]): Promise<Float32Array> {
    if (this.steps === 0) await this.hear(tokens.length)
    this.feeds[TOKENS] = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1])
    this.feeds[POSITION] = new Tensor('int64', BigInt64Array.of(BigInt(this.steps++)), [1])
    const outputs = await this.sessions.step.run(this.feeds)
    for (let layer = 0; layer < this.shape.layers; layer++) {
      for (const part of PARTS) this.feeds[pastOf(layer, part)] = outputs[presentOf(layer, part)] as Tensor
    }
    this.attentions = this.timeHeads.map(([layer]) => outputs[attentionOf(layer)]!.data as Float32Array)
    return outputs.logits!.data as Float32Array
  }

  /** Makes what every step needs of the sounds. */
  private async hear(rows: number): Promise<void> {
    const { [SOUND]: sound, [MASK]: mask } = this.feeds
    const { heads, headSize } = this.shape
    this.feeds = { ...(await this.sessions.sound.run({ [SOUND]: sound! })), [MASK]: mask! }
    const nothing = new Tensor('float32', new Float32Array(0), [rows, heads, 0, headSize])
    for (const name of this.said) this.feeds[name] = nothing
  }

  reorder(from: number[]): void {
    const rows = this.steps === 0 ? this.frames.length : this.feeds[this.said[0]!]!.dims[0]!
    if (from.length === rows && from.every((row, index) => row === index)) return
    const pick = (names: string[]) => {
      for (const name of names) this.feeds[name] = pickRows(this.feeds[name]!, from)
    }
    if (this.steps > 0) pick(this.said)
    if (this.frames.length === 1) return
    pick(this.steps === 0 ? [MASK, SOUND] : this.heard)
    this.frames = from.map((row) => this.frames[row]!)
  }

  /** The sum over the heads that tell the time. */
  attention(row: number): Float32Array {
    const frames = this.frames[row] ?? this.frames[0]!
    const sum = new Float32Array(frames)
    this.timeHeads.forEach(([, head], index) => {
      const start = (row * this.shape.heads + head) * this.width
      const heard = this.attentions[index]!.subarray(start, start + frames)
      heard.forEach((share, frame) => (sum[frame]! += share))
    })
    return sum
  }
}

/** Frames are added up in blocks. Where all widths are whole ones, a row is the same to the last bit in any of them. */
const BLOCK = 32
const widthOf = (frames: number[]) => Math.ceil(Math.max(...frames) / BLOCK) * BLOCK

/** Windows of any lengths in one tensor, and the mask that hides what the shorter ones are filled up with. */
function together(sounds: Tensor[], frames: number[]): Record<typeof SOUND | typeof MASK, Tensor> {
  const longest = widthOf(frames)
  const size = sounds[0]!.dims[2]!
  const mask = new Float32Array(sounds.length * longest)
  frames.forEach((count, row) => mask.fill(-Infinity, row * longest + count, (row + 1) * longest))
  const hidden = new Float32Array(sounds.length * longest * size)
  sounds.forEach((sound, row) => hidden.set(sound.data as Float32Array, row * longest * size))
  return {
    [SOUND]: new Tensor('float32', hidden, [sounds.length, longest, size]),
    [MASK]: new Tensor('float32', mask, [sounds.length, 1, 1, longest]),
  }
}

/** A tensor of the rows `from` (first axis) of another. */
function pickRows(tensor: Tensor, from: number[]): Tensor {
  const [rows, ...rest] = tensor.dims
  const data = tensor.data as Float32Array
  const size = data.length / rows!
  const picked = new Float32Array(size * from.length)
  from.forEach((row, index) => picked.set(data.subarray(row * size, (row + 1) * size), index * size))
  return new Tensor('float32', picked, [from.length, ...rest])
}
