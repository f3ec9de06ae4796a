/**
 * node scripts/make-tiny-t-one.mjs [FILE] [--state SIZE]: writes a small ONNX model with the inputs and outputs of T-one's
 * acoustic model, by default src/recognizer/fixtures/t-one/model.onnx. Its output follows from the audio in a known way, so
 * tests detect a wrong scale, padding, chunk or state:
 *
 * - The mean loudness of 30 ms, from 0 to 1, is the letter: (n + 1) / 36 for letter n of the alphabet. The space is the
 *   34th letter, silence is the blank. Between two steps both are probable, by the distance to each.
 * It outputs letters 11 frames late, like T-one (0.33 s): these loudnesses are the first 11 numbers of the state.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

const DELAY = 11
const COLUMNS = 35
/** The certainty of the model: in the middle of a step its letter is 500 times as probable as the neighbours. */
const SHARPNESS = 8000

const FLOAT = 1
const INT32 = 6
const INT64 = 7
const FLOAT16 = 10

/** A number in protobuf encoding. */
function varint(value) {
  const bytes = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** A field of a protobuf message: numbers directly, texts and messages (buffers) after their length. */
function field(number, value) {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

const message = (...fields) => Buffer.concat(fields.flat())

function tensor(name, type, dims, data) {
  return message(
    dims.map((size) => field(1, size)),
    field(2, type),
    field(8, name),
    field(9, Buffer.from(data.buffer)),
  )
}

const integers = (name, ...values) => tensor(name, INT64, [values.length], BigInt64Array.from(values, BigInt))
const floats = (name, ...values) => tensor(name, FLOAT, [values.length], Float32Array.from(values))

/** An input or output; text dimensions are open. */
function value(name, type, dims) {
  const shape = message(dims.map((size) => field(1, typeof size === 'number' ? field(1, size) : field(2, size))))
  return message(field(1, name), field(2, field(1, message(field(1, type), field(2, shape)))))
}

/** Attributes are whole numbers or lists of them. */
function attribute(name, given) {
  if (typeof given === 'number') return message(field(1, name), field(3, given), field(20, 2))
  return message(
    field(1, name),
    given.map((item) => field(8, item)),
    field(20, 7),
  )
}

function node(output, operation, inputs, attributes = {}) {
  return message(
    inputs.map((input) => field(1, input)),
    field(2, output),
    field(3, output),
    field(4, operation),
    Object.entries(attributes).map(([name, given]) => field(5, attribute(name, given))),
  )
}

function graph(stateSize) {
  const nodes = [
    node('whole', 'Cast', ['signal'], { to: FLOAT }),
    node('scaled', 'Div', ['whole', 'full']),
    node('frames', 'Reshape', ['scaled', 'frame_shape']),
    node('loud', 'Abs', ['frames']),
    node('heard', 'ReduceMean', ['loud'], { axes: [2], keepdims: 0 }),
    node('past16', 'Slice', ['state', 'zero', 'delay', 'one']),
    node('rest', 'Slice', ['state', 'delay', 'end', 'one']),
    node('past', 'Cast', ['past16'], { to: FLOAT }),
    node('line', 'Concat', ['past', 'heard'], { axis: 1 }),
    node('said', 'Slice', ['line', 'zero', 'ten', 'one']),
    node('kept', 'Slice', ['line', 'ten', 'end', 'one']),
    node('kept16', 'Cast', ['kept'], { to: FLOAT16 }),
    node('state_next', 'Concat', ['kept16', 'rest'], { axis: 1 }),
    node('said1', 'Unsqueeze', ['said', 'two']),
    node('away', 'Sub', ['said1', 'steps']),
    node('square', 'Mul', ['away', 'away']),
    node('scores', 'Mul', ['square', 'sharpness']),
    node('logprobs', 'LogSoftmax', ['scores'], { axis: 2 }),
  ]
  const steps = Array.from({ length: COLUMNS }, (_, column) => (column === COLUMNS - 1 ? 0 : (column + 1) / 36))
  const constants = [
    floats('full', 32_767),
    floats('sharpness', -SHARPNESS),
    floats('steps', ...steps),
    integers('frame_shape', -1, 10, 240),
    integers('zero', 0),
    integers('delay', DELAY),
    integers('ten', 10),
    integers('end', stateSize + 10),
    integers('one', 1),
    integers('two', 2),
  ]
  return message(
    nodes.map((bytes) => field(1, bytes)),
    field(2, 'tiny'),
    constants.map((bytes) => field(5, bytes)),
    field(11, value('signal', INT32, ['batch', 2400, 1])),
    field(11, value('state', FLOAT16, ['batch', stateSize])),
    field(12, value('logprobs', FLOAT, ['batch', 10, COLUMNS])),
    field(12, value('state_next', FLOAT16, ['batch', stateSize])),
  )
}

const { values, positionals } = parseArgs({
  options: { state: { type: 'string', default: '16' } },
  allowPositionals: true,
})
const [file = 'src/recognizer/fixtures/t-one/model.onnx'] = positionals
const opset = message(field(1, ''), field(2, 17))
mkdirSync(dirname(file), { recursive: true })
writeFileSync(
  file,
  message(field(1, 8), field(2, 'make-tiny-t-one'), field(7, graph(Number(values.state))), field(8, opset)),
)
