import { ExportedModel } from './onnx-reader.ts'
import { OnnxWriter } from './onnx-writer.ts'

/** The branch for 16,000 samples per second. */
const BRANCH = 'If_0_then_branch__Inline_0__'
/** Mirrored samples after a frame, samples between two spectra, and frequencies of a spectrum. */
const MIRRORED = 64
const STEP = 128
const FREQUENCIES = 129
const SPECTRA = 4
/** Strides of the four convolutions over the spectra of a frame. */
const STRIDES = [1, 2, 2, 1]
const TAPS = 3
export const MEMORY = 128
/** The file's order of gates is input, forget, cell, output; that of the operator is input, output, forget, cell. */
const GATES = [0, 3, 1, 2]

/**
 * Silero VAD v5 over any number of consecutive frames in one run: only the LSTM proceeds frame by frame. The file takes one
 * frame per run, most of which is overhead. Convolutions are products of matrices, because ONNX Runtime's own take longer over
 * so few steps (detecting in 20 calls: 2.1 s, 1.5 s without). Inputs: `frames` (frames × samples), `hidden` and `cell` (1 × 1
 * × MEMORY). Outputs: `probabilities`, `nextHidden`, `nextCell`.
 */
export function vadGraph(file: Uint8Array): Uint8Array {
  const model = new ExportedModel(file)
  const writer = new OnnxWriter()
  const weight = (name: string) => writer.floats(model.floats(BRANCH + name), model.dims(BRANCH + name))

  const frames = writer.input('frames', 'float32')
  const mirrored = writer.one('Pad', [frames, writer.integers([0, 0, 0, MIRRORED])], { mode: 'reflect' })
  const steps = writer.one('Reshape', [mirrored, writer.integers([0, SPECTRA + 1, STEP])])
  const waves = writer.one('MatMul', [
    neighbours(writer, steps, { width: 2, stride: 1, count: SPECTRA }),
    matrix(writer, model, 'stft.forward_basis_buffer'),
  ])
  const halves = writer.several('Split', [waves, writer.integers([FREQUENCIES, FREQUENCIES])], 2, { axis: 2 })
  const [real, imaginary] = halves.map((half) => writer.one('Mul', [half, half]))
  let heard = writer.one('Sqrt', [writer.one('Add', [real!, imaginary!])])
  let count = SPECTRA
  for (const [number, stride] of STRIDES.entries()) {
    const part = `encoder.${number}.reparam_conv`
    const padded = writer.one('Pad', [heard, writer.integers([0, 1, 0, 0, 1, 0])])
    count = Math.ceil(count / stride)
    const around = neighbours(writer, padded, { width: TAPS, stride, count })
    const product = writer.one('MatMul', [around, matrix(writer, model, `${part}.weight`)])
    heard = writer.one('Relu', [writer.one('Add', [product, weight(`${part}.bias`)])])
  }

  const gates = (name: string) => inOrder(model.floats(`${BRANCH}decoder.rnn.${name}`))
  const sequence = writer.one('Reshape', [heard, writer.integers([-1, 1, MEMORY])])
  const [remembered, hidden, cell] = writer.several(
    'LSTM',
    [
      sequence,
      writer.floats(gates('weight_ih'), [1, 4 * MEMORY, MEMORY]),
      writer.floats(gates('weight_hh'), [1, 4 * MEMORY, MEMORY]),
      writer.floats([...gates('bias_ih'), ...gates('bias_hh')], [1, 8 * MEMORY]),
      '',
      writer.input('hidden', 'float32'),
      writer.input('cell', 'float32'),
    ],
    3,
    { hidden_size: MEMORY },
  )
  const flat = writer.one('Relu', [writer.one('Reshape', [remembered!, writer.integers([-1, MEMORY])])])
  const last = writer.floats(model.floats(`${BRANCH}decoder.decoder.2.weight`), [MEMORY, 1])
  const score = writer.one('Add', [writer.one('MatMul', [flat, last]), weight('decoder.decoder.2.bias')])
  writer.output(writer.one('Sigmoid', [score]), 'probabilities', 'float32')
  writer.output(hidden!, 'nextHidden', 'float32')
  writer.output(cell!, 'nextCell', 'float32')
  return writer.bytesOfModel()
}

interface Neighbourhood {
  width: number
  stride: number
  count: number
}

/** Joins `width` neighbours (second axis) along the third axis, `count` times at distance `stride`. */
function neighbours(writer: OnnxWriter, values: string, { width, stride, count }: Neighbourhood): string {
  const axis = writer.integers([1])
  const parts = Array.from({ length: width }, (_, first) => {
    const range = [first, first + (count - 1) * stride + 1].map((at) => writer.integers([at]))
    return writer.one('Slice', [values, ...range, axis, writer.integers([stride])])
  })
  return writer.one('Concat', parts, { axis: 2 })
}

/** The weights of a convolution (outputs × inputs × taps) as a matrix. */
function matrix(writer: OnnxWriter, model: ExportedModel, name: string): string {
  const [outputs, inputs, taps] = model.dims(BRANCH + name) as [number, number, number]
  const weights = model.floats(BRANCH + name)
  const turned = new Float32Array(weights.length)
  for (let tap = 0; tap < taps; tap++) {
    for (let input = 0; input < inputs; input++) {
      for (let output = 0; output < outputs; output++) {
        turned[(tap * inputs + input) * outputs + output] = weights[(output * inputs + input) * taps + tap]!
      }
    }
  }
  return writer.floats(turned, [taps * inputs, outputs])
}

function inOrder(gates: Float32Array): Float32Array {
  const size = gates.length / GATES.length
  const ordered = new Float32Array(gates.length)
  GATES.forEach((from, to) => ordered.set(gates.subarray(from * size, (from + 1) * size), to * size))
  return ordered
}
