/**
 * Rebuilds Moonshine's decoder from the weights exported by Useful Sensors: 490 nodes per step instead of 1,450, most of which
 * compute shapes. Rows can attend to audio of different lengths, and the attention is an output, from which we get the times
 * of words. Precision: products.ts.
 */
import { Products, transposed, type Weights } from './products.ts'
import type { ExportedModel } from './onnx-reader.ts'
import { OnnxWriter } from './onnx-writer.ts'

/** Dimensions that the weights do not contain. */
export interface Shape {
  layers: number
  heads: number
  headSize: number
  vocabulary: number
}

export const ENCODER_OUT = 'encoder_out'
export const TOKENS = 'tokens'
export const POSITION = 'position'
/** Added to the scores of the attention over the audio: 0 within a row's audio, -Infinity in its padding. */
export const MASK = 'encoder_mask'
export const PARTS = ['key', 'value'] as const
export type Part = (typeof PARTS)[number]
/** Keys (rows × heads × head size × frames) or values (… × frames × head size) of a layer's cross-attention. */
export const encoderKv = (layer: number, part: Part) => `encoder.${layer}.${part}`
/** Cached keys or values of a layer's self-attention: rows × heads × tokens × head size. */
export const pastKv = (layer: number, part: Part) => `past.${layer}.${part}`
/** Keys and values of a step's token, for appending to the caches: rows × (layers × 2 × heads) × 1 × head size. */
export const NEW_KV = 'new_kv'
/** The attention over the audio of a layer: rows × heads × 1 × frames. */
export const attentionOf = (layer: number) => `attention.${layer}`

const EPSILON = { epsilon: { float: 1e-5 } }
/** More tokens than any text has. */
const LONGEST_TEXT = 512

/** Graphs of the cross-attention's keys and values: one per layer, because all would output 20 MB for a long window. */
export function encoderKvGraphs(model: ExportedModel, shape: Shape, hasSigned: boolean): Uint8Array[] {
  return Array.from({ length: shape.layers }, (_, layer) => encoderKvGraph(model, shape, layer, hasSigned))
}

/** Outputs `key` and `value` in the layout of the step graph. */
function encoderKvGraph(model: ExportedModel, shape: Shape, layer: number, hasSigned: boolean): Uint8Array {
  const writer = new OnnxWriter()
  const products = new Products(writer, hasSigned)
  const output = writer.input(ENCODER_OUT, 'float32')
  const perHead = writer.integers([0, 0, shape.heads, shape.headSize])
  const part = `/model/decoder/layers.${layer}/encoder_attn`
  const [keys, values] = ['k_proj', 'v_proj'].map((name) =>
    writer.one('Reshape', [products.of(output, [model.matrix(`${part}/${name}`)]), perHead]),
  )
  writer.output(writer.one('Transpose', [keys!], { perm: [0, 2, 3, 1] }), 'key', 'float32')
  writer.output(writer.one('Transpose', [values!], { perm: [0, 2, 1, 3] }), 'value', 'float32')
  return writer.bytesOfModel()
}

/** A step of the decoder; outputs the attention over the audio of the layers `timed`. */
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
  private readonly newKv: string[] = []
  /** The residual stream, and its normalized form for the next part. */
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
      const shares = this.attendToAudio(layer, mask)
      if (timed.includes(layer)) writer.output(shares, attentionOf(layer), 'float32')
      this.feedForward(layer)
    }
    writer.output(writer.one('Concat', this.newKv, { axis: 1 }), NEW_KV, 'float32')
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

  private attendToAudio(layer: number, mask: string): string {
    const { writer } = this
    const query = this.products.of(this.normal, [this.scaled(this.weights(layer, 'encoder_attn/q_proj'))])
    const [keys, values] = PARTS.map((part) => writer.input(encoderKv(layer, part), 'float32'))
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

  /** Rotary position embedding of queries and keys. */
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

  /** Appends to the cache of a layer. */
  private withCache(layer: number, part: Part, added: string): string {
    this.newKv.push(added)
    return this.writer.one('Concat', [this.writer.input(pastKv(layer, part), 'float32'), added], { axis: 2 })
  }

  /** The output projection of an attention. */
  private dense(layer: number, part: string, shares: string, values: string): string {
    const found = this.writer.one('Reshape', [this.writer.one('MatMul', [shares, values]), this.joined])
    return this.products.of(found, [this.weights(layer, `${part}/dense`)])
  }

  /** Adds the output of a part, with its bias, to the residual stream, and normalizes for the next part. */
  private add(said: string, norm: string, bias = ''): void {
    const { writer } = this
    const inputs = [this.residual, said, this.floats(`${norm}.weight`), '', bias]
    const outputs = [writer.fresh(), '', '', writer.fresh()]
    const [normal, , , residual] = writer.several('SkipLayerNormalization', inputs, outputs, EPSILON)
    this.normal = normal!
    this.residual = residual!
  }

  /** Scores are divided by the root of the head size. */
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
