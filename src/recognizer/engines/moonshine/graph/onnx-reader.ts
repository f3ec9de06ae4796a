import { ATTRIBUTE, fieldsOf, GRAPH, MODEL, NODE, numbersOf, TENSOR, textsOf, type Field } from './protobuf.ts'

/** A matrix of `inputs` × `outputs` 8-bit weights, each with the value (weight − zero) × scale. */
export interface Matrix {
  inputs: number
  outputs: number
  quantised: Uint8Array
  zero: number
  scale: number
}

/** The weights of an exported model by the names of its parts, including those in branches. */
export class ExportedModel {
  private readonly tensors = new Map<string, Field[]>()
  private readonly inputs = new Map<string, string[]>()

  constructor(model: Uint8Array) {
    const graph = fieldsOf(fieldsOf(model).find(({ number }) => number === MODEL.graph)!.value)
    for (const { number, value } of graph) {
      if (number !== GRAPH.initializer) continue
      const tensor = fieldsOf(value)
      this.tensors.set(textsOf(tensor, TENSOR.name)[0]!, tensor)
    }
    this.addNodes(graph)
  }

  /** The weights of a product such as `/layers.0/mlp/fc1`. @throws Error without one */
  matrix(part: string): Matrix {
    const [, name = part] = this.inputs.get(`${part}/MatMul_quant`) ?? []
    return this.matrixNamed(name.replace(/_quantized$/, ''))
  }

  /** The weights of a tensor by its name without `_quantized`. */
  matrixNamed(name: string): Matrix {
    const [inputs, outputs] = this.dims(`${name}_quantized`) as [number, number]
    const quantised = this.raw(`${name}_quantized`)
    return { inputs, outputs, quantised, zero: this.scalar(`${name}_zero_point`), scale: this.scalar(`${name}_scale`) }
  }

  floats(name: string): Float32Array {
    return new Float32Array(Uint8Array.from(this.raw(name)).buffer)
  }

  dims(name: string): number[] {
    return this.tensor(name)
      .filter(({ number }) => number === TENSOR.dims)
      .flatMap(({ value }) => numbersOf(value))
  }

  private raw(name: string): Uint8Array {
    return this.tensor(name).find(({ number }) => number === TENSOR.raw || number === TENSOR.floats)!.value
  }

  private scalar(name: string): number {
    const field = this.tensor(name).find(({ number }) => number === TENSOR.floats || number === TENSOR.integers)!
    return field.number === TENSOR.integers
      ? numbersOf(field.value)[0]!
      : new Float32Array(Uint8Array.from(field.value).buffer)[0]!
  }

  private tensor(name: string): Field[] {
    const tensor = this.tensors.get(name)
    if (!tensor) throw new Error(`the model is not the one that is known by this name: it has no ${name}`)
    return tensor
  }

  private addNodes(graph: Field[]): void {
    for (const { number, value } of graph) {
      if (number !== GRAPH.node) continue
      const node = fieldsOf(value)
      this.inputs.set(textsOf(node, NODE.name)[0] ?? '', textsOf(node, NODE.input))
      const attributes = node.filter((part) => part.number === NODE.attribute).flatMap((part) => fieldsOf(part.value))
      for (const { number, value } of attributes) {
        if (number === ATTRIBUTE.graph) this.addNodes(fieldsOf(value))
        if (number === ATTRIBUTE.tensor) this.tensors.set(textsOf(node, NODE.output)[0]!, fieldsOf(value))
      }
    }
  }
}
