/** Parses and encodes protobuf messages without a schema (https://protobuf.dev/programming-guides/encoding). */

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/** Field numbers of the messages in onnx.proto. */
export const ONNX_MODEL_FIELDS = { irVersion: 1, graph: 7, opset: 8 }
export const ONNX_OPSET_FIELDS = { domain: 1, version: 2 }
export const ONNX_GRAPH_FIELDS = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
export const ONNX_NODE_FIELDS = { input: 1, output: 2, name: 3, operator: 4, attribute: 5, domain: 7 }
export const ONNX_ATTRIBUTE_FIELDS = {
  name: 1,
  float: 2,
  integer: 3,
  text: 4,
  tensor: 5,
  graph: 6,
  integers: 8,
  type: 20,
}
export const ONNX_VALUE_FIELDS = { name: 1, type: 2 }
export const ONNX_TYPE_FIELDS = { tensor: 1, element: 1 }
export const ONNX_TENSOR_FIELDS = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 }
/** Element types of a tensor (TensorProto.DataType in onnx.proto). */
export const ONNX_ELEMENT_TYPES = { float32: 1, uint8: 2, int8: 3, int64: 7 }

/** A field of a protobuf message. `wire` is the wire type. `value` excludes the tag and the length prefix. */
export interface ProtobufField {
  number: number
  wire: number
  value: Uint8Array
}

/**
 * Parses the fields of a message in order. The values are views of the message's bytes.
 * @throws Error if the bytes are invalid
 */
export function parseProtobufFields(message: Uint8Array): ProtobufField[] {
  const fields: ProtobufField[] = []
  for (let at = 0; at < message.length;) {
    const [tag, afterTag] = parseVarint(message, at)
    const wire = tag & 7
    const [start, end] = locateValue(message, wire, afterTag)
    if (end > message.length) throw new Error('a protobuf field goes beyond its message')
    fields.push({ number: tag >>> 3, wire, value: message.subarray(start, end) })
    at = end
  }
  return fields
}

function locateValue(message: Uint8Array, wire: number, at: number): [start: number, end: number] {
  if (wire === VARINT) return [at, parseVarint(message, at)[1]]
  if (wire === FIXED_64) return [at, at + 8]
  if (wire === FIXED_32) return [at, at + 4]
  if (wire !== LENGTH_DELIMITED) throw new Error(`protobuf wire type ${wire} is not known`)
  const [length, start] = parseVarint(message, at)
  return [start, start + length]
}

/** Encodes fields as a message in the protobuf wire format. */
export function encodeProtobufMessage(fields: ProtobufField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => {
      const length = wire === LENGTH_DELIMITED ? [encodeVarint(value.length)] : []
      return [encodeVarint(number * 8 + wire), ...length, value]
    }),
  )
}

/** Encodes a string field as UTF-8. */
export const encodeProtobufTextField = (number: number, text: string): ProtobufField =>
  encodeProtobufBytesField(number, Buffer.from(text))

/** Encodes an unsigned integer field as a varint. */
export const encodeProtobufNumberField = (number: number, value: number): ProtobufField => ({
  number,
  wire: VARINT,
  value: encodeVarint(value),
})

/** Creates a length-delimited field from bytes. */
export const encodeProtobufBytesField = (number: number, value: Uint8Array): ProtobufField => ({
  number,
  wire: LENGTH_DELIMITED,
  value,
})

/** Creates a field of wire type 5 from a number, which becomes a 32-bit float. */
export const encodeProtobufFloatField = (number: number, value: number): ProtobufField => ({
  number,
  wire: FIXED_32,
  value: new Uint8Array(Float32Array.of(value).buffer),
})

/** Encodes a nested message as a length-delimited field. */
export const encodeProtobufMessageField = (number: number, fields: ProtobufField[]): ProtobufField =>
  encodeProtobufBytesField(number, encodeProtobufMessage(fields))

/** Returns the UTF-8 texts of all fields with this number. A repeated field occurs once per text. */
export const parseProtobufTexts = (fields: ProtobufField[], number: number): string[] =>
  fields.filter((field) => field.number === number).map(({ value }) => Buffer.from(value).toString())

/** Parses the varints of a packed repeated field. */
export function parsePackedProtobufNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let [number, factor] = [0, 1]
  for (const byte of bytes) {
    number += (byte & 127) * factor
    factor *= 128
    if (byte >= 128) continue
    numbers.push(number)
    ;[number, factor] = [0, 1]
  }
  return numbers
}

/** Parses a varint, exactly up to 53 bits. Returns its value and the offset after it. */
function parseVarint(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++]
    if (byte === undefined) throw new Error('a protobuf number goes beyond its message')
    value += (byte & 127) * factor
    if (byte < 128) return [value, at]
  }
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Uint8Array.from([...bytes, value])
}
