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

  it('packs what it was given when it is closed, and nothing more', async () => {
    const packer = new Packer()
    const waiting = packer.pack(contents)
    await packer.close()
    expect(asText(await waiting)).to.deep.equal(contents.map(String))
    const error = await packer.pack(contents).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('the thread that compresses has ended')
  })

  it('ends at any moment of its work without taking the process with it', async () => {
    const many = Array.from({ length: 2000 }, () => contents[2]!)
    for (let round = 0; round < 20; round++) {
      const packer = new Packer()
      await packer.pack(contents) // it is at work
      const waiting = packer.pack(many)
      await packer.close()
      expect(await waiting).to.have.length(many.length)
    }
  })
})
