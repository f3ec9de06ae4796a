import { open } from 'node:fs/promises'
import type { Probe } from './probe.ts'
import { Doubler, SHORTEST_DOUBLED } from './doubler.ts'
import type { WavSamples } from './wav.ts'

/** Frames that are read at once: at 8 kHz a second of sound. */
const FRAMES_AT_ONCE = 8192

/**
 * Can the file be read here, at this rate? A call of 24 seconds takes 10 ms of processor time here and 80 to 130 by ffmpeg, most of
 * them its start; one of two channels, which is measured first, 20 to 35 and 290.
 */
export function needsNoDecoder({ samples, channels, sampleRate }: Probe, wanted: number): boolean {
  if (!samples || channels > 2) return false
  if (wanted === sampleRate) return true
  return wanted === 2 * sampleRate && framesOf(samples, channels) >= SHORTEST_DOUBLED
}

/**
 * Reads the samples of a plain WAV file, channels interleaved, to the last bit as ffmpeg 5 gives them.
 * @param wanted samples a second: as many as the file has, or twice as many
 */
export async function* readSamples(
  path: string,
  { samples, channels, sampleRate }: Probe,
  wanted: number,
): AsyncGenerator<Int16Array> {
  const { coding, offset, bytes } = samples!
  const doubler = wanted === sampleRate ? undefined : new Doubler(channels)
  const frameBytes = channels * BYTES[coding]
  const file = await open(path)
  try {
    for (let at = 0, end = bytes - (bytes % frameBytes); at < end;) {
      const buffer = Buffer.alloc(Math.min(FRAMES_AT_ONCE * frameBytes, end - at))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset + at)
      const whole = bytesRead - (bytesRead % frameBytes)
      if (whole === 0) break
      at += whole
      const read = DECODE[coding](buffer.subarray(0, whole))
      yield doubler ? doubler.add(read) : read
    }
    if (doubler) yield doubler.end()
  } finally {
    await file.close()
  }
}

const framesOf = ({ coding, bytes }: WavSamples, channels: number) => Math.floor(bytes / (channels * BYTES[coding]))

/** Of one sample. */
const BYTES = { pcm16: 2, alaw: 1, mulaw: 1 }

const DECODE: Record<WavSamples['coding'], (bytes: Buffer) => Int16Array> = {
  pcm16: (bytes) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2),
  alaw: (bytes) => byTable(bytes, ALAW),
  mulaw: (bytes) => byTable(bytes, MULAW),
}

function byTable(bytes: Buffer, table: Int16Array): Int16Array {
  const samples = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) samples[i] = table[bytes[i]!]!
  return samples
}

/** G.711: a sign, three bits of a power of two, four bits within it. A-law has every second bit turned, mu-law all. */
const ALAW = Int16Array.from({ length: 256 }, (_, byte) => {
  const bits = byte ^ 0x55
  const [power, part] = [(bits >> 4) & 7, 2 * (bits & 15) + 1]
  const size = power === 0 ? part << 3 : (part + 32) << (power + 2)
  return bits & 128 ? size : -size
})
const MULAW = Int16Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte
  const size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
  return bits & 128 ? -size : size
})
