import {
  ATTRIBUTE_FIELDS,
  parseFields,
  GRAPH_FIELDS,
  MODEL_FIELDS,
  NODE_FIELDS,
  parseNumbers,
  TENSOR_FIELDS,
  parseTexts,
  type ProtobufField,
} from './protobuf.ts'

/** A matrix of `inputs` × `outputs` 8-bit weights. The value of a weight is (weight - zero) × scale. */
export interface QuantizedMatrix {
  inputs: number
  outputs: number
  quantised: Uint8Array
  zero: number
  scale: number
}

/** Parses an exported ONNX model and returns weights by name. Includes the weights inside of conditional branches. */
export class ExportedModel {
  private readonly tensors = new Map<string, ProtobufField[]>()
  private readonly inputs = new Map<string, string[]>()

  constructor(model: Uint8Array) {
    const graph = parseFields(parseFields(model).find(({ number }) => number === MODEL_FIELDS.graph)!.value)
    for (const { number, value } of graph) {
      if (number !== GRAPH_FIELDS.initializer) continue
      const tensor = parseFields(value)
      this.tensors.set(parseTexts(tensor, TENSOR_FIELDS.name)[0]!, tensor)
    }
    this.addNodes(graph)
  }

  /**
   * Returns the weights of a matrix product such as `/layers.0/mlp/fc1`.
   * @throws Error if the model has no such product
   */
  matrix(part: string): QuantizedMatrix {
    const [, name = part] = this.inputs.get(`${part}/MatMul_quant`) ?? []
    return this.matrixNamed(name.replace(/_quantized$/, ''))
  }

  /**
   * Returns the weights of a tensor.
   * @param name the tensor name without `_quantized`
   */
  matrixNamed(name: string): QuantizedMatrix {
    const [inputs, outputs] = this.dims(`${name}_quantized`) as [number, number]
    const quantised = this.raw(`${name}_quantized`)
    return { inputs, outputs, quantised, zero: this.scalar(`${name}_zero_point`), scale: this.scalar(`${name}_scale`) }
  }

  floats(name: string): Float32Array {
    return new Float32Array(Uint8Array.from(this.raw(name)).buffer)
  }

  dims(name: string): number[] {
    return this.tensor(name)
      .filter(({ number }) => number === TENSOR_FIELDS.dims)
      .flatMap(({ value }) => parseNumbers(value))
  }

  private raw(name: string): Uint8Array {
    return this.tensor(name).find(({ number }) => number === TENSOR_FIELDS.raw || number === TENSOR_FIELDS.floats)!
      .value
  }

  private scalar(name: string): number {
    const field = this.tensor(name).find(
      ({ number }) => number === TENSOR_FIELDS.floats || number === TENSOR_FIELDS.integers,
    )!
    return field.number === TENSOR_FIELDS.integers
      ? parseNumbers(field.value)[0]!
      : new Float32Array(Uint8Array.from(field.value).buffer)[0]!
  }

  private tensor(name: string): ProtobufField[] {
    const tensor = this.tensors.get(name)
    if (!tensor) throw new Error(`the model is not the one that is known by this name: it has no ${name}`)
    return tensor
  }

  private addNodes(graph: ProtobufField[]): void {
    for (const { number, value } of graph) {
      if (number !== GRAPH_FIELDS.node) continue
      const node = parseFields(value)
      this.inputs.set(parseTexts(node, NODE_FIELDS.name)[0] ?? '', parseTexts(node, NODE_FIELDS.input))
      const attributes = node
        .filter((part) => part.number === NODE_FIELDS.attribute)
        .flatMap((part) => parseFields(part.value))
      for (const { number, value } of attributes) {
        if (number === ATTRIBUTE_FIELDS.graph) this.addNodes(parseFields(value))
        if (number === ATTRIBUTE_FIELDS.tensor)
          this.tensors.set(parseTexts(node, NODE_FIELDS.output)[0]!, parseFields(value))
      }
    }
  }
}
