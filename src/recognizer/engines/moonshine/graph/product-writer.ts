import type { QuantizedMatrix } from './onnx-reader.ts'
import type { OnnxWriter } from './onnx-writer.ts'
import { convertToSignedBytes } from './signed-weights.ts'

/** Quantization maps the largest absolute number of a row to this distance from the middle of the range. */
const MAX_QUANTIZED = 127
const QUANTIZED_ZERO = 128
/** The axis of the numbers in a row. Tensors have the shape windows × tokens × numbers. */
const ROW_AXIS = 2

/** Quantized weights with a factor that scales the product. */
export type ScaledQuantizedMatrix = QuantizedMatrix & { factor?: number }

interface QuantizedRows {
  rounded: string
  largest: string
}

/**
 * Adds products of rows with 8-bit weights to a graph. Each row is quantized by its own largest absolute number, so its result
 * does not depend on other rows. In the exported model, all rows of a run share one scale.
 */
export class MatrixProductWriter {
  private readonly scale: string
  private readonly middle: string
  private readonly known = new Map<string, QuantizedRows>()

  /** @param hasSigned true to write weights as signed numbers, see signed-weights.ts */
  constructor(
    private readonly writer: OnnxWriter,
    private readonly hasSigned: boolean,
  ) {
    this.scale = writer.floats([1 / MAX_QUANTIZED], [])
    this.middle = writer.bytes(Uint8Array.of(QUANTIZED_ZERO), [])
  }

  addProduct(rows: string, matrices: ScaledQuantizedMatrix[]): string {
    const { writer, scale, middle } = this
    const { rounded, largest } = this.quantizeRows(rows)
    const { inputs, width, weights, scales, zeros } = joinMatrices(matrices)
    const product = writer.addNode('MatMulIntegerToFloat', [
      rounded,
      this.bytes(weights, [inputs, width]),
      scale,
      writer.floats(scales),
      middle,
      this.bytes(zeros, [width]),
    ])
    return writer.addNode('Mul', [product, largest])
  }

  private bytes(data: Uint8Array, dims: number[]): string {
    return this.hasSigned ? this.writer.signedBytes(convertToSignedBytes(data), dims) : this.writer.bytes(data, dims)
  }

  /** Quantizes each row by its largest absolute number. Caches the result for further products of the same rows. */
  private quantizeRows(rows: string): QuantizedRows {
    const known = this.known.get(rows)
    if (known) return known
    const { writer, scale, middle } = this
    // For a row of zeros, 0 / 0 does no harm, because the product is multiplied by zero.
    const largest = writer.addNode('ReduceMax', [writer.addNode('Abs', [rows])], { axes: [ROW_AXIS], keepdims: 1 })
    const rounded = writer.addNode('QuantizeLinear', [writer.addNode('Div', [rows, largest]), scale, middle])
    const bits = { rounded, largest }
    this.known.set(rows, bits)
    return bits
  }
}

/** Joins matrices side by side, with a scale and a zero point for each column. */
function joinMatrices(matrices: ScaledQuantizedMatrix[]) {
  const { inputs } = matrices[0]!
  const width = matrices.reduce((sum, { outputs }) => sum + outputs, 0)
  const weights = new Uint8Array(inputs * width)
  const scales = new Float32Array(width)
  const zeros = new Uint8Array(width)
  let at = 0
  for (const { outputs, quantised, zero, scale, factor = 1 } of matrices) {
    for (let row = 0; row < inputs; row++) {
      weights.set(quantised.subarray(row * outputs, (row + 1) * outputs), row * width + at)
    }
    scales.fill(scale * factor, at, at + outputs)
    zeros.fill(zero, at, at + outputs)
    at += outputs
  }
  return { inputs, width, weights, scales, zeros }
}

/** Swaps the inputs and outputs of a matrix. The decoder reuses its embedding table this way to compute the logits. */
export function transposeQuantizedMatrix({ inputs, outputs, quantised, ...rest }: QuantizedMatrix): QuantizedMatrix {
  const transposedWeights = new Uint8Array(quantised.length)
  for (let row = 0; row < inputs; row++) {
    for (let column = 0; column < outputs; column++)
      transposedWeights[column * inputs + row] = quantised[row * outputs + column]!
  }
  return { ...rest, inputs: outputs, outputs: inputs, quantised: transposedWeights }
}
