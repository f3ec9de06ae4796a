import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import type { DecoderState } from '../decoders/search.ts'
import { attentionOf, MASK } from './moonshine-graph.ts'
import { alike } from './moonshine-tokens.ts'

/** Sizes of a model that its tensors do not tell before the first step. */
export interface Shape {
  layers: number
  heads: number
  headSize: number
  vocabulary: number
}

/** Heads of the attention over the sound: layer and number. */
export type Heads = readonly (readonly [layer: number, head: number])[]

const PARTS = ['key', 'value'] as const
const pastOf = (layer: number, side: string, part: string) => `past_key_values.${layer}.${side}.${part}`

/**
 * Moonshine's decoder over one window of sound, or over several, a row each. The attention cache has two parts: that of
 * the sound is made by the first step and stays where it is (where there is one sound, the graph shares it among all
 * hypotheses); that of the text grows by one token a step and has one row a hypothesis.
 */
export class MoonshineState implements DecoderState {
  readonly startToken = 1
  readonly endToken = 2
  readonly alike = alike
  readonly vocabularySize: number
  private readonly session: InferenceSession
  private readonly shape: Shape
  private readonly feeds: Record<string, Tensor>
  /** Names of the text cache's outputs, by those of its inputs. */
  private readonly grown = new Map<string, string>()
  /** Names of what belongs to the sound. */
  private readonly heard: string[] = [MASK]
  private readonly timeHeads: Heads
  /** Frames of each row's own sound, and of the longest of them at the beginning. */
  private frames: number[]
  private readonly width: number
  private attentions: Float32Array[] = []
  private first = true

  /** @param sounds the encoder's last_hidden_state for each window */
  constructor(session: InferenceSession, shape: Shape, sounds: Tensor[], timeHeads: Heads) {
    this.session = session
    this.shape = shape
    this.timeHeads = timeHeads
    this.vocabularySize = shape.vocabulary
    this.frames = sounds.map(({ dims }) => dims[1]!)
    this.width = Math.max(...this.frames)
    this.feeds = { ...together(sounds, this.frames), use_cache_branch: new Tensor('bool', [false], [1]) }
    const { heads, headSize } = shape
    for (let layer = 0; layer < shape.layers; layer++) {
      for (const part of PARTS) {
        this.grown.set(pastOf(layer, 'decoder', part), `present.${layer}.decoder.${part}`)
        this.heard.push(pastOf(layer, 'encoder', part))
        for (const side of ['decoder', 'encoder']) {
          const isKeyOfSound = side === 'encoder' && part === 'key'
          const dims = isKeyOfSound ? [0, heads, headSize, 1] : [0, heads, 1, headSize]
          this.feeds[pastOf(layer, side, part)] = new Tensor('float32', new Float32Array(0), dims)
        }
      }
    }
  }

  async step(tokens: number[]): Promise<Float32Array> {
    this.feeds.input_ids = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1])
    // Asking only for what changes spares copying the sound's part at every step.
    const later = ['logits', ...this.grown.values(), ...new Set(this.timeHeads.map(([layer]) => attentionOf(layer)))]
    const outputs = await this.session.run(this.feeds, this.first ? this.session.outputNames : later)
    for (const [name, tensor] of Object.entries(outputs)) {
      if (name.startsWith('present')) this.feeds[name.replace('present', 'past_key_values')] = tensor
    }
    if (this.first) this.feeds.use_cache_branch = new Tensor('bool', [true], [1])
    this.first = false
    this.attentions = this.timeHeads.map(([layer]) => outputs[attentionOf(layer)]!.data as Float32Array)
    return outputs.logits!.data as Float32Array
  }

  reorder(from: number[]): void {
    const rows = this.first ? this.frames.length : this.feeds[this.grown.keys().next().value!]!.dims[0]!
    if (from.length === rows && from.every((row, index) => row === index)) return
    const pick = (names: Iterable<string>) => {
      for (const name of names) this.feeds[name] = pickRows(this.feeds[name]!, from)
    }
    if (!this.first) pick(this.grown.keys())
    if (this.frames.length === 1) return
    pick(this.first ? [MASK, 'encoder_hidden_states'] : this.heard)
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

/** Windows of any lengths in one tensor, and the mask that hides what the shorter ones are filled up with. */
function together(sounds: Tensor[], frames: number[]): { encoder_hidden_states: Tensor; [MASK]: Tensor } {
  const longest = Math.max(...frames)
  const size = sounds[0]!.dims[2]!
  const mask = new Float32Array(sounds.length * longest)
  frames.forEach((count, row) => mask.fill(-Infinity, row * longest + count, (row + 1) * longest))
  const hidden = new Float32Array(sounds.length * longest * size)
  sounds.forEach((sound, row) => hidden.set(sound.data as Float32Array, row * longest * size))
  return {
    encoder_hidden_states: new Tensor('float32', hidden, [sounds.length, longest, size]),
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
