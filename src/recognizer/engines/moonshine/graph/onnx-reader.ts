import { fieldsOf, numbersOf, textsOf, type Field } from './protobuf.ts'

/** Field numbers of ONNX (onnx.proto). */
const MODEL = { graph: 7 }
const GRAPH = { node: 1, initializer: 5 }
const NODE = { input: 1, output: 2, name: 3, attribute: 5 }
const ATTRIBUTE = { tensor: 5, graph: 6 }
const TENSOR = { dims: 1, floats: 4, integers: 5, name: 8, raw: 9 }

/** A matrix of 8-bit weights, `inputs` × `outputs`, each worth (it − zero) × scale. */
export interface Matrix {
  inputs: number
  outputs: number
  quantised: Uint8Array
  zero: number
  scale: number
}

/** The weights of a model as it was exported, by the names that the program gave its parts, those in branches too. */
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

  /** The weights of the product with that name, such as `/layers.0/mlp/fc1`. @throws Error where there is none */
  matrix(part: string): Matrix {
    const [, name = part] = this.inputs.get(`${part}/MatMul_quant`) ?? []
    return this.matrixNamed(name.replace(/_quantized$/, ''))
  }

  /** The weights of a tensor, by its own name without `_quantized`. */
  matrixNamed(name: string): Matrix {
    const [inputs, outputs] = this.dims(`${name}_quantized`)
    const quantised = this.raw(`${name}_quantized`)
    return {
      inputs: inputs!,
      outputs: outputs!,
      quantised,
      zero: this.scalar(`${name}_zero_point`),
      scale: this.scalar(`${name}_scale`),
    }
  }

  /** The numbers of a tensor, one row after the other. */
  floats(name: string): Float32Array {
    return new Float32Array(Uint8Array.from(this.raw(name)).buffer)
  }

  /** The sizes of a tensor. */
  dims(name: string): number[] {
    return this.tensor(name)
      .filter(({ number }) => number === TENSOR.dims)
      .flatMap(({ value }) => numbersOf(value))
  }

  private raw(name: string): Uint8Array {
    return this.tensor(name).find(({ number }) => number === TENSOR.raw || number === TENSOR.floats)!.value
  }

  /** The one number of a tensor, which stands in a field of its type. */
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

  /** Nodes of a graph and of the branches in it. */
  private addNodes(graph: Field[]): void {
    for (const { number, value } of graph) {
      if (number !== GRAPH.node) continue
      const node = fieldsOf(value)
      this.inputs.set(textsOf(node, NODE.name)[0] ?? '', textsOf(node, NODE.input))
      const attributes = node.filter((part) => part.number === NODE.attribute).flatMap((part) => fieldsOf(part.value))
      for (const { number, value } of attributes) {
        if (number === ATTRIBUTE.graph) this.addNodes(fieldsOf(value))
        // The value of a constant goes by the name of what the node gives out.
        if (number === ATTRIBUTE.tensor) this.tensors.set(textsOf(node, NODE.output)[0]!, fieldsOf(value))
      }
    }
  }
}
