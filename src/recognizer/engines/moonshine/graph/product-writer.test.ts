import { expect } from 'chai'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { MatrixProductWriter } from './product-writer.ts'
import { OnnxWriter } from './onnx-writer.ts'

const WEIGHTS = { inputs: 3, outputs: 2, quantised: Uint8Array.of(129, 130, 128, 126, 138, 128), zero: 128, scale: 0.5 }
/** The weights of the quantized matrix as plain numbers. */
const MATRIX = [
  [0.5, 1],
  [0, -1],
  [5, 0],
]

describe('products with 8-bit weights', () => {
  let session: InferenceSession
  before(async () => {
    const writer = new OnnxWriter()
    writer.output(
      new MatrixProductWriter(writer, false).addProduct(writer.input('rows', 'float32'), [WEIGHTS]),
      'products',
      'float32',
    )
    session = await InferenceSession.create(writer.encodeModel())
  })
  after(() => session.release())

  async function computeProducts(rows: number[][]): Promise<number[][]> {
    const tensor = new Tensor('float32', Float32Array.from(rows.flat()), [rows.length, 1, WEIGHTS.inputs])
    const { products } = await session.run({ rows: tensor })
    const numbers = [...(products!.data as Float32Array)]
    return rows.map((_, row) => numbers.slice(row * WEIGHTS.outputs, (row + 1) * WEIGHTS.outputs))
  }

  const product = (row: number[]) =>
    [0, 1].map((column) => row.reduce((sum, number, input) => sum + number * MATRIX[input]![column]!, 0))

  it('a quantized product is close to the exact product for rows of any size', async () => {
    for (const size of [1e-20, 1, 1e6]) {
      const row = [0.3 * size, -1 * size, 0.7 * size]
      const [found] = await computeProducts([row])
      found!.forEach((number, column) => expect(number / size).to.be.closeTo(product(row)[column]! / size, 0.05))
    }
  })

  it('a row of zeros has a zero product and does not change another row', async () => {
    const [nothing, row] = await computeProducts([
      [0, 0, 0],
      [0.3, -1, 0.7],
    ])
    expect(nothing!.map(Math.abs)).to.deep.equal([0, 0])
    expect(row).to.deep.equal((await computeProducts([[0.3, -1, 0.7]]))[0])
  })
})
