import { decodeAudio, countOutputChannels } from './audio.ts'
import { probeAudioFile } from './probe.ts'

/**
 * Audio up to this sample rate, in Hz, is converted to 8000 Hz. Other audio is converted to 16,000 Hz, which is enough for speech.
 */
const MAX_NARROW_RATE = 12_000
const OUTPUT_RATES = { narrow: 8000, wide: 16_000 }

/** Interleaved audio in mu-law (ITU-T G.711) with one byte per sample. With a WAV header, browsers can play it. */
interface PlayableAudio {
  channels: number
  sampleRate: number
  samples: AsyncIterable<Buffer>
}

/**
 * Decodes a file to audio that browsers can play. Mixes more than two channels into one. Decoding starts when the caller reads
 * `samples`, which can throw the errors of `decodeAudio()`.
 * @throws RecognitionError if the file has no supported audio
 */
export async function openPlayableAudio(file: string, signal: AbortSignal): Promise<PlayableAudio> {
  const header = await probeAudioFile(file, signal)
  const sampleRate = header.sampleRate <= MAX_NARROW_RATE ? OUTPUT_RATES.narrow : OUTPUT_RATES.wide
  const samples = encodeMuLaw(decodeAudio(file, header, sampleRate, signal))
  return { channels: countOutputChannels(header.channels), sampleRate, samples }
}

async function* encodeMuLaw(chunks: AsyncIterable<Int16Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.allocUnsafe(chunk.length)
    for (let i = 0; i < chunk.length; i++) bytes[i] = MU_LAW_TABLE[chunk[i]! + 32_768]!
    yield bytes
  }
}

const MU_LAW_BIAS = 0x84
const MU_LAW_CLIP = 32_635

/** The mu-law byte of each sample + 32,768: the sign, the position of the highest bit and the next four bits, all inverted. */
const MU_LAW_TABLE = Uint8Array.from({ length: 65_536 }, (_, index) => {
  const sample = index - 32_768
  const magnitude = Math.min(Math.abs(sample), MU_LAW_CLIP) + MU_LAW_BIAS
  const exponent = 24 - Math.clz32(magnitude)
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0xf)) & 0xff
})
