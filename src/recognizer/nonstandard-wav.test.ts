import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeAudio, countOutputChannels } from './audio.ts'
import { RecognitionError } from './contract.ts'
import { probeAudioFile } from './probe.ts'
import { SAMPLE_CALL_PATH } from '../test/test-recognizer.ts'

const SAMPLE_RATE = 16_000

describe('WAV files that ffmpeg misreads', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'odd-wav-'))))
  after(() => rmSync(folder, { recursive: true }))

  const ffmpeg = (name: string, ...codec: string[]): Buffer => {
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', SAMPLE_CALL_PATH, ...codec, join(folder, name)])
    return readFileSync(join(folder, name))
  }
  async function decodeFile(name: string, bytes: Buffer): Promise<{ samples: Int16Array; seconds: number }> {
    const file = join(folder, name)
    writeFileSync(file, bytes)
    const { signal } = new AbortController()
    const header = await probeAudioFile(file, signal)
    const parts: Int16Array[] = []
    for await (const block of decodeAudio(file, header, SAMPLE_RATE, signal)) parts.push(block)
    const samples = Int16Array.from(parts.flatMap((part) => [...part]))
    return { samples, seconds: samples.length / SAMPLE_RATE / countOutputChannels(header.channels) }
  }
  /** Returns the largest difference between two sample arrays, over the shorter length. */
  const difference = (a: Int16Array, b: Int16Array): number =>
    a.subarray(0, b.length).reduce((most, sample, index) => Math.max(most, Math.abs(sample - b[index]!)), 0)
  const withClaim = (bytes: Buffer, claim: number): Buffer => {
    bytes.writeUInt32LE(claim, bytes.indexOf('data') + 4)
    return bytes
  }
  const CODECS: [name: string, codec: string[]][] = [
    ['pcm16', []],
    ['pcm24', ['-c:a', 'pcm_s24le', '-ar', '44100']],
    ['alaw', ['-c:a', 'pcm_alaw']],
    ['adpcm', ['-c:a', 'adpcm_ima_wav']],
  ]

  for (const [name, codec] of CODECS) {
    it(`a WAV file is decoded to the end even if the header claims less: ${name}`, async () => {
      const complete = ffmpeg('whole.wav', ...codec)
      const { seconds } = await decodeFile('right.wav', complete)
      expect((await decodeFile('short.wav', withClaim(complete, 20_000))).seconds).to.be.closeTo(seconds, 0.01)
    })
  }

  it('a WAV file with a missing pad byte is decoded at any sample rate', async () => {
    for (const codec of [[], ['-ar', '44100'], ['-ac', '1', '-c:a', 'pcm_mulaw']]) {
      const plain = ffmpeg('plain.wav', '-bitexact', ...codec)
      const [head, rest] = [plain.subarray(0, 12), plain.subarray(12)]
      const unpadded = Buffer.concat([head, Buffer.from('LIST\u0005\0\0\0INFOx', 'latin1'), rest])
      const [wanted, found] = [await decodeFile('wanted.wav', plain), await decodeFile('unpadded.wav', unpadded)]
      expect(found.seconds).to.be.closeTo(wanted.seconds, 0.001)
      expect(difference(wanted.samples, found.samples)).to.be.at.most(2)
    }
  })

  it('joined WAV files are decoded in turn, each by its own header', async () => {
    const [first, second] = [ffmpeg('first.wav', '-t', '2'), ffmpeg('second.wav', '-ar', '11025', '-t', '3')]
    const tagged = Buffer.concat([first, Buffer.from('LIST\u0004\0\0\0INFO', 'latin1')])
    const { samples, seconds } = await decodeFile('joined.wav', Buffer.concat([tagged, second, first]))
    expect(seconds).to.be.closeTo(7, 0.001)
    const alone = await decodeFile('alone.wav', first)
    expect(difference(alone.samples, samples)).to.be.at.most(2)
    expect(difference(alone.samples, samples.subarray(-alone.samples.length))).to.be.at.most(2)
  })

  it('a big-endian WAV file (RIFX) is decoded', async () => {
    const little = ffmpeg('little.wav', '-bitexact')
    const big = Buffer.from(little)
    const [format, data] = [big.indexOf('fmt ') + 8, big.indexOf('data') + 8]
    big.write('RIFX', 0)
    for (const at of [4, format - 4, format + 4, format + 8, data - 4]) big.subarray(at, at + 4).swap32()
    for (const at of [0, 2, 12, 14]) big.subarray(format + at, format + at + 2).swap16()
    big.subarray(data).swap16()
    const [wanted, found] = [await decodeFile('little.wav', little), await decodeFile('big.wav', big)]
    expect(found.seconds).to.equal(wanted.seconds)
    expect(difference(wanted.samples, found.samples)).to.be.at.most(2)
  })

  it('joined WAV files are rejected if a later one claims an invalid rate', async () => {
    const call = ffmpeg('call.wav')
    const slow = Buffer.from(call)
    for (const [at, value] of [
      [24, 1],
      [28, 4],
    ] as const) {
      slow.writeUInt32LE(value, at)
    }
    const error: unknown = await decodeFile('slow.wav', Buffer.concat([call, slow])).catch((reason: unknown) => reason)
    expect(error).to.be.an.instanceof(RecognitionError).with.property('code', 'UNSUPPORTED_AUDIO')
  })

  it('joined WAV files are rejected if ffmpeg would decode only the first', async () => {
    const adpcm = ffmpeg('adpcm.wav', '-c:a', 'adpcm_ima_wav')
    const error: unknown = await decodeFile('two.wav', Buffer.concat([adpcm, adpcm])).catch((reason: unknown) => reason)
    expect(error).to.be.an.instanceof(RecognitionError).with.property('code', 'UNSUPPORTED_AUDIO')
    expect((error as Error).message).to.include('several WAV files')
  })
})
