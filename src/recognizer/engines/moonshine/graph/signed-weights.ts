/**
 * 8-bit weights as signed numbers. Processors that multiply bytes in one instruction (AVX-512 VNNI, AVX-VNNI) take bytes of
 * sound without a sign times weights with one: ONNX Runtime uses it for signed weights only. Older ones (AVX2) add up pairs
 * of such products in 16 bits, which overflow. So the processor is tried, and where it adds up exactly, the weights become
 * signed: weight and zero point both 128 less, the sums and so the texts the same to the last bit.
 *
 * Worth on AVX-512 VNNI: the encoder of moonshine-base-en takes 0.77 of the time.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { OnnxWriter } from './onnx-writer.ts'
import { fieldsOf, messageOf, numberField, numbersOf, type Field } from './protobuf.ts'

/** Field numbers of ONNX (onnx.proto). */
const MODEL = { graph: 7 }
const GRAPH = { node: 1, initializer: 5 }
const NODE = { attribute: 5 }
const ATTRIBUTE = { tensor: 5, graph: 6 }
const TENSOR = { type: 2, integers: 5, raw: 9 }
const UNSIGNED = 2
const SIGNED = 3
const LENGTH_DELIMITED = 2

let asked: Promise<boolean> | undefined

/** Whether this processor adds up products with signed weights exactly. */
export const takesSignedWeights = (): Promise<boolean> => (asked ??= addsExactly())

/** Rows of the largest bytes there are, as long as a cache line and more: each pair of products is above 16 bits. */
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
  // One row and several are multiplied by different routines.
  const all = [...(await sums(1)), ...(await sums(rows))]
  await session.release()
  return all.every((sum) => sum === 255 * 127 * length)
}

/** Signed instead of unsigned: each 128 less. A loop, because from() takes 30 times as long, seconds for a model. */
export function signed(bytes: Uint8Array): Int8Array {
  const weights = new Int8Array(bytes.length)
  for (let n = 0; n < bytes.length; n++) weights[n] = bytes[n]! - 128
  return weights
}

/** An exported model with all its 8-bit weights and their zero points signed. */
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

/** A message with each field of that number changed. */
function changed(message: Uint8Array, number: number, change: (value: Uint8Array) => Uint8Array): Uint8Array {
  return messageOf(
    fieldsOf(message).map((field) => (field.number === number ? { ...field, value: change(field.value) } : field)),
  )
}

function signedTensor(tensor: Uint8Array): Uint8Array {
  const fields = fieldsOf(tensor)
  const type = fields.find(({ number }) => number === TENSOR.type)!
  if (numbersOf(type.value)[0] !== UNSIGNED) return tensor
  return messageOf(fields.map(signedField))
}

function signedField(field: Field): Field {
  if (field.number === TENSOR.type) return numberField(TENSOR.type, SIGNED)
  if (field.number === TENSOR.raw) return rawField(signed(field.value))
  return field.number === TENSOR.integers ? rawField(signed(Uint8Array.from(numbersOf(field.value)))) : field
}

const rawField = (bytes: Int8Array): Field => ({
  number: TENSOR.raw,
  wire: LENGTH_DELIMITED,
  value: new Uint8Array(bytes.buffer),
})
