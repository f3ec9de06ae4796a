import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { hasSeveralOggSampleRates } from './ogg.ts'

/** Creates a page with one packet of at most 254 bytes. */
function createPage(packet: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(28)
  head.write('OggS')
  head[5] = flags
  head[26] = 1
  head[27] = packet.length
  return Buffer.concat([head, packet])
}

/** Creates the first page of a Vorbis stream. */
function createFirstPage(rate: number): Buffer {
  const packet = Buffer.alloc(30)
  packet.write('\u0001vorbis', 'latin1')
  packet.writeUInt32LE(rate, 12)
  return createPage(packet, 2)
}

describe('sample rates of Ogg files', () => {
  let file: string
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ogg-'))
    file = join(folder, 'chained.ogg')
  })
  after(() => rmSync(folder, { recursive: true }))

  const { signal } = new AbortController()
  const write = (...pages: Buffer[]) => writeFileSync(file, Buffer.concat(pages))
  const audio = (count: number) => Array.from({ length: count }, (_, n) => createPage(Buffer.alloc(n % 255)))

  it('the Ogg check finds different sample rates at any position in the file', async () => {
    for (const count of [0, 1, 150, 1000]) {
      write(createFirstPage(16_000), ...audio(count), createFirstPage(44_100), ...audio(3))
      expect(await hasSeveralOggSampleRates(file, signal), `${count} pages`).to.equal(true)
      write(createFirstPage(16_000), ...audio(count), createFirstPage(16_000), ...audio(3))
      expect(await hasSeveralOggSampleRates(file, signal), `${count} pages`).to.equal(false)
    }
  })

  it('the Ogg check stops if the request is aborted', async () => {
    write(createFirstPage(16_000), ...audio(1000))
    const error: unknown = await hasSeveralOggSampleRates(file, AbortSignal.abort()).catch((reason: unknown) => reason)
    expect(error).to.have.property('name', 'AbortError')
  })
})
