import {
  ATTRIBUTE,
  bytesField,
  ELEMENTS,
  floatField,
  GRAPH,
  messageField,
  messageOf,
  MODEL,
  NODE,
  numberField,
  OPSET,
  TENSOR,
  textField,
  TYPE,
  VALUE,
  type Field,
} from './protobuf.ts'

const ATTRIBUTE_TYPE = { float: 1, integer: 2, text: 3, integers: 7 }
const IR_VERSION = 8
const OPSET_VERSION = 17
/** ONNX Runtime's own operators. */
const OWN_DOMAIN = 'com.microsoft'
const OWN = new Set(['FusedMatMul', 'MatMulIntegerToFloat', 'QuickGelu', 'RotaryEmbedding', 'SkipLayerNormalization']) // prettier-ignore

type ElementType = keyof typeof ELEMENTS
type Attributes = Record<string, number | number[] | string | { float: number }>
type Data = Float32Array | Uint8Array | Int8Array | BigInt64Array

interface Node {
  operator: string
  inputs: string[]
  attributes: Attributes
  outputs: string[]
}

/** Writes an ONNX model node by node. Values are represented by their names. */
export class OnnxWriter {
  private readonly fields: Field[] = [textField(GRAPH.name, 'graph')]
  private readonly nodes: Node[] = []
  private readonly given = new Map<string, string>()
  private count = 0

  input(name: string, type: ElementType): string {
    this.fields.push(valueField(GRAPH.input, name, type))
    return name
  }

  /** Makes a value an output with that name. An Identity node would copy it. */
  output(value: string, name: string, type: ElementType): void {
    this.given.set(value, name)
    this.fields.push(valueField(GRAPH.output, name, type))
  }

  /** Adds a node with one output; '' is a missing input. */
  one(operator: string, inputs: string[], attributes: Attributes = {}): string {
    return this.node(operator, inputs, attributes, [this.fresh()])[0]!
  }

  /** Adds a node with several outputs; '' is an unused one. */
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
      opset('', OPSET_VERSION),
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
        bytesField(TENSOR.raw, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
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
  return [type('float'), floatField(ATTRIBUTE.float, value.float)]
}

const valueField = (number: number, name: string, type: ElementType): Field =>
  messageField(number, [
    textField(VALUE.name, name),
    messageField(VALUE.type, [messageField(TYPE.tensor, [numberField(TYPE.element, ELEMENTS[type])])]),
  ])
