/**
 * node scripts/make-tiny-t-one.mjs [FILE] [--state SIZE]: writes a small ONNX model with the inputs and outputs of T-one's
 * acoustic model, by default src/recognizer/fixtures/t-one/model.onnx. Its output follows from the audio in a known way, so
 * tests detect a wrong scale, padding, chunk or state:
 *
 * - The mean loudness of 30 ms, from 0 to 1, gives the letter: (n + 1) / 36 is letter n of the alphabet, counted from 0. The
 *   space is the 34th letter, and silence is the blank. A loudness between two letters makes both probable.
 * - Like T-one, the model outputs a letter 11 frames (0.33 s) late. The first 11 numbers of the state are the loudnesses of these
 *   frames.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

const DELAY_FRAMES = 11
const TOKEN_COUNT = 35
/** Certainty of the model: at the loudness of a letter, it is about 500 times as probable as the next one. */
const SHARPNESS = 8000

const FLOAT_TYPE = 1
const INT32_TYPE = 6
const INT64_TYPE = 7
const FLOAT16_TYPE = 10

/** Encodes a number as a varint of protobuf. */
function encodeVarint(value) {
  const bytes = []
  let remaining = BigInt.asUintN(64, BigInt(value))
  for (; remaining > 127n; remaining >>= 7n) bytes.push(Number(remaining & 127n) | 128)
  return Buffer.from([...bytes, Number(remaining)])
}

/** Encodes a field of a protobuf message: a number directly, a text or message (buffer) after its length. */
function encodeField(number, value) {
  if (typeof value === 'number') return Buffer.concat([encodeVarint(number << 3), encodeVarint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes])
}

const encodeMessage = (...fields) => Buffer.concat(fields.flat())

function encodeTensor(name, type, dims, data) {
  return encodeMessage(
    dims.map((size) => encodeField(1, size)),
    encodeField(2, type),
    encodeField(8, name),
    encodeField(9, Buffer.from(data.buffer)),
  )
}

const encodeIntegers = (name, ...values) =>
  encodeTensor(name, INT64_TYPE, [values.length], BigInt64Array.from(values, BigInt))
const encodeFloats = (name, ...values) => encodeTensor(name, FLOAT_TYPE, [values.length], Float32Array.from(values))

/** Encodes an input or output. A dimension given as text is variable. */
function encodeValueInfo(name, type, dims) {
  const shape = encodeMessage(
    dims.map((size) => encodeField(1, typeof size === 'number' ? encodeField(1, size) : encodeField(2, size))),
  )
  return encodeMessage(
    encodeField(1, name),
    encodeField(2, encodeField(1, encodeMessage(encodeField(1, type), encodeField(2, shape)))),
  )
}

/** Encodes an attribute: a whole number or a list of them. */
function encodeAttribute(name, attributeValue) {
  if (typeof attributeValue === 'number')
    return encodeMessage(encodeField(1, name), encodeField(3, attributeValue), encodeField(20, 2))
  return encodeMessage(
    encodeField(1, name),
    attributeValue.map((item) => encodeField(8, item)),
    encodeField(20, 7),
  )
}

function encodeNode(output, operation, inputs, attributes = {}) {
  return encodeMessage(
    inputs.map((input) => encodeField(1, input)),
    encodeField(2, output),
    encodeField(3, output),
    encodeField(4, operation),
    Object.entries(attributes).map(([name, attributeValue]) => encodeField(5, encodeAttribute(name, attributeValue))),
  )
}

function encodeGraph(stateSize) {
  const nodes = [
    encodeNode('whole', 'Cast', ['signal'], { to: FLOAT_TYPE }),
    encodeNode('scaled', 'Div', ['whole', 'full']),
    encodeNode('frames', 'Reshape', ['scaled', 'frame_shape']),
    encodeNode('loud', 'Abs', ['frames']),
    encodeNode('heard', 'ReduceMean', ['loud'], { axes: [2], keepdims: 0 }),
    encodeNode('past16', 'Slice', ['state', 'zero', 'delay', 'one']),
    encodeNode('rest', 'Slice', ['state', 'delay', 'end', 'one']),
    encodeNode('past', 'Cast', ['past16'], { to: FLOAT_TYPE }),
    encodeNode('line', 'Concat', ['past', 'heard'], { axis: 1 }),
    encodeNode('said', 'Slice', ['line', 'zero', 'ten', 'one']),
    encodeNode('kept', 'Slice', ['line', 'ten', 'end', 'one']),
    encodeNode('kept16', 'Cast', ['kept'], { to: FLOAT16_TYPE }),
    encodeNode('state_next', 'Concat', ['kept16', 'rest'], { axis: 1 }),
    encodeNode('said1', 'Unsqueeze', ['said', 'two']),
    encodeNode('away', 'Sub', ['said1', 'steps']),
    encodeNode('square', 'Mul', ['away', 'away']),
    encodeNode('scores', 'Mul', ['square', 'sharpness']),
    encodeNode('logprobs', 'LogSoftmax', ['scores'], { axis: 2 }),
  ]
  const steps = Array.from({ length: TOKEN_COUNT }, (_, column) => (column === TOKEN_COUNT - 1 ? 0 : (column + 1) / 36))
  const constants = [
    encodeFloats('full', 32_767),
    encodeFloats('sharpness', -SHARPNESS),
    encodeFloats('steps', ...steps),
    encodeIntegers('frame_shape', -1, 10, 240),
    encodeIntegers('zero', 0),
    encodeIntegers('delay', DELAY_FRAMES),
    encodeIntegers('ten', 10),
    encodeIntegers('end', stateSize + 10),
    encodeIntegers('one', 1),
    encodeIntegers('two', 2),
  ]
  return encodeMessage(
    nodes.map((bytes) => encodeField(1, bytes)),
    encodeField(2, 'tiny'),
    constants.map((bytes) => encodeField(5, bytes)),
    encodeField(11, encodeValueInfo('signal', INT32_TYPE, ['batch', 2400, 1])),
    encodeField(11, encodeValueInfo('state', FLOAT16_TYPE, ['batch', stateSize])),
    encodeField(12, encodeValueInfo('logprobs', FLOAT_TYPE, ['batch', 10, TOKEN_COUNT])),
    encodeField(12, encodeValueInfo('state_next', FLOAT16_TYPE, ['batch', stateSize])),
  )
}

const { values, positionals } = parseArgs({
  options: { state: { type: 'string', default: '16' } },
  allowPositionals: true,
})
const [file = 'src/recognizer/fixtures/t-one/model.onnx'] = positionals
const opset = encodeMessage(encodeField(1, ''), encodeField(2, 17))
mkdirSync(dirname(file), { recursive: true })
writeFileSync(
  file,
  encodeMessage(
    encodeField(1, 8),
    encodeField(2, 'make-tiny-t-one'),
    encodeField(7, encodeGraph(Number(values.state))),
    encodeField(8, opset),
  ),
)
