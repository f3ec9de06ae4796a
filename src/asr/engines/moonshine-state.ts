import type { InferenceSession } from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import type { DecoderState } from '../decoders/search.ts'

/** Sizes of a model that its tensors do not tell before the first step. */
export interface Shape {
  layers: number
  heads: number
  headSize: number
  vocabulary: number
}

const PARTS = ['key', 'value'] as const

/**
 * Moonshine's decoder over one window of sound. The attention cache has two parts: that of the sound is made by the
 * first step, stays where it is and is shared by all hypotheses (a batch of one, which the graph broadcasts); that of
 * the text grows by one token a step and has one row a hypothesis.
 */
export class MoonshineState implements DecoderState {
  readonly startToken = 1
  readonly endToken = 2
  readonly vocabularySize: number
  private readonly session: InferenceSession
  private readonly feeds: Record<string, Tensor>
  /** Names of the text cache's outputs, by those of its inputs. */
  private readonly grown = new Map<string, string>()
  private first = true

  /** @param sound the encoder's last_hidden_state */
  constructor(session: InferenceSession, shape: Shape, sound: Tensor) {
    this.session = session
    this.vocabularySize = shape.vocabulary
    this.feeds = { encoder_hidden_states: sound, use_cache_branch: new Tensor('bool', [false], [1]) }
    for (let layer = 0; layer < shape.layers; layer++) {
      for (const part of PARTS) {
        this.grown.set(`past_key_values.${layer}.decoder.${part}`, `present.${layer}.decoder.${part}`)
        for (const side of ['decoder', 'encoder']) {
          const none = new Tensor('float32', new Float32Array(0), [0, shape.heads, 1, shape.headSize])
          this.feeds[`past_key_values.${layer}.${side}.${part}`] = none
        }
      }
    }
  }

  async step(tokens: number[]): Promise<Float32Array> {
    this.feeds.input_ids = new Tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length, 1])
    // Asking only for what changes spares copying the sound's part at every step.
    const wanted = this.first ? this.session.outputNames : ['logits', ...this.grown.values()]
    const outputs = await this.session.run(this.feeds, wanted)
    for (const [name, tensor] of Object.entries(outputs)) {
      if (name !== 'logits') this.feeds[name.replace('present', 'past_key_values')] = tensor
    }
    if (this.first) this.feeds.use_cache_branch = new Tensor('bool', [true], [1])
    this.first = false
    return outputs.logits!.data as Float32Array
  }

  reorder(from: number[]): void {
    const [name] = this.grown.keys()
    const rows = this.feeds[name!]!.dims[0]!
    if (from.length === rows && from.every((row, index) => row === index)) return
    for (const past of this.grown.keys()) this.feeds[past] = pickRows(this.feeds[past]!, from)
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
