import { ExportedOnnxModel } from './onnx-reader.ts'
import { OnnxWriter } from './onnx-writer.ts'

/** Name prefix of the branch for 16,000 samples per second. */
const BRANCH_PREFIX = 'If_0_then_branch__Inline_0__'
/** Number of mirrored samples that the graph appends to each frame. */
const MIRRORED_SAMPLES = 64
const SPECTRUM_STEP = 128
const FREQUENCY_COUNT = 129
const SPECTRA_PER_FRAME = 4
/** Strides of the four convolutions over the spectra of a frame. */
const CONVOLUTION_STRIDES = [1, 2, 2, 1]
const CONVOLUTION_TAPS = 3
export const VAD_STATE_SIZE = 128
/** The file has the LSTM gates input, forget, cell, output. The ONNX operator expects input, output, forget, cell. */
const GATE_ORDER = [0, 3, 1, 2]

/**
 * Builds a graph of Silero VAD v5 that takes any number of consecutive frames. The published file takes one frame per run, with
 * much overhead. Convolutions become matrix products, because ONNX Runtime's convolutions are slower for so few steps (2.1 s
 * instead of 1.5 s for 20 calls). Inputs: `frames` (frames × 576 samples, the last 64 samples of the previous frame first),
 * `hidden` and `cell` (1 × 1 × VAD_STATE_SIZE). Outputs: `probabilities`, `nextHidden`, `nextCell`.
 */
export function buildVadGraph(file: Uint8Array): Uint8Array {
  const model = new ExportedOnnxModel(file)
  const writer = new OnnxWriter()
  const weight = (name: string) => writer.floats(model.floats(BRANCH_PREFIX + name), model.dims(BRANCH_PREFIX + name))

  const frames = writer.input('frames', 'float32')
  const mirrored = writer.addNode('Pad', [frames, writer.integers([0, 0, 0, MIRRORED_SAMPLES])], { mode: 'reflect' })
  const steps = writer.addNode('Reshape', [mirrored, writer.integers([0, SPECTRA_PER_FRAME + 1, SPECTRUM_STEP])])
  const waves = writer.addNode('MatMul', [
    joinNeighbours(writer, steps, { width: 2, stride: 1, count: SPECTRA_PER_FRAME }),
    buildConvolutionMatrix(writer, model, 'stft.forward_basis_buffer'),
  ])
  const halves = writer.addMultiOutputNode('Split', [waves, writer.integers([FREQUENCY_COUNT, FREQUENCY_COUNT])], 2, {
    axis: 2,
  })
  const [real, imaginary] = halves.map((half) => writer.addNode('Mul', [half, half]))
  let features = writer.addNode('Sqrt', [writer.addNode('Add', [real!, imaginary!])])
  let count = SPECTRA_PER_FRAME
  for (const [number, stride] of CONVOLUTION_STRIDES.entries()) {
    const part = `encoder.${number}.reparam_conv`
    const padded = writer.addNode('Pad', [features, writer.integers([0, 1, 0, 0, 1, 0])])
    count = Math.ceil(count / stride)
    const around = joinNeighbours(writer, padded, { width: CONVOLUTION_TAPS, stride, count })
    const product = writer.addNode('MatMul', [around, buildConvolutionMatrix(writer, model, `${part}.weight`)])
    features = writer.addNode('Relu', [writer.addNode('Add', [product, weight(`${part}.bias`)])])
  }

  const gates = (name: string) => reorderGates(model.floats(`${BRANCH_PREFIX}decoder.rnn.${name}`))
  const sequence = writer.addNode('Reshape', [features, writer.integers([-1, 1, VAD_STATE_SIZE])])
  const [states, hidden, cell] = writer.addMultiOutputNode(
    'LSTM',
    [
      sequence,
      writer.floats(gates('weight_ih'), [1, 4 * VAD_STATE_SIZE, VAD_STATE_SIZE]),
      writer.floats(gates('weight_hh'), [1, 4 * VAD_STATE_SIZE, VAD_STATE_SIZE]),
      writer.floats([...gates('bias_ih'), ...gates('bias_hh')], [1, 8 * VAD_STATE_SIZE]),
      '',
      writer.input('hidden', 'float32'),
      writer.input('cell', 'float32'),
    ],
    3,
    { hidden_size: VAD_STATE_SIZE },
  )
  const flat = writer.addNode('Relu', [writer.addNode('Reshape', [states!, writer.integers([-1, VAD_STATE_SIZE])])])
  const last = writer.floats(model.floats(`${BRANCH_PREFIX}decoder.decoder.2.weight`), [VAD_STATE_SIZE, 1])
  const score = writer.addNode('Add', [writer.addNode('MatMul', [flat, last]), weight('decoder.decoder.2.bias')])
  writer.output(writer.addNode('Sigmoid', [score]), 'probabilities', 'float32')
  writer.output(hidden!, 'nextHidden', 'float32')
  writer.output(cell!, 'nextCell', 'float32')
  return writer.encodeModel()
}

interface NeighbourLayout {
  width: number
  stride: number
  count: number
}

/** Joins `width` neighbours of the second axis along the third axis, at `count` positions with distance `stride`. */
function joinNeighbours(writer: OnnxWriter, values: string, { width, stride, count }: NeighbourLayout): string {
  const axis = writer.integers([1])
  const parts = Array.from({ length: width }, (_, first) => {
    const range = [first, first + (count - 1) * stride + 1].map((at) => writer.integers([at]))
    return writer.addNode('Slice', [values, ...range, axis, writer.integers([stride])])
  })
  return writer.addNode('Concat', parts, { axis: 2 })
}

/** Adds the weights of a convolution (outputs × inputs × taps) as a matrix of (taps × inputs) × outputs. */
function buildConvolutionMatrix(writer: OnnxWriter, model: ExportedOnnxModel, name: string): string {
  const [outputs, inputs, taps] = model.dims(BRANCH_PREFIX + name) as [number, number, number]
  const weights = model.floats(BRANCH_PREFIX + name)
  const transposed = new Float32Array(weights.length)
  for (let tap = 0; tap < taps; tap++) {
    for (let input = 0; input < inputs; input++) {
      for (let output = 0; output < outputs; output++) {
        transposed[(tap * inputs + input) * outputs + output] = weights[(output * inputs + input) * taps + tap]!
      }
    }
  }
  return writer.floats(transposed, [taps * inputs, outputs])
}

function reorderGates(gates: Float32Array): Float32Array {
  const size = gates.length / GATE_ORDER.length
  const ordered = new Float32Array(gates.length)
  GATE_ORDER.forEach((from, to) => ordered.set(gates.subarray(from * size, (from + 1) * size), to * size))
  return ordered
}
