import {
  ONNX_ATTRIBUTE_FIELDS,
  parseProtobufFields,
  ONNX_GRAPH_FIELDS,
  ONNX_MODEL_FIELDS,
  ONNX_NODE_FIELDS,
  parsePackedProtobufNumbers,
  ONNX_TENSOR_FIELDS,
  parseProtobufTexts,
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

/** The weights of an exported ONNX model by name, including those inside of conditional branches. */
export class ExportedOnnxModel {
  private readonly tensors = new Map<string, ProtobufField[]>()
  private readonly inputs = new Map<string, string[]>()

  constructor(model: Uint8Array) {
    const graph = parseProtobufFields(
      parseProtobufFields(model).find(({ number }) => number === ONNX_MODEL_FIELDS.graph)!.value,
    )
    for (const { number, value } of graph) {
      if (number !== ONNX_GRAPH_FIELDS.initializer) continue
      const tensor = parseProtobufFields(value)
      this.tensors.set(parseProtobufTexts(tensor, ONNX_TENSOR_FIELDS.name)[0]!, tensor)
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
      .filter(({ number }) => number === ONNX_TENSOR_FIELDS.dims)
      .flatMap(({ value }) => parsePackedProtobufNumbers(value))
  }

  private raw(name: string): Uint8Array {
    return this.tensor(name).find(
      ({ number }) => number === ONNX_TENSOR_FIELDS.raw || number === ONNX_TENSOR_FIELDS.floats,
    )!.value
  }

  private scalar(name: string): number {
    const field = this.tensor(name).find(
      ({ number }) => number === ONNX_TENSOR_FIELDS.floats || number === ONNX_TENSOR_FIELDS.integers,
    )!
    return field.number === ONNX_TENSOR_FIELDS.integers
      ? parsePackedProtobufNumbers(field.value)[0]!
      : new Float32Array(Uint8Array.from(field.value).buffer)[0]!
  }

  private tensor(name: string): ProtobufField[] {
    const tensor = this.tensors.get(name)
    if (!tensor) throw new Error(`the model is not the one that is known by this name: it has no ${name}`)
    return tensor
  }

  private addNodes(graph: ProtobufField[]): void {
    for (const { number, value } of graph) {
      if (number !== ONNX_GRAPH_FIELDS.node) continue
      const node = parseProtobufFields(value)
      this.inputs.set(
        parseProtobufTexts(node, ONNX_NODE_FIELDS.name)[0] ?? '',
        parseProtobufTexts(node, ONNX_NODE_FIELDS.input),
      )
      const attributes = node
        .filter((part) => part.number === ONNX_NODE_FIELDS.attribute)
        .flatMap((part) => parseProtobufFields(part.value))
      for (const { number, value } of attributes) {
        if (number === ONNX_ATTRIBUTE_FIELDS.graph) this.addNodes(parseProtobufFields(value))
        if (number === ONNX_ATTRIBUTE_FIELDS.tensor)
          this.tensors.set(parseProtobufTexts(node, ONNX_NODE_FIELDS.output)[0]!, parseProtobufFields(value))
      }
    }
  }
}
