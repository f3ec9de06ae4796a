import type { Matrix } from './onnx-reader.ts'
import type { OnnxWriter } from './onnx-writer.ts'
import { signed } from './signed-weights.ts'

/** The maximum of a row is quantized to this distance from the middle. */
const LARGEST = 127
const MIDDLE = 128
/** The axis of a row: models have windows × tokens × numbers. */
const ROW = 2

export type Weights = Matrix & { factor?: number }

interface EightBits {
  rounded: string
  largest: string
}

/**
 * Writes products of rows with 8-bit weights. Each row is quantized by its own maximum, and integers are summed exactly. So
 * the product of a row is bit-identical whatever other rows are in the run. (As exported, all rows of a run share one scale.)
 */
export class Products {
  private readonly scale: string
  private readonly middle: string
  private readonly known = new Map<string, EightBits>()

  /** @param hasSigned whether to write weights as signed numbers (signed-weights.ts) */
  constructor(
    private readonly writer: OnnxWriter,
    private readonly hasSigned: boolean,
  ) {
    this.scale = writer.floats([1 / LARGEST], [])
    this.middle = writer.bytes(Uint8Array.of(MIDDLE), [])
  }

  of(rows: string, matrices: Weights[]): string {
    const { writer, scale, middle } = this
    const { rounded, largest } = this.eightBits(rows)
    const { inputs, width, weights, scales, zeros } = sideBySide(matrices)
    const product = writer.one('MatMulIntegerToFloat', [
      rounded,
      this.bytes(weights, [inputs, width]),
      scale,
      writer.floats(scales),
      middle,
      this.bytes(zeros, [width]),
    ])
    return writer.one('Mul', [product, largest])
  }

  private bytes(data: Uint8Array, dims: number[]): string {
    return this.hasSigned ? this.writer.signedBytes(signed(data), dims) : this.writer.bytes(data, dims)
  }

  /** Quantized rows and the maximum of each, computed once for all their products. */
  private eightBits(rows: string): EightBits {
    const known = this.known.get(rows)
    if (known) return known
    const { writer, scale, middle } = this
    // If all numbers are zero, 0 / 0 does not matter: the product is multiplied by zero.
    const largest = writer.one('ReduceMax', [writer.one('Abs', [rows])], { axes: [ROW], keepdims: 1 })
    const rounded = writer.one('QuantizeLinear', [writer.one('Div', [rows, largest]), scale, middle])
    const bits = { rounded, largest }
    this.known.set(rows, bits)
    return bits
  }
}

/** Joins matrices, with a scale and a zero for each column. */
function sideBySide(matrices: Weights[]) {
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

export function transposed({ inputs, outputs, quantised, ...rest }: Matrix): Matrix {
  const turned = new Uint8Array(quantised.length)
  for (let row = 0; row < inputs; row++) {
    for (let column = 0; column < outputs; column++) turned[column * inputs + row] = quantised[row * outputs + column]!
  }
  return { ...rest, inputs: outputs, outputs: inputs, quantised: turned }
}
