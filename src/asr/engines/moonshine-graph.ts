import { fieldsOf, messageField, messageOf, numberField, textField, textsOf, type Field } from './protobuf.ts'

/** Field numbers of ONNX (onnx.proto): of a model, a graph, a node, an attribute, a value and its type. */
const MODEL = { graph: 7 }
const GRAPH = { node: 1, input: 11, output: 12, values: 13 }
const NODE = { input: 1, output: 2, name: 3, operator: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, graph: 6 }
const VALUE = { name: 1, type: 2 }
const TYPE = { tensor: 1, element: 1 }
const FLOAT = 1

/** Added to the scores of the attention over the sound: 0 for what a row may hear, -Infinity for what it may not. */
export const MASK = 'sound_mask'
/** The attention over the sound of a layer: rows × heads × tokens × frames. */
export const attentionOf = (layer: number) => `attention.${layer}`
const keyOf = (layer: number, side: 'past_key_values' | 'present') => `${side}.${layer}.encoder.key`

/**
 * Rewrites Moonshine's decoder, as Useful Sensors exported it, without changing what it computes:
 *  - rows may hear sounds of different lengths: a mask hides what was filled up;
 *  - the keys of the sound are turned and scaled once and not at every step, so `present.N.encoder.key` is
 *    rows × heads × head size × frames; in several rows that was half of a step;
 *  - the attention over the sound can be read, which tells when a word was said.
 * @throws Error when the graph is another one
 */
export function rewriteDecoder(model: Uint8Array, layers: number): Uint8Array {
  const numbers = Array.from({ length: layers }, (_, layer) => layer)
  return edit(model, MODEL.graph, (graph) => [
    ...fieldsOf(graph).map((field) => {
      if (field.number === GRAPH.node) return withBranches(field, numbers)
      if (field.number === GRAPH.input || field.number === GRAPH.output) return withoutShape(field, numbers)
      return field
    }),
    valueField(GRAPH.input, MASK),
    ...numbers.map((layer) => valueField(GRAPH.output, attentionOf(layer))),
  ])
}

/** Replaces the fields of a message in each field of that number. */
function edit(message: Uint8Array, number: number, change: (value: Uint8Array) => Field[]): Uint8Array {
  return messageOf(
    fieldsOf(message).map((field) => (field.number === number ? messageField(number, change(field.value)) : field)),
  )
}

/** The keys of the sound have another shape than the graph says; what is said of no shape may have any. */
function withoutShape(field: Field, layers: number[]): Field {
  const [name] = textsOf(fieldsOf(field.value), VALUE.name)
  const isKey = layers.some((layer) => name === keyOf(layer, 'present') || name === keyOf(layer, 'past_key_values'))
  return isKey ? valueField(field.number, name!) : field
}

const valueField = (number: number, name: string): Field =>
  messageField(number, [
    textField(VALUE.name, name),
    messageField(VALUE.type, [messageField(TYPE.tensor, [numberField(TYPE.element, FLOAT)])]),
  ])

/** The one node of the graph chooses between two: the first step, and those that have a cache. */
function withBranches(field: Field, layers: number[]): Field {
  const branches = fieldsOf(field.value).map((part) => {
    if (part.number !== NODE.attribute) return part
    const [name] = textsOf(fieldsOf(part.value), ATTRIBUTE.name)
    const rewrite = name === 'then_branch' ? rewriteLaterSteps : rewriteFirstStep
    return {
      ...part,
      value: edit(part.value, ATTRIBUTE.graph, (graph) => [
        ...rewrite(fieldsOf(graph), layers).filter(({ number }) => number !== GRAPH.values),
        ...layers.map((layer) => valueField(GRAPH.output, attentionOf(layer))),
      ]),
    }
  })
  return messageField(field.number, [...branches, ...layers.map((layer) => textField(NODE.output, attentionOf(layer)))])
}

const partOf = (layer: number) => `/model/decoder/layers.${layer}/encoder_attn`

/** Gives out the turned and scaled keys in place of the plain ones. */
function rewriteFirstStep(graph: Field[], layers: number[]): Field[] {
  const names = new Map(layers.map((layer) => [`${partOf(layer)}/Mul_1_output_0`, keyOf(layer, 'present')]))
  const plain = new Set(layers.map((layer) => `${partOf(layer)}/Transpose`))
  return rewriteAttention(graph, layers, names, plain).map((field) =>
    field.number === GRAPH.output ? withoutShape(field, layers) : field,
  )
}

/** Takes the keys as they come. */
function rewriteLaterSteps(graph: Field[], layers: number[]): Field[] {
  const names = new Map(layers.map((layer) => [`${partOf(layer)}/Mul_1_output_0`, keyOf(layer, 'past_key_values')]))
  const needless = new Set(
    layers.flatMap((layer) => ['Transpose_1', 'Sqrt_2', 'Mul_1'].map((node) => `${partOf(layer)}/${node}`)),
  )
  return rewriteAttention(graph, layers, names, needless)
}

/** Drops nodes, renames values, puts the mask in front of each softmax over the sound and names what comes out of it. */
function rewriteAttention(
  graph: Field[],
  layers: number[],
  names: Map<string, string>,
  dropped: ReadonlySet<string>,
): Field[] {
  const missing = new Set(dropped)
  const masked = new Map(layers.map((layer) => [`${partOf(layer)}/Softmax`, layer]))
  for (const layer of layers) names.set(`${partOf(layer)}/Softmax_output_0`, attentionOf(layer))
  const rewritten = graph.flatMap((field) => {
    if (field.number !== GRAPH.node) return [field]
    const node = fieldsOf(field.value)
    const [name = ''] = textsOf(node, NODE.name)
    if (missing.delete(name)) return []
    const renamed = messageField(
      GRAPH.node,
      node.map((part) => renameIn(part, names)),
    )
    const layer = masked.get(name)
    if (layer === undefined) return [renamed]
    masked.delete(name)
    return maskBefore(renamed, partOf(layer))
  })
  if (missing.size > 0 || masked.size > 0) throw new Error('this is not the decoder that Moonshine is known by')
  return rewritten
}

function renameIn(part: Field, names: ReadonlyMap<string, string>): Field {
  if (part.number !== NODE.input && part.number !== NODE.output) return part
  const name = names.get(Buffer.from(part.value).toString())
  return name === undefined ? part : textField(part.number, name)
}

/** The softmax, and in front of it the node that adds the mask to what it takes. */
function maskBefore(softmax: Field, part: string): Field[] {
  const output = `${part}/Masked_output_0`
  const fields = fieldsOf(softmax.value)
  const [scores] = textsOf(fields, NODE.input)
  const add = messageField(GRAPH.node, [
    ...[scores!, MASK].map((name) => textField(NODE.input, name)),
    textField(NODE.output, output),
    textField(NODE.name, `${part}/Masked`),
    textField(NODE.operator, 'Add'),
  ])
  return [add, messageField(GRAPH.node, fields.map((field) => (field.number === NODE.input ? textField(NODE.input, output) : field)))] // prettier-ignore
}
