import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { decode } from './audio.ts'
import { needsNoDecoder } from './plain-wav.ts'
import { probe } from './probe.ts'
import { CALL } from '../test/recognition.ts'

const never = new AbortController().signal

describe('a plain WAV file', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'plain-'))))
  after(() => rmSync(folder, { recursive: true }))

  const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { maxBuffer: 2 ** 28 })
  const made = (name: string, ...options: string[]): string => {
    const file = join(folder, `${name}.wav`)
    ffmpeg(...options, file)
    return file
  }
  const noise = (seconds: number, rate = 8000) => ['-f', 'lavfi', '-i', `anoisesrc=d=${seconds}:r=${rate}:a=1:seed=7`]
  const loud = ['-f', 'lavfi', '-i', 'aevalsrc=2*sin(2000*t)|-2*sin(3000*t*t):s=8000:d=2.5']

  async function ours(file: string, rate: number): Promise<Buffer> {
    const blocks: Buffer[] = []
    for await (const samples of decode(file, await probe(file, never), rate, never)) {
      blocks.push(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
    }
    return Buffer.concat(blocks)
  }

  /** Where the two differ first, as a number of bytes; -1 where they are the same. */
  async function difference(file: string, rate: number): Promise<number> {
    const theirs = ffmpeg('-i', file, '-ar', String(rate), '-f', 's16le', '-')
    const mine = await ours(file, rate)
    expect(mine.length, 'bytes').to.equal(theirs.length)
    return theirs.findIndex((byte, at) => byte !== mine[at])
  }

  const isReadHere = async (file: string, rate: number) => needsNoDecoder(await probe(file, never), rate)

  for (const [name, rate, source] of [
    ['speech of two channels, 16 bits', 16_000, ['-i', CALL]],
    ['speech of two channels, at its own rate', 8000, ['-i', CALL]],
    ['A-law', 16_000, ['-i', CALL, '-c:a', 'pcm_alaw']],
    ['mu-law', 16_000, ['-i', CALL, '-ac', '1', '-c:a', 'pcm_mulaw']],
    ['noise of one channel', 16_000, noise(7.77)],
    ['more than full loudness', 16_000, [...loud, '-c:a', 'pcm_s16le']],
    ['16,000 samples a second', 16_000, noise(1.3, 16_000)],
    ['11,025 samples a second, at its own rate', 11_025, noise(0.7, 11_025)],
    ['the fewest samples that are doubled here', 16_000, noise(34 / 8000)],
  ] as [string, number, string[]][]) {
    it(`is read here, to the last bit as ffmpeg reads it: ${name}`, async () => {
      const file = made(name.replace(/\W+/g, '-'), ...source)
      expect(await isReadHere(file, rate)).to.equal(true)
      expect(await difference(file, rate)).to.equal(-1)
    })
  }

  it('is read like this whatever byte of A-law and mu-law it holds', async () => {
    for (const coding of ['alaw', 'mulaw']) {
      const file = made(coding, ...noise(1), '-c:a', `pcm_${coding}`)
      const bytes = readFileSync(file)
      const start = bytes.indexOf('data') + 8
      for (let n = 0; n < 512; n++) bytes[start + n] = n & 255
      writeFileSync(file, bytes)
      expect(await isReadHere(file, 8000)).to.equal(true)
      expect(await difference(file, 8000), coding).to.equal(-1)
    }
  })

  it('is read to the end even if its header claims less, in whole samples', async () => {
    const bytes = readFileSync(CALL)
    const at = bytes.indexOf('data') + 4
    bytes.writeUInt32LE(10_003, at)
    const file = join(folder, 'cut.wav')
    writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(3)]))
    expect(await isReadHere(file, 8000)).to.equal(true)
    expect((await ours(file, 8000)).equals(bytes.subarray(at + 4))).to.equal(true)
  })

  it('ends with its audio: later chunks and tags are ignored', async () => {
    const chunk = Buffer.from('LIST\u0005\0\0\0INFOx\0', 'latin1')
    for (const behind of [chunk, chunk.subarray(0, -1), Buffer.from(`TAG${' '.repeat(125)}`)]) {
      const file = join(folder, 'tagged.wav')
      writeFileSync(file, Buffer.concat([readFileSync(CALL), behind]))
      expect(await isReadHere(file, 8000)).to.equal(true)
      expect((await ours(file, 8000)).length).to.equal(
        readFileSync(CALL).length - readFileSync(CALL).indexOf('data') - 8,
      )
    }
  })

  it('is left to ffmpeg where it is of another kind, rate or number of channels, or too short', async () => {
    const others: [string, number, string[]][] = [
      ['24 bits', 16_000, [...noise(1), '-c:a', 'pcm_s24le']],
      ['8 bits', 16_000, [...noise(1), '-c:a', 'pcm_u8']],
      ['three times the rate', 24_000, noise(1)],
      ['half the rate', 8000, noise(1, 16_000)],
      ['three channels', 8000, [...noise(1), '-ac', '3']],
      ['ADPCM', 8000, [...noise(1), '-c:a', 'adpcm_ima_wav']],
      ['33 samples', 16_000, noise(33 / 8000)],
    ]
    for (const [name, rate, source] of others) {
      const file = made(name.replace(/\W+/g, '-'), ...source)
      expect(await isReadHere(file, rate), name).to.equal(false)
    }
  })

  it('is left to ffmpeg where its frames have another size than its samples', async () => {
    const bytes = readFileSync(CALL)
    bytes.writeUInt16LE(8, 32)
    const file = join(folder, 'frames.wav')
    writeFileSync(file, bytes)
    expect(await isReadHere(file, 8000)).to.equal(false)
  })

  it('is read no further once nobody wants it', async () => {
    const stop = new AbortController()
    const samples = decode(CALL, await probe(CALL, never), 16_000, stop.signal)
    expect((await samples.next()).done).to.equal(false)
    stop.abort(new Error('nobody waits'))
    const error = await samples.next().catch((reason: Error) => reason.message)
    expect(error).to.equal('nobody waits')
  })
})
