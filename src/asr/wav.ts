import { open } from 'node:fs/promises'

/** What a plain WAV file says about itself. */
export interface WavHeader {
  channels: number
  sampleRate: number
  durationSeconds: number
  /** Where its samples lie, if they are of a kind that is read here; undefined: ffmpeg is to decode them. */
  samples: WavSamples | undefined
}

/** Samples as they lie in a file: the channels take turns. */
export interface WavSamples {
  coding: 'pcm16' | 'alaw' | 'mulaw'
  /** Of the first, in the file. */
  offset: number
  bytes: number
}

/** Where a header ends at the latest: recorders put notes of some kilobytes before the audio. */
const HEADER_BYTES = 64 * 1024
/** Format tags of linear PCM, A-law and mu-law, with the bits that a sample of each may have. */
const BITS: Record<number, number[]> = { 1: [8, 16, 24, 32], 6: [8], 7: [8] }
/** Those that are read here, by tag and bits. */
const CODINGS: Record<string, WavSamples['coding']> = { '1/16': 'pcm16', '6/8': 'alaw', '7/8': 'mulaw' }

/**
 * Reads the header of a WAV file (RIFF, Microsoft 1991) whose audio is PCM, A-law or mu-law and lies in the file as
 * long as the header says. Most calls are such files, and asking ffprobe costs more than decoding them.
 * @returns undefined for everything else, and for whatever looks odd: ffprobe judges that
 */
export async function readWavHeader(path: string): Promise<WavHeader | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, HEADER_BYTES)), 0)
    return parse(buffer.subarray(0, bytesRead), size)
  } finally {
    await file.close()
  }
}

function parse(head: Buffer, fileSize: number): WavHeader | undefined {
  const isWav =
    head.length >= 12 && head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE'
  if (!isWav) return undefined
  let format: Format | undefined
  // Chunks: a name of four characters, a length, the content, a byte to make it even.
  for (let at = 12; at + 8 <= head.length;) {
    const name = head.toString('latin1', at, at + 4)
    const length = head.readUInt32LE(at + 4)
    const content = at + 8
    if (name === 'fmt ' && content + 16 <= head.length) format = readFormat(head, content)
    if (name === 'data')
      return format && length > 0 && content + length <= fileSize ? header(format, content, length) : undefined
    at = content + length + (length % 2)
  }
  return undefined
}

interface Format {
  channels: number
  sampleRate: number
  bytesPerSecond: number
  coding: WavSamples['coding'] | undefined
}

function readFormat(head: Buffer, at: number): Format | undefined {
  const tag = head.readUInt16LE(at)
  const channels = head.readUInt16LE(at + 2)
  const sampleRate = head.readUInt32LE(at + 4)
  const bytesPerSecond = head.readUInt32LE(at + 8)
  const bytesPerFrame = head.readUInt16LE(at + 12)
  const bits = head.readUInt16LE(at + 14)
  const fits = bytesPerSecond > 0 && bytesPerSecond === (sampleRate * channels * bits) / 8
  if (!fits || !BITS[tag]?.includes(bits)) return undefined
  const coding = bytesPerFrame === (channels * bits) / 8 ? CODINGS[`${tag}/${bits}`] : undefined
  return { channels, sampleRate, bytesPerSecond, coding }
}

function header({ channels, sampleRate, bytesPerSecond, coding }: Format, offset: number, bytes: number): WavHeader {
  const samples = coding && { coding, offset, bytes }
  return { channels, sampleRate, durationSeconds: bytes / bytesPerSecond, samples }
}
