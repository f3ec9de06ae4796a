import { messageField, messageOf, numberField, textField, type Field } from './protobuf.ts'

/** Field numbers of ONNX (onnx.proto) that are written here. */
const MODEL = { irVersion: 1, graph: 7, opset: 8 }
const OPSET = { domain: 1, version: 2 }
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 }
const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 }
const ATTRIBUTE = { name: 1, float: 2, integer: 3, text: 4, integers: 8, type: 20 }
const ATTRIBUTE_TYPE = { float: 1, integer: 2, text: 3, integers: 7 }
const VALUE = { name: 1, type: 2 }
const TYPE = { tensor: 1, element: 1 }
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 }
const ELEMENTS = { float32: 1, uint8: 2, int8: 3, int64: 7 }
const LENGTH_DELIMITED = 2
const FIXED_32 = 5
/** The versions of the format and of the operators that are written. */
const IR_VERSION = 8
const OPERATORS = 17
/** Operators that ONNX Runtime knows beyond those of ONNX. */
const OWN_DOMAIN = 'com.microsoft'
const OWN = new Set(['FusedMatMul', 'MatMulIntegerToFloat', 'QuickGelu', 'RotaryEmbedding', 'SkipLayerNormalization']) // prettier-ignore

export type ElementType = keyof typeof ELEMENTS
/** A number is a whole one, unless it is said to be a float. */
export type Attributes = Record<string, number | number[] | string | { float: number }>
type Data = Float32Array | Uint8Array | Int8Array | BigInt64Array

interface Node {
  operator: string
  inputs: string[]
  attributes: Attributes
  outputs: string[]
}

/** Writes an ONNX model, node by node; values are their names. */
export class OnnxWriter {
  private readonly fields: Field[] = [textField(GRAPH.name, 'graph')]
  private readonly nodes: Node[] = []
  /** Names of values that are given out. */
  private readonly given = new Map<string, string>()
  private count = 0

  input(name: string, type: ElementType): string {
    this.fields.push(valueField(GRAPH.input, name, type))
    return name
  }

  /** Gives what a node makes out under a name. An Identity would do as well, but copy all of it. */
  output(value: string, name: string, type: ElementType): void {
    this.given.set(value, name)
    this.fields.push(valueField(GRAPH.output, name, type))
  }

  /** A node with one output; an input that is left out is ''. */
  one(operator: string, inputs: string[], attributes: Attributes = {}): string {
    return this.node(operator, inputs, attributes, [this.fresh()])[0]!
  }

  /** A node with several outputs; those without a name are ''. */
  several(operator: string, inputs: string[], outputs: number | string[], attributes: Attributes = {}): string[] {
    const names = typeof outputs === 'number' ? Array.from({ length: outputs }, () => this.fresh()) : outputs
    return this.node(operator, inputs, attributes, names)
  }

  fresh(): string {
    return `v${this.count++}`
  }

  floats(data: Float32Array | number[], dims: number[] = [data.length]): string {
    return this.constant('float32', Float32Array.from(data), dims)
  }

  bytes(data: Uint8Array, dims: number[]): string {
    return this.constant('uint8', data, dims)
  }

  signedBytes(data: Int8Array, dims: number[]): string {
    return this.constant('int8', data, dims)
  }

  integers(data: number[], dims = [data.length]): string {
    return this.constant('int64', BigInt64Array.from(data, BigInt), dims)
  }

  bytesOfModel(): Uint8Array {
    const opset = (domain: string, version: number) =>
      messageField(MODEL.opset, [textField(OPSET.domain, domain), numberField(OPSET.version, version)])
    return messageOf([
      numberField(MODEL.irVersion, IR_VERSION),
      messageField(MODEL.graph, [...this.nodes.map((node) => this.nodeField(node)), ...this.fields]),
      opset('', OPERATORS),
      opset(OWN_DOMAIN, 1),
    ])
  }

  private constant(type: ElementType, data: Data, dims: number[]): string {
    const name = this.fresh()
    this.fields.push(
      messageField(GRAPH.initializer, [
        ...dims.map((size) => numberField(TENSOR.dims, size)),
        numberField(TENSOR.type, ELEMENTS[type]),
        textField(TENSOR.name, name),
        {
          number: TENSOR.raw,
          wire: LENGTH_DELIMITED,
          value: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
        },
      ]),
    )
    return name
  }

  private node(operator: string, inputs: string[], attributes: Attributes, outputs: string[]): string[] {
    this.nodes.push({ operator, inputs, attributes, outputs })
    return outputs
  }

  private nodeField({ operator, inputs, attributes, outputs }: Node): Field {
    const named = (name: string) => this.given.get(name) ?? name
    return messageField(GRAPH.node, [
      ...inputs.map((name) => textField(NODE.input, named(name))),
      ...outputs.map((name) => textField(NODE.output, named(name))),
      textField(NODE.operator, operator),
      ...Object.entries(attributes).map(([name, value]) => attributeField(name, value)),
      ...(OWN.has(operator) ? [textField(NODE.domain, OWN_DOMAIN)] : []),
    ])
  }
}

function attributeField(name: string, value: Attributes[string]): Field {
  return messageField(NODE.attribute, [textField(ATTRIBUTE.name, name), ...valueOf(value)])
}

function valueOf(value: Attributes[string]): Field[] {
  const type = (of: keyof typeof ATTRIBUTE_TYPE) => numberField(ATTRIBUTE.type, ATTRIBUTE_TYPE[of])
  if (Array.isArray(value)) return [type('integers'), ...value.map((one) => numberField(ATTRIBUTE.integers, one))]
  if (typeof value === 'number') return [type('integer'), numberField(ATTRIBUTE.integer, value)]
  if (typeof value === 'string') return [type('text'), textField(ATTRIBUTE.text, value)]
  const float = new Uint8Array(Float32Array.of(value.float).buffer)
  return [type('float'), { number: ATTRIBUTE.float, wire: FIXED_32, value: float }]
}

const valueField = (number: number, name: string, type: ElementType): Field =>
  messageField(number, [
    textField(VALUE.name, name),
    messageField(VALUE.type, [messageField(TYPE.tensor, [numberField(TYPE.element, ELEMENTS[type])])]),
  ])
