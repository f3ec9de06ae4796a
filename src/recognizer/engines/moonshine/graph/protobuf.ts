/** Parses and writes protobuf messages without a schema (https://protobuf.dev/programming-guides/encoding). */

const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/** Field numbers of ONNX (onnx.proto). */
export const MODEL = { irVersion: 1, graph: 7, opset: 8 }
export const OPSET = { domain: 1, version: 2 }
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
export const NODE = { input: 1, output: 2, name: 3, operator: 4, attribute: 5, domain: 7 }
export const ATTRIBUTE = { name: 1, float: 2, integer: 3, text: 4, tensor: 5, graph: 6, integers: 8, type: 20 }
export const VALUE = { name: 1, type: 2 }
export const TYPE = { tensor: 1, element: 1 }
export const TENSOR = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 }
/** Types of the elements of a tensor. */
export const ELEMENTS = { float32: 1, uint8: 2, int8: 3, int64: 7 }

/** A field of a message; `value` without tag and length. */
export interface Field {
  number: number
  wire: number
  value: Uint8Array
}

/** The fields of a message in order; values are views of its bytes. @throws Error for invalid bytes */
export function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = []
  for (let at = 0; at < message.length;) {
    const [tag, afterTag] = readVarint(message, at)
    const wire = tag & 7
    const [start, end] = extentOf(message, wire, afterTag)
    if (end > message.length) throw new Error('a protobuf field goes beyond its message')
    fields.push({ number: tag >>> 3, wire, value: message.subarray(start, end) })
    at = end
  }
  return fields
}

function extentOf(message: Uint8Array, wire: number, at: number): [start: number, end: number] {
  if (wire === VARINT) return [at, readVarint(message, at)[1]]
  if (wire === FIXED_64) return [at, at + 8]
  if (wire === FIXED_32) return [at, at + 4]
  if (wire !== LENGTH_DELIMITED) throw new Error(`protobuf wire type ${wire} is not known`)
  const [length, start] = readVarint(message, at)
  return [start, start + length]
}

export function messageOf(fields: Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(({ number, wire, value }) => {
      const length = wire === LENGTH_DELIMITED ? [varint(value.length)] : []
      return [varint(number * 8 + wire), ...length, value]
    }),
  )
}

export const textField = (number: number, text: string): Field => bytesField(number, Buffer.from(text))

export const numberField = (number: number, value: number): Field => ({ number, wire: VARINT, value: varint(value) })

export const bytesField = (number: number, value: Uint8Array): Field => ({ number, wire: LENGTH_DELIMITED, value })

export const floatField = (number: number, value: number): Field => ({
  number,
  wire: FIXED_32,
  value: new Uint8Array(Float32Array.of(value).buffer),
})

export const messageField = (number: number, fields: Field[]): Field => bytesField(number, messageOf(fields))

export const textsOf = (fields: Field[], number: number): string[] =>
  fields.filter((field) => field.number === number).map(({ value }) => Buffer.from(value).toString())

export function numbersOf(bytes: Uint8Array): number[] {
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
function readVarint(bytes: Uint8Array, at: number): [value: number, end: number] {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++]
    if (byte === undefined) throw new Error('a protobuf number goes beyond its message')
    value += (byte & 127) * factor
    if (byte < 128) return [value, at]
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Uint8Array.from([...bytes, value])
}
