import { inflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import { pack, type Packed } from './pack.ts'
import { Packer } from './packer.ts'

describe('Packer', () => {
  const contents = ['слово '.repeat(50_000), '', 'да'].map((text) => Buffer.from(text))
  const asText = (files: Packed[]) => files.map(({ bytes }) => inflateRawSync(bytes).toString())

  it('compresses files in their order, each as this thread would, also where some wait for others', async () => {
    const packer = new Packer()
    const [first, second] = await Promise.all([packer.pack(contents), packer.pack(contents.toReversed())])
    expect(asText(first)).to.deep.equal(contents.map(String))
    expect(asText(second)).to.deep.equal(contents.toReversed().map(String))
    expect(first.map(({ crc, size }) => [crc, size])).to.deep.equal(
      contents.map((content) => [pack(content).crc, content.length]),
    )
    await packer.close()
  })

  it('puts an ending behind each file that is not empty', async () => {
    const packer = new Packer()
    const packed = await packer.pack(contents, Buffer.from('\n'))
    expect(asText(packed)).to.deep.equal([`${contents[0]!.toString()}\n`, '', 'да\n'])
    expect(packed.map(({ size }) => size)).to.deep.equal([contents[0]!.length + 1, 0, 5])
    await packer.close()
  })

  it('tells whoever waits when its thread ends', async () => {
    const packer = new Packer()
    const waiting = packer.pack(contents).then(
      () => 'packed',
      (error: Error) => error.message,
    )
    await packer.close()
    expect(await waiting).to.equal('the thread that compresses has ended')
  })
})
