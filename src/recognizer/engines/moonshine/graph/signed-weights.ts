/**
 * Converts 8-bit weights to signed numbers. Processors with AVX-512 VNNI or AVX-VNNI multiply unsigned by signed bytes in one
 * instruction, which ONNX Runtime uses only for signed weights. With AVX2, signed weights overflow 16-bit sums, so we test the
 * processor. Weights and zero points both decrease by 128, so the sums stay bit-identical.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { OnnxWriter } from './onnx-writer.ts'
import {
  ONNX_ATTRIBUTE_FIELDS,
  encodeProtobufBytesField,
  ONNX_ELEMENT_TYPES,
  parseProtobufFields,
  ONNX_GRAPH_FIELDS,
  encodeProtobufMessage,
  ONNX_MODEL_FIELDS,
  ONNX_NODE_FIELDS,
  encodeProtobufNumberField,
  parsePackedProtobufNumbers,
  ONNX_TENSOR_FIELDS,
  type ProtobufField,
} from './protobuf.ts'

let supportCheck: Promise<boolean> | undefined

/** Returns true if this processor multiplies signed weights without overflow. Tests the processor once per thread. */
export const supportsSignedWeights = (): Promise<boolean> => (supportCheck ??= testSignedSums())

/** Multiplies the largest possible bytes, because the sum of two such products exceeds a signed 16-bit number. */
async function testSignedSums(): Promise<boolean> {
  const [length, rows, columns] = [256, 8, 64]
  const writer = new OnnxWriter()
  const weights = writer.signedBytes(new Int8Array(length * columns).fill(127), [length, columns])
  const scale = writer.floats([1], [])
  const zero = writer.bytes(Uint8Array.of(0), [])
  const zeros = writer.signedBytes(new Int8Array(columns), [columns])
  const ones = writer.floats(Array.from({ length: columns }, () => 1))
  const product = writer.addNode('MatMulIntegerToFloat', [
    writer.input('rows', 'uint8'),
    weights,
    scale,
    ones,
    zero,
    zeros,
  ])
  writer.output(product, 'sums', 'float32')
  const session = await InferenceSession.create(writer.encodeModel(), { intraOpNumThreads: 1 })
  const sums = async (count: number) => {
    const bytes = new Tensor('uint8', new Uint8Array(count * length).fill(255), [count, length])
    return (await session.run({ rows: bytes })).sums!.data as Float32Array
  }
  // ONNX Runtime uses different routines for one row and for several rows.
  const all = [...(await sums(1)), ...(await sums(rows))]
  await session.release()
  return all.every((sum) => sum === 255 * 127 * length)
}

/** Subtracts 128 from each byte. Int8Array.from() takes 30 times as long, which is seconds for a model. */
export function convertToSignedBytes(bytes: Uint8Array): Int8Array {
  const weights = new Int8Array(bytes.length)
  for (let n = 0; n < bytes.length; n++) weights[n] = bytes[n]! - 128
  return weights
}

/** Returns a copy of an ONNX model with its 8-bit weights converted to signed numbers. */
export const convertModelToSignedWeights = (model: Uint8Array): Uint8Array =>
  mapFields(model, ONNX_MODEL_FIELDS.graph, (graph) => convertGraphToSigned(graph))

function convertGraphToSigned(graph: Uint8Array): Uint8Array {
  const nodes = mapFields(graph, ONNX_GRAPH_FIELDS.node, (node) =>
    mapFields(node, ONNX_NODE_FIELDS.attribute, (attribute) =>
      mapFields(
        mapFields(attribute, ONNX_ATTRIBUTE_FIELDS.graph, convertGraphToSigned),
        ONNX_ATTRIBUTE_FIELDS.tensor,
        convertTensorToSigned,
      ),
    ),
  )
  return mapFields(nodes, ONNX_GRAPH_FIELDS.initializer, convertTensorToSigned)
}

function mapFields(message: Uint8Array, number: number, change: (value: Uint8Array) => Uint8Array): Uint8Array {
  return encodeProtobufMessage(
    parseProtobufFields(message).map((field) =>
      field.number === number ? { ...field, value: change(field.value) } : field,
    ),
  )
}

function convertTensorToSigned(tensor: Uint8Array): Uint8Array {
  const fields = parseProtobufFields(tensor)
  const type = fields.find(({ number }) => number === ONNX_TENSOR_FIELDS.type)!
  if (parsePackedProtobufNumbers(type.value)[0] !== ONNX_ELEMENT_TYPES.uint8) return tensor
  return encodeProtobufMessage(fields.map(convertFieldToSigned))
}

function convertFieldToSigned(field: ProtobufField): ProtobufField {
  if (field.number === ONNX_TENSOR_FIELDS.type)
    return encodeProtobufNumberField(ONNX_TENSOR_FIELDS.type, ONNX_ELEMENT_TYPES.int8)
  if (field.number === ONNX_TENSOR_FIELDS.raw) return encodeRawData(convertToSignedBytes(field.value))
  return field.number === ONNX_TENSOR_FIELDS.integers
    ? encodeRawData(convertToSignedBytes(Uint8Array.from(parsePackedProtobufNumbers(field.value))))
    : field
}

const encodeRawData = (bytes: Int8Array): ProtobufField =>
  encodeProtobufBytesField(ONNX_TENSOR_FIELDS.raw, new Uint8Array(bytes.buffer))
