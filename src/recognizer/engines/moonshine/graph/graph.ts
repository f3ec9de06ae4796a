/**
 * Writes Moonshine's decoder anew from the weights that Useful Sensors exported. Their graph has 1,450 nodes, most of which
 * work out shapes; a step of this one has 490 and does the same, but for what is said in moonshine-products.ts, and:
 *  - rows may hear audio of different lengths: a mask hides what was filled up;
 *  - the attention over the audio can be read, which tells when a word was said.
 */
import { Products, transposed, type Weights } from './products.ts'
import type { ExportedModel } from './onnx-reader.ts'
import { OnnxWriter } from './onnx-writer.ts'

/** Sizes of a model that its weights do not tell. */
export interface Shape {
  layers: number
  heads: number
  headSize: number
  vocabulary: number
}

export const SOUND = 'sound'
/** The tokens of a step, a row each, and the number of that step. */
export const TOKENS = 'tokens'
export const POSITION = 'position'
/** Added to the scores of the attention over the audio: 0 for what a row may hear, -Infinity for what it may not. */
export const MASK = 'sound_mask'
export const PARTS = ['key', 'value'] as const
export type Part = (typeof PARTS)[number]
/** What a layer remembers of the audio: keys as rows × heads × head size × frames, values × frames × head size. */
export const soundOf = (layer: number, part: Part) => `sound.${layer}.${part}`
/** What a layer remembers of the text before a step: rows × heads × tokens × head size. */
export const pastOf = (layer: number, part: Part) => `past.${layer}.${part}`
/** What is to be remembered of a step's token: rows × (layers, of each the parts, of each the heads) × 1 × head size. */
export const NEWS = 'news'
/** The attention over the audio of a layer: rows × heads × 1 × frames. */
export const attentionOf = (layer: number) => `attention.${layer}`

const EPSILON = { epsilon: { float: 1e-5 } }
/** More tokens than any text has. */
const LONGEST_TEXT = 512

/**
 * Graphs that make what the decoder needs of a sound at every step, one a layer: together they would give out 20 MB for a long
 * window. With signed weights where `hasSigned`.
 */
export function soundGraphs(model: ExportedModel, shape: Shape, hasSigned: boolean): Uint8Array[] {
  return Array.from({ length: shape.layers }, (_, layer) => soundGraph(model, shape, layer, hasSigned))
}

/** Gives out `key` and `value`, in the form that the step graph takes them. */
function soundGraph(model: ExportedModel, shape: Shape, layer: number, hasSigned: boolean): Uint8Array {
  const writer = new OnnxWriter()
  const products = new Products(writer, hasSigned)
  const sound = writer.input(SOUND, 'float32')
  const perHead = writer.integers([0, 0, shape.heads, shape.headSize])
  const part = `/model/decoder/layers.${layer}/encoder_attn`
  const [keys, values] = ['k_proj', 'v_proj'].map((name) =>
    writer.one('Reshape', [products.of(sound, [model.matrix(`${part}/${name}`)]), perHead]),
  )
  writer.output(writer.one('Transpose', [keys!], { perm: [0, 2, 3, 1] }), 'key', 'float32')
  writer.output(writer.one('Transpose', [values!], { perm: [0, 2, 1, 3] }), 'value', 'float32')
  return writer.bytesOfModel()
}

/** A step of the decoder; gives out the attention over the audio of the layers `timed`. */
export function stepGraph(
  model: ExportedModel,
  shape: Shape,
  timed: readonly number[],
  hasSigned: boolean,
): Uint8Array {
  return new StepWriter(model, shape, hasSigned).write(timed)
}

class StepWriter {
  private readonly writer = new OnnxWriter()
  private readonly products: Products
  private readonly model: ExportedModel
  private readonly shape: Shape
  private readonly perHead: string
  private readonly joined: string
  private readonly news: string[] = []
  /** The residual stream, and the same normalised for the next part. */
  private residual = ''
  private normal = ''

  constructor(model: ExportedModel, shape: Shape, hasSigned: boolean) {
    this.products = new Products(this.writer, hasSigned)
    this.model = model
    this.shape = shape
    this.perHead = this.writer.integers([0, shape.heads, 1, shape.headSize])
    this.joined = this.writer.integers([0, 1, shape.heads * shape.headSize])
  }

  write(timed: readonly number[]): Uint8Array {
    const { writer } = this
    const table = this.model.matrixNamed('model.decoder.embed_tokens.weight_merged_0')
    const rows = writer.one('Gather', [
      writer.bytes(table.quantised, [table.inputs, table.outputs]),
      writer.input(TOKENS, 'int64'),
    ])
    const zero = writer.bytes(Uint8Array.of(table.zero), [])
    this.residual = writer.one('DequantizeLinear', [rows, writer.floats([table.scale], []), zero])
    const first = [this.residual, this.floats('layers.0.input_layernorm.weight')]
    this.normal = writer.one('LayerNormalization', first, { axis: 2, ...EPSILON })
    const turn = this.rotaryEmbedding()
    const mask = writer.input(MASK, 'float32')
    for (let layer = 0; layer < this.shape.layers; layer++) {
      this.attendToText(layer, turn)
      const shares = this.attendToSound(layer, mask)
      if (timed.includes(layer)) writer.output(shares, attentionOf(layer), 'float32')
      this.feedForward(layer)
    }
    writer.output(writer.one('Concat', this.news, { axis: 1 }), NEWS, 'float32')
    writer.output(this.products.of(this.normal, [transposed(table)]), 'logits', 'float32')
    return writer.bytesOfModel()
  }

  private attendToText(layer: number, turn: (queryAndKey: string) => string): void {
    const { writer } = this
    const { heads, headSize } = this.shape
    const size = heads * headSize
    const weights = ['q', 'k', 'v'].map((part) => this.weights(layer, `self_attn/${part}_proj`))
    const all = this.products.of(this.normal, [this.scaled(weights[0]!), ...weights.slice(1)])
    const [queryAndKey, value] = writer.several('Split', [all, writer.integers([2 * size, size])], 2, { axis: 2 })
    const turned = writer.one('Reshape', [turn(queryAndKey!), writer.integers([0, 2 * heads, 1, headSize])])
    const [query, key] = writer.several('Split', [turned], 2, { axis: 1 })
    const keys = this.withCache(layer, 'key', key!)
    const values = this.withCache(layer, 'value', writer.one('Reshape', [value!, this.perHead]))
    const shares = writer.one('Softmax', [writer.one('FusedMatMul', [query!, keys], { transB: 1 })], { axis: 3 })
    this.add(this.dense(layer, 'self_attn', shares, values), `layers.${layer}.post_attention_layernorm`)
  }

  /** Returns the attention. */
  private attendToSound(layer: number, mask: string): string {
    const { writer } = this
    const query = this.products.of(this.normal, [this.scaled(this.weights(layer, 'encoder_attn/q_proj'))])
    const [keys, values] = PARTS.map((part) => writer.input(soundOf(layer, part), 'float32'))
    const scores = writer.one('MatMul', [writer.one('Reshape', [query, this.perHead]), keys!])
    const shares = writer.one('Softmax', [writer.one('Add', [scores, mask])], { axis: 3 })
    this.add(this.dense(layer, 'encoder_attn', shares, values!), `layers.${layer}.final_layernorm`)
    return shares
  }

  private feedForward(layer: number): void {
    const { writer } = this
    const up = this.products.of(this.normal, [this.weights(layer, 'mlp/up_proj')])
    const biased = writer.one('Add', [up, this.floats(`layers.${layer}.mlp.up_proj.bias`)])
    const [open, gate] = writer.several('Split', [biased], 2, { axis: 2 })
    const gated = writer.one('Mul', [open!, writer.one('QuickGelu', [gate!], { alpha: { float: 1 } })])
    const next = layer + 1 < this.shape.layers ? `layers.${layer + 1}.input_layernorm` : 'norm'
    const down = this.products.of(gated, [this.weights(layer, 'mlp/down_proj')])
    this.add(down, next, this.floats(`layers.${layer}.mlp.down_proj.bias`))
  }

  /** Turns queries and keys by their position in the text (rotary position embedding). */
  private rotaryEmbedding(): (queryAndKey: string) => string {
    const { writer } = this
    const position = writer.input(POSITION, 'int64')
    const speeds = this.model.floats('/model/decoder/rotary_emb/Cast_1_output_0')
    const table = (of: (angle: number) => number) => {
      const angles = Array.from({ length: LONGEST_TEXT }, (_, at) => [...speeds].map((speed) => of(at * speed)))
      return writer.floats(angles.flat(), [LONGEST_TEXT, speeds.length])
    }
    const tables = [table(Math.cos), table(Math.sin)]
    const sizes = { num_heads: 2 * this.shape.heads, rotary_embedding_dim: 2 * speeds.length }
    return (queryAndKey) =>
      writer.one('RotaryEmbedding', [queryAndKey, position, ...tables], { interleaved: 1, ...sizes })
  }

  /** The cache of a layer, and what is new behind it. */
  private withCache(layer: number, part: Part, news: string): string {
    this.news.push(news)
    return this.writer.one('Concat', [this.writer.input(pastOf(layer, part), 'float32'), news], { axis: 2 })
  }

  /** What an attention has found. */
  private dense(layer: number, part: string, shares: string, values: string): string {
    const found = this.writer.one('Reshape', [this.writer.one('MatMul', [shares, values]), this.joined])
    return this.products.of(found, [this.weights(layer, `${part}/dense`)])
  }

  /** Adds what a part says, and its bias where it has one, and normalises for the part that follows. */
  private add(said: string, norm: string, bias = ''): void {
    const { writer } = this
    const inputs = [this.residual, said, this.floats(`${norm}.weight`), '', bias]
    const outputs = [writer.fresh(), '', '', writer.fresh()]
    const [normal, , , residual] = writer.several('SkipLayerNormalization', inputs, outputs, EPSILON)
    this.normal = normal!
    this.residual = residual!
  }

  /** The scores of an attention are to be divided by the root of the head's size. */
  private scaled(weights: Weights): Weights {
    return { ...weights, factor: 1 / Math.sqrt(this.shape.headSize) }
  }

  private weights(layer: number, part: string): Weights {
    return this.model.matrix(`/model/decoder/layers.${layer}/${part}`)
  }

  private floats(name: string): string {
    return this.writer.floats(this.model.floats(`model.decoder.${name}_merged_0`))
  }
}
