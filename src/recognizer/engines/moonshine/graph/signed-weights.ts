/**
 * 8-bit weights as signed numbers. Processors with AVX-512 VNNI or AVX-VNNI multiply unsigned by signed bytes in one
 * instruction, which ONNX Runtime uses for signed weights only. With AVX2, signed weights overflow 16-bit sums, so we test
 * the processor. Weight and zero point become 128 less, so sums and texts stay the same to the last bit.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { OnnxWriter } from './onnx-writer.ts'
import {
  ATTRIBUTE,
  bytesField,
  ELEMENTS,
  fieldsOf,
  GRAPH,
  messageOf,
  MODEL,
  NODE,
  numberField,
  numbersOf,
  TENSOR,
  type Field,
} from './protobuf.ts'

let tested: Promise<boolean> | undefined

export const takesSignedWeights = (): Promise<boolean> => (tested ??= addsExactly())

/** Multiplies the largest bytes: each pair of products exceeds 16 bits. */
async function addsExactly(): Promise<boolean> {
  const [length, rows, columns] = [256, 8, 64]
  const writer = new OnnxWriter()
  const weights = writer.signedBytes(new Int8Array(length * columns).fill(127), [length, columns])
  const scale = writer.floats([1], [])
  const zero = writer.bytes(Uint8Array.of(0), [])
  const zeros = writer.signedBytes(new Int8Array(columns), [columns])
  const ones = writer.floats(Array.from({ length: columns }, () => 1))
  const product = writer.one('MatMulIntegerToFloat', [writer.input('rows', 'uint8'), weights, scale, ones, zero, zeros])
  writer.output(product, 'sums', 'float32')
  const session = await InferenceSession.create(writer.bytesOfModel(), { intraOpNumThreads: 1 })
  const sums = async (count: number) => {
    const bytes = new Tensor('uint8', new Uint8Array(count * length).fill(255), [count, length])
    return (await session.run({ rows: bytes })).sums!.data as Float32Array
  }
  // ONNX Runtime has different routines for one row and for several.
  const all = [...(await sums(1)), ...(await sums(rows))]
  await session.release()
  return all.every((sum) => sum === 255 * 127 * length)
}

/** Converts to signed numbers. Int8Array.from() would take 30 times as long, seconds for a model. */
export function signed(bytes: Uint8Array): Int8Array {
  const weights = new Int8Array(bytes.length)
  for (let n = 0; n < bytes.length; n++) weights[n] = bytes[n]! - 128
  return weights
}

export const withSignedWeights = (model: Uint8Array): Uint8Array =>
  changed(model, MODEL.graph, (graph) => withSignedTensors(graph))

function withSignedTensors(graph: Uint8Array): Uint8Array {
  const nodes = changed(graph, GRAPH.node, (node) =>
    changed(node, NODE.attribute, (attribute) =>
      changed(changed(attribute, ATTRIBUTE.graph, withSignedTensors), ATTRIBUTE.tensor, signedTensor),
    ),
  )
  return changed(nodes, GRAPH.initializer, signedTensor)
}

function changed(message: Uint8Array, number: number, change: (value: Uint8Array) => Uint8Array): Uint8Array {
  return messageOf(
    fieldsOf(message).map((field) => (field.number === number ? { ...field, value: change(field.value) } : field)),
  )
}

function signedTensor(tensor: Uint8Array): Uint8Array {
  const fields = fieldsOf(tensor)
  const type = fields.find(({ number }) => number === TENSOR.type)!
  if (numbersOf(type.value)[0] !== ELEMENTS.uint8) return tensor
  return messageOf(fields.map(signedField))
}

function signedField(field: Field): Field {
  if (field.number === TENSOR.type) return numberField(TENSOR.type, ELEMENTS.int8)
  if (field.number === TENSOR.raw) return rawField(signed(field.value))
  return field.number === TENSOR.integers ? rawField(signed(Uint8Array.from(numbersOf(field.value)))) : field
}

const rawField = (bytes: Int8Array): Field => bytesField(TENSOR.raw, new Uint8Array(bytes.buffer))
