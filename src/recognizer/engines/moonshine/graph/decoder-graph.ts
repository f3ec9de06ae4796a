/**
 * Rebuilds Moonshine's decoder graph from the weights that Useful Sensors exported. A step of the base model has 490 nodes instead
 * of 1,450. Rows can attend to audio of different lengths. The graph outputs the attention, from which we compute word times.
 * product-writer.ts explains the precision.
 */
import { MatrixProductWriter, transposeQuantizedMatrix, type ScaledQuantizedMatrix } from './product-writer.ts'
import type { ExportedOnnxModel } from './onnx-reader.ts'
import { OnnxWriter } from './onnx-writer.ts'

/** Dimensions of a Moonshine model. From the weights, only the product of `heads` and `headSize` is known. */
export interface MoonshineModelShape {
  layers: number
  heads: number
  headSize: number
  vocabulary: number
}

export const ENCODER_OUTPUT_NAME = 'encoder_out'
export const TOKENS_INPUT_NAME = 'tokens'
export const POSITION_INPUT_NAME = 'position'
/**
 * Name of the mask input, which is added to the attention scores over the audio. The mask is 0 within a row's audio and -Infinity
 * in its padding.
 */
export const ENCODER_MASK_INPUT_NAME = 'encoder_mask'
export const KEY_VALUE_PARTS = ['key', 'value'] as const
export type KeyValuePart = (typeof KEY_VALUE_PARTS)[number]
/**
 * Returns the input name of a layer's cross-attention keys or values. Keys have the shape rows × heads × head size × frames,
 * values rows × heads × frames × head size.
 */
export const formatEncoderKvName = (layer: number, part: KeyValuePart) => `encoder.${layer}.${part}`
/** Returns the input name of a layer's cached self-attention keys or values. The shape is rows × heads × tokens × head size. */
export const formatPastKvName = (layer: number, part: KeyValuePart) => `past.${layer}.${part}`
/** Name of the output with the keys and values of a step's token. The shape is rows × (layers × 2 × heads) × 1 × head size. */
export const NEW_KV_OUTPUT_NAME = 'new_kv'
/** Returns the output name of a layer's attention over the audio. The shape is rows × heads × 1 × frames. */
export const formatAttentionOutputName = (layer: number) => `attention.${layer}`

const NORM_EPSILON = { epsilon: { float: 1e-5 } }
/** Size of the position table. No text has more tokens. */
const MAX_TEXT_TOKENS = 512

/**
 * Builds the graphs that compute the keys and values of the cross-attention. Each layer has its own graph, because all layers
 * together would output 20 MB for a long window.
 * @param hasSigned true to write weights as signed numbers, see signed-weights.ts
 */
export function buildEncoderKvGraphs(
  model: ExportedOnnxModel,
  shape: MoonshineModelShape,
  hasSigned: boolean,
): Uint8Array[] {
  return Array.from({ length: shape.layers }, (_, layer) => buildEncoderKvGraph(model, shape, layer, hasSigned))
}

/** Builds a graph with outputs `key` and `value` in the layout that the step graph expects. */
function buildEncoderKvGraph(
  model: ExportedOnnxModel,
  shape: MoonshineModelShape,
  layer: number,
  hasSigned: boolean,
): Uint8Array {
  const writer = new OnnxWriter()
  const products = new MatrixProductWriter(writer, hasSigned)
  const output = writer.input(ENCODER_OUTPUT_NAME, 'float32')
  const perHead = writer.integers([0, 0, shape.heads, shape.headSize])
  const part = `/model/decoder/layers.${layer}/encoder_attn`
  const [keys, values] = ['k_proj', 'v_proj'].map((name) =>
    writer.addNode('Reshape', [products.addProduct(output, [model.matrix(`${part}/${name}`)]), perHead]),
  )
  writer.output(writer.addNode('Transpose', [keys!], { perm: [0, 2, 3, 1] }), 'key', 'float32')
  writer.output(writer.addNode('Transpose', [values!], { perm: [0, 2, 1, 3] }), 'value', 'float32')
  return writer.encodeModel()
}

/**
 * Builds the graph of one decoder step.
 * @param timedLayers layers whose attention over the audio is an output
 * @param hasSigned true to write weights as signed numbers, see signed-weights.ts
 */
export function buildDecoderStepGraph(
  model: ExportedOnnxModel,
  shape: MoonshineModelShape,
  timedLayers: readonly number[],
  hasSigned: boolean,
): Uint8Array {
  return new StepGraphWriter(model, shape, hasSigned).write(timedLayers)
}

class StepGraphWriter {
  private readonly writer = new OnnxWriter()
  private readonly products: MatrixProductWriter
  private readonly model: ExportedOnnxModel
  private readonly shape: MoonshineModelShape
  private readonly perHead: string
  private readonly joined: string
  private readonly newKv: string[] = []
  /** Value name of the residual stream. `normal` is its normalized form, the input of the next part. */
  private residual = ''
  private normal = ''

  constructor(model: ExportedOnnxModel, shape: MoonshineModelShape, hasSigned: boolean) {
    this.products = new MatrixProductWriter(this.writer, hasSigned)
    this.model = model
    this.shape = shape
    this.perHead = this.writer.integers([0, shape.heads, 1, shape.headSize])
    this.joined = this.writer.integers([0, 1, shape.heads * shape.headSize])
  }

  write(timedLayers: readonly number[]): Uint8Array {
    const { writer } = this
    const table = this.model.matrixNamed('model.decoder.embed_tokens.weight_merged_0')
    const rows = writer.addNode('Gather', [
      writer.bytes(table.quantised, [table.inputs, table.outputs]),
      writer.input(TOKENS_INPUT_NAME, 'int64'),
    ])
    const zero = writer.bytes(Uint8Array.of(table.zero), [])
    this.residual = writer.addNode('DequantizeLinear', [rows, writer.floats([table.scale], []), zero])
    const first = [this.residual, this.floats('layers.0.input_layernorm.weight')]
    this.normal = writer.addNode('LayerNormalization', first, { axis: 2, ...NORM_EPSILON })
    const rotate = this.rotaryEmbedding()
    const mask = writer.input(ENCODER_MASK_INPUT_NAME, 'float32')
    for (let layer = 0; layer < this.shape.layers; layer++) {
      this.attendToText(layer, rotate)
      const shares = this.attendToAudio(layer, mask)
      if (timedLayers.includes(layer)) writer.output(shares, formatAttentionOutputName(layer), 'float32')
      this.feedForward(layer)
    }
    writer.output(writer.addNode('Concat', this.newKv, { axis: 1 }), NEW_KV_OUTPUT_NAME, 'float32')
    writer.output(this.products.addProduct(this.normal, [transposeQuantizedMatrix(table)]), 'logits', 'float32')
    return writer.encodeModel()
  }

  private attendToText(layer: number, rotate: (queryAndKey: string) => string): void {
    const { writer } = this
    const { heads, headSize } = this.shape
    const size = heads * headSize
    const weights = ['q', 'k', 'v'].map((part) => this.weights(layer, `self_attn/${part}_proj`))
    const all = this.products.addProduct(this.normal, [this.scaleByHeadSize(weights[0]!), ...weights.slice(1)])
    const [queryAndKey, value] = writer.addMultiOutputNode('Split', [all, writer.integers([2 * size, size])], 2, {
      axis: 2,
    })
    const rotated = writer.addNode('Reshape', [rotate(queryAndKey!), writer.integers([0, 2 * heads, 1, headSize])])
    const [query, key] = writer.addMultiOutputNode('Split', [rotated], 2, { axis: 1 })
    const keys = this.appendToCache(layer, 'key', key!)
    const values = this.appendToCache(layer, 'value', writer.addNode('Reshape', [value!, this.perHead]))
    const shares = writer.addNode('Softmax', [writer.addNode('FusedMatMul', [query!, keys], { transB: 1 })], {
      axis: 3,
    })
    this.addToResidual(
      this.projectOutput(layer, 'self_attn', shares, values),
      `layers.${layer}.post_attention_layernorm`,
    )
  }

  private attendToAudio(layer: number, mask: string): string {
    const { writer } = this
    const query = this.products.addProduct(this.normal, [
      this.scaleByHeadSize(this.weights(layer, 'encoder_attn/q_proj')),
    ])
    const [keys, values] = KEY_VALUE_PARTS.map((part) => writer.input(formatEncoderKvName(layer, part), 'float32'))
    const scores = writer.addNode('MatMul', [writer.addNode('Reshape', [query, this.perHead]), keys!])
    const shares = writer.addNode('Softmax', [writer.addNode('Add', [scores, mask])], { axis: 3 })
    this.addToResidual(this.projectOutput(layer, 'encoder_attn', shares, values!), `layers.${layer}.final_layernorm`)
    return shares
  }

  private feedForward(layer: number): void {
    const { writer } = this
    const up = this.products.addProduct(this.normal, [this.weights(layer, 'mlp/up_proj')])
    const biased = writer.addNode('Add', [up, this.floats(`layers.${layer}.mlp.up_proj.bias`)])
    const [open, gate] = writer.addMultiOutputNode('Split', [biased], 2, { axis: 2 })
    const gated = writer.addNode('Mul', [open!, writer.addNode('QuickGelu', [gate!], { alpha: { float: 1 } })])
    const next = layer + 1 < this.shape.layers ? `layers.${layer + 1}.input_layernorm` : 'norm'
    const down = this.products.addProduct(gated, [this.weights(layer, 'mlp/down_proj')])
    this.addToResidual(down, next, this.floats(`layers.${layer}.mlp.down_proj.bias`))
  }

  /** Adds the tables of the rotary position embedding. Returns a function that rotates queries and keys. */
  private rotaryEmbedding(): (queryAndKey: string) => string {
    const { writer } = this
    const position = writer.input(POSITION_INPUT_NAME, 'int64')
    const speeds = this.model.floats('/model/decoder/rotary_emb/Cast_1_output_0')
    const table = (of: (angle: number) => number) => {
      const angles = Array.from({ length: MAX_TEXT_TOKENS }, (_, at) => [...speeds].map((speed) => of(at * speed)))
      return writer.floats(angles.flat(), [MAX_TEXT_TOKENS, speeds.length])
    }
    const tables = [table(Math.cos), table(Math.sin)]
    const sizes = { num_heads: 2 * this.shape.heads, rotary_embedding_dim: 2 * speeds.length }
    return (queryAndKey) =>
      writer.addNode('RotaryEmbedding', [queryAndKey, position, ...tables], { interleaved: 1, ...sizes })
  }

  private appendToCache(layer: number, part: KeyValuePart, added: string): string {
    this.newKv.push(added)
    return this.writer.addNode('Concat', [this.writer.input(formatPastKvName(layer, part), 'float32'), added], {
      axis: 2,
    })
  }

  /** Multiplies the attention with the values and applies the output projection. */
  private projectOutput(layer: number, part: string, shares: string, values: string): string {
    const found = this.writer.addNode('Reshape', [this.writer.addNode('MatMul', [shares, values]), this.joined])
    return this.products.addProduct(found, [this.weights(layer, `${part}/dense`)])
  }

  /** Adds the output of a part and its bias to the residual stream. Then normalizes the sum for the next part. */
  private addToResidual(partOutput: string, norm: string, bias = ''): void {
    const { writer } = this
    const inputs = [this.residual, partOutput, this.floats(`${norm}.weight`), '', bias]
    const outputs = [writer.createName(), '', '', writer.createName()]
    const [normal, , , residual] = writer.addMultiOutputNode('SkipLayerNormalization', inputs, outputs, NORM_EPSILON)
    this.normal = normal!
    this.residual = residual!
  }

  /** Scales the query weights, because attention scores are divided by the square root of the head size. */
  private scaleByHeadSize(weights: ScaledQuantizedMatrix): ScaledQuantizedMatrix {
    return { ...weights, factor: 1 / Math.sqrt(this.shape.headSize) }
  }

  private weights(layer: number, part: string): ScaledQuantizedMatrix {
    return this.model.matrix(`/model/decoder/layers.${layer}/${part}`)
  }

  private floats(name: string): string {
    return this.writer.floats(this.model.floats(`model.decoder.${name}_merged_0`))
  }
}
