/** Parses and writes protobuf messages without a schema (https://protobuf.dev/programming-guides/encoding). */

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/** Field numbers of ONNX (onnx.proto). */
export const MODEL_FIELDS = { irVersion: 1, graph: 7, opset: 8 }
export const OPSET_FIELDS = { domain: 1, version: 2 }
export const GRAPH_FIELDS = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
export const NODE_FIELDS = { input: 1, output: 2, name: 3, operator: 4, attribute: 5, domain: 7 }
export const ATTRIBUTE_FIELDS = { name: 1, float: 2, integer: 3, text: 4, tensor: 5, graph: 6, integers: 8, type: 20 }
export const VALUE_FIELDS = { name: 1, type: 2 }
export const TYPE_FIELDS = { tensor: 1, element: 1 }
export const TENSOR_FIELDS = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 }
/** Types of the elements of a tensor. */
export const ELEMENT_TYPES = { float32: 1, uint8: 2, int8: 3, int64: 7 }

/** A field of a message; `value` without tag and length. */
export interface ProtobufField {
  number: number
  wire: number
  value: Uint8Array
}

/** The fields of a message in order; values are views of its bytes. @throws Error for invalid bytes */
export function parseFields(message: Uint8Array): ProtobufField[] {
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

/** The bytes of a message (protobuf wire format). */
export function encodeMessage(fields: ProtobufField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => {
      const length = wire === LENGTH_DELIMITED ? [encodeVarint(value.length)] : []
      return [encodeVarint(number * 8 + wire), ...length, value]
    }),
  )
}

/** A field with a text. */
export const encodeTextField = (number: number, text: string): ProtobufField =>
  encodeBytesField(number, Buffer.from(text))

/** A field with a whole number. */
export const encodeNumberField = (number: number, value: number): ProtobufField => ({
  number,
  wire: VARINT,
  value: encodeVarint(value),
})

/** A field with bytes. */
export const encodeBytesField = (number: number, value: Uint8Array): ProtobufField => ({
  number,
  wire: LENGTH_DELIMITED,
  value,
})

/** A field with a 32-bit float. */
export const encodeFloatField = (number: number, value: number): ProtobufField => ({
  number,
  wire: FIXED_32,
  value: new Uint8Array(Float32Array.of(value).buffer),
})

/** A field with a message. */
export const encodeMessageField = (number: number, fields: ProtobufField[]): ProtobufField =>
  encodeBytesField(number, encodeMessage(fields))

/** The texts of a repeated field. */
export const parseTexts = (fields: ProtobufField[], number: number): string[] =>
  fields.filter((field) => field.number === number).map(({ value }) => Buffer.from(value).toString())

/** The numbers of a packed repeated field. */
export function parseNumbers(bytes: Uint8Array): number[] {
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

/** Reads a number of up to 53 bits; returns it with the offset after it. */
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
