import { decode, widthOf } from './audio.ts'
import { probe } from './probe.ts'

/** Audio up to this rate is telephony; better audio keeps more, up to the range of voices. */
const NARROW_RATE = 12_000
const RATES = { narrow: 8000, wide: 16_000 }

/** Audio as mu-law (ITU-T G.711), one byte a sample: browsers play it from WAV and seek by arithmetic. */
interface PlayableAudio {
  channels: number
  sampleRate: number
  samples: AsyncIterable<Buffer>
}

/** Opens a file; more than two channels are mixed into one. @throws RecognitionError */
export async function openPlayable(file: string, signal: AbortSignal): Promise<PlayableAudio> {
  const header = await probe(file, signal)
  const sampleRate = header.sampleRate <= NARROW_RATE ? RATES.narrow : RATES.wide
  const samples = encode(decode(file, header, sampleRate, signal))
  return { channels: widthOf(header.channels), sampleRate, samples }
}

async function* encode(chunks: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.allocUnsafe(chunk.length)
    for (let i = 0; i < chunk.length; i++) bytes[i] = MU_LAW[chunk[i]! + 32_768]!
    yield bytes
  }
}

const BIAS = 0x84
const CLIP = 32_635

/** A sign, the position of the highest bit and the four bits after it, all inverted. */
const MU_LAW = Uint8Array.from({ length: 65_536 }, (_, index) => {
  const sample = index - 32_768
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS
  const exponent = 24 - Math.clz32(magnitude)
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0xf)) & 0xff
})
