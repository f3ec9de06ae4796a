import {
  ONNX_ATTRIBUTE_FIELDS,
  encodeProtobufBytesField,
  ONNX_ELEMENT_TYPES,
  encodeProtobufFloatField,
  ONNX_GRAPH_FIELDS,
  encodeProtobufMessageField,
  encodeProtobufMessage,
  ONNX_MODEL_FIELDS,
  ONNX_NODE_FIELDS,
  encodeProtobufNumberField,
  ONNX_OPSET_FIELDS,
  ONNX_TENSOR_FIELDS,
  encodeProtobufTextField,
  ONNX_TYPE_FIELDS,
  ONNX_VALUE_FIELDS,
  type ProtobufField,
} from './protobuf.ts'

const ATTRIBUTE_TYPE = { float: 1, integer: 2, text: 3, integers: 7 }
const IR_VERSION = 8
const OPSET_VERSION = 17
/** Domain of the operators that ONNX Runtime adds to the ONNX standard. */
const ORT_DOMAIN = 'com.microsoft'
const ORT_OPERATORS = new Set(['FusedMatMul', 'MatMulIntegerToFloat', 'QuickGelu', 'RotaryEmbedding', 'SkipLayerNormalization']) // prettier-ignore

type ElementType = keyof typeof ONNX_ELEMENT_TYPES
type NodeAttributes = Record<string, number | number[] | string | { float: number }>
type ElementData = Float32Array | Uint8Array | Int8Array | BigInt64Array

interface OnnxNode {
  operator: string
  inputs: string[]
  attributes: NodeAttributes
  outputs: string[]
}

/** Builds an ONNX model node by node. Methods take and return the names of values. */
export class OnnxWriter {
  private readonly fields: ProtobufField[] = [encodeProtobufTextField(ONNX_GRAPH_FIELDS.name, 'graph')]
  private readonly nodes: OnnxNode[] = []
  private readonly outputNames = new Map<string, string>()
  private count = 0

  input(name: string, type: ElementType): string {
    this.fields.push(encodeValueInfo(ONNX_GRAPH_FIELDS.input, name, type))
    return name
  }

  /** Makes a value an output of the graph by renaming it. An Identity node would copy the data. */
  output(value: string, name: string, type: ElementType): void {
    this.outputNames.set(value, name)
    this.fields.push(encodeValueInfo(ONNX_GRAPH_FIELDS.output, name, type))
  }

  /**
   * Adds a node with one output and returns the name of the output.
   * @param inputs value names; '' omits an optional input
   */
  addNode(operator: string, inputs: string[], attributes: NodeAttributes = {}): string {
    return this.node(operator, inputs, attributes, [this.createName()])[0]!
  }

  /**
   * Adds a node with several outputs and returns their names.
   * @param outputs the number of outputs, or their names; '' omits an output
   */
  addMultiOutputNode(
    operator: string,
    inputs: string[],
    outputs: number | string[],
    attributes: NodeAttributes = {},
  ): string[] {
    const names = typeof outputs === 'number' ? Array.from({ length: outputs }, () => this.createName()) : outputs
    return this.node(operator, inputs, attributes, names)
  }

  createName(): string {
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

  encodeModel(): Uint8Array {
    const opset = (domain: string, version: number) =>
      encodeProtobufMessageField(ONNX_MODEL_FIELDS.opset, [
        encodeProtobufTextField(ONNX_OPSET_FIELDS.domain, domain),
        encodeProtobufNumberField(ONNX_OPSET_FIELDS.version, version),
      ])
    return encodeProtobufMessage([
      encodeProtobufNumberField(ONNX_MODEL_FIELDS.irVersion, IR_VERSION),
      encodeProtobufMessageField(ONNX_MODEL_FIELDS.graph, [
        ...this.nodes.map((node) => this.encodeNode(node)),
        ...this.fields,
      ]),
      opset('', OPSET_VERSION),
      opset(ORT_DOMAIN, 1),
    ])
  }

  private constant(type: ElementType, data: ElementData, dims: number[]): string {
    const name = this.createName()
    this.fields.push(
      encodeProtobufMessageField(ONNX_GRAPH_FIELDS.initializer, [
        ...dims.map((size) => encodeProtobufNumberField(ONNX_TENSOR_FIELDS.dims, size)),
        encodeProtobufNumberField(ONNX_TENSOR_FIELDS.type, ONNX_ELEMENT_TYPES[type]),
        encodeProtobufTextField(ONNX_TENSOR_FIELDS.name, name),
        encodeProtobufBytesField(ONNX_TENSOR_FIELDS.raw, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
      ]),
    )
    return name
  }

  private node(operator: string, inputs: string[], attributes: NodeAttributes, outputs: string[]): string[] {
    this.nodes.push({ operator, inputs, attributes, outputs })
    return outputs
  }

  private encodeNode({ operator, inputs, attributes, outputs }: OnnxNode): ProtobufField {
    const finalName = (name: string) => this.outputNames.get(name) ?? name
    return encodeProtobufMessageField(ONNX_GRAPH_FIELDS.node, [
      ...inputs.map((name) => encodeProtobufTextField(ONNX_NODE_FIELDS.input, finalName(name))),
      ...outputs.map((name) => encodeProtobufTextField(ONNX_NODE_FIELDS.output, finalName(name))),
      encodeProtobufTextField(ONNX_NODE_FIELDS.operator, operator),
      ...Object.entries(attributes).map(([name, value]) => encodeAttribute(name, value)),
      ...(ORT_OPERATORS.has(operator) ? [encodeProtobufTextField(ONNX_NODE_FIELDS.domain, ORT_DOMAIN)] : []),
    ])
  }
}

function encodeAttribute(name: string, value: NodeAttributes[string]): ProtobufField {
  return encodeProtobufMessageField(ONNX_NODE_FIELDS.attribute, [
    encodeProtobufTextField(ONNX_ATTRIBUTE_FIELDS.name, name),
    ...encodeAttributeValue(value),
  ])
}

function encodeAttributeValue(value: NodeAttributes[string]): ProtobufField[] {
  const type = (of: keyof typeof ATTRIBUTE_TYPE) =>
    encodeProtobufNumberField(ONNX_ATTRIBUTE_FIELDS.type, ATTRIBUTE_TYPE[of])
  if (Array.isArray(value))
    return [type('integers'), ...value.map((one) => encodeProtobufNumberField(ONNX_ATTRIBUTE_FIELDS.integers, one))]
  if (typeof value === 'number')
    return [type('integer'), encodeProtobufNumberField(ONNX_ATTRIBUTE_FIELDS.integer, value)]
  if (typeof value === 'string') return [type('text'), encodeProtobufTextField(ONNX_ATTRIBUTE_FIELDS.text, value)]
  return [type('float'), encodeProtobufFloatField(ONNX_ATTRIBUTE_FIELDS.float, value.float)]
}

const encodeValueInfo = (number: number, name: string, type: ElementType): ProtobufField =>
  encodeProtobufMessageField(number, [
    encodeProtobufTextField(ONNX_VALUE_FIELDS.name, name),
    encodeProtobufMessageField(ONNX_VALUE_FIELDS.type, [
      encodeProtobufMessageField(ONNX_TYPE_FIELDS.tensor, [
        encodeProtobufNumberField(ONNX_TYPE_FIELDS.element, ONNX_ELEMENT_TYPES[type]),
      ]),
    ]),
  ])
