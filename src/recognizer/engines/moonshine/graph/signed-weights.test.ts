import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { OnnxWriter } from './onnx-writer.ts'
import { MatrixProductWriter } from './product-writer.ts'
import { convertToSignedBytes, supportsSignedWeights, convertModelToSignedWeights } from './signed-weights.ts'

const encoderFile = fileURLToPath(
  new URL('./model/tiny/quantized/encoder_model.onnx', import.meta.resolve('@usefulsensors/moonshine-js')),
)

/** Runs a model on one input, releases it and returns its only output. */
async function runModel(model: Uint8Array, feeds: Record<string, Tensor>): Promise<Float32Array> {
  const session = await InferenceSession.create(model)
  const outputs = await session.run(feeds)
  await session.release()
  return Object.values(outputs)[0]!.data as Float32Array
}

/** Multiplies rows with weights that cover the full range of a byte. */
function computeProduct(hasSigned: boolean): Promise<Float32Array> {
  const [inputs, outputs, rows] = [256, 64, 5]
  const writer = new OnnxWriter()
  const quantised = Uint8Array.from({ length: inputs * outputs }, (_, n) => (n % 3 === 0 ? 0 : 255))
  const weights = { inputs, outputs, quantised, zero: 117, scale: 0.02 }
  writer.output(
    new MatrixProductWriter(writer, hasSigned).addProduct(writer.input('rows', 'float32'), [weights]),
    'products',
    'float32',
  )
  const numbers = Float32Array.from({ length: rows * inputs }, (_, n) => Math.sin(n) + 1)
  return runModel(writer.encodeModel(), { rows: new Tensor('float32', numbers, [1, rows, inputs]) })
}

describe('signed weights', () => {
  it('conversion to signed bytes subtracts 128', () => {
    expect([...convertToSignedBytes(Uint8Array.of(0, 1, 127, 128, 255))]).to.deep.equal([-128, -127, -1, 0, 127])
  })

  it('signed weights are supported exactly if their products are bit-identical to unsigned ones', async () => {
    const [unsigned, withSign] = await Promise.all([computeProduct(false), computeProduct(true)])
    expect(withSign.every((number, n) => number === unsigned[n])).to.equal(await supportsSignedWeights())
  })

  it('the encoder with signed weights returns bit-identical output', async function () {
    if (!(await supportsSignedWeights())) this.skip() // Without support, the engine never uses signed weights.
    const model = await readFile(encoderFile)
    const changed = convertModelToSignedWeights(model)
    expect(Buffer.from(changed).equals(model)).to.equal(false)
    const samples = Float32Array.from({ length: 32_000 }, (_, n) => 0.3 * Math.sin(n / 7 + 8 * Math.sin(n / 900)))
    const [before, after] = await Promise.all(
      [model, changed].map((bytes) =>
        runModel(bytes, { input_values: new Tensor('float32', samples, [1, samples.length]) }),
      ),
    )
    expect(after!.length).to.be.above(1000)
    expect(after!.every((number, n) => number === before![n])).to.equal(true)
  })
})
