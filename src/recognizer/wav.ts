import { open, type FileHandle } from 'node:fs/promises'
import { parseWavLayout, type WavLayout } from '../platform/lib/wav-layout.ts'

interface WavFile {
  /** Undefined if ffprobe must examine the file. */
  header: WavHeader | undefined
  /** The parts that ffmpeg reads in turn, each with its input options. */
  parts: DecodableWavPart[]
}

interface WavHeader {
  channels: number
  sampleRate: number
  durationSeconds: number
}

/** A part of a WAV file, with the options that ffmpeg needs to decode it. */
export interface DecodableWavPart {
  channels: number
  sampleRate: number
  options: string[]
}

/** The maximum number of joined files, because ffmpeg runs once for each of them. */
const MAX_JOINED_FILES = 100
/** ffmpeg's raw formats by format tag and bits per sample, in little-endian and big-endian order. */
const DEMUXERS: Record<string, [little: string, big: string]> = {
  '1/8': ['u8', 'u8'],
  '1/16': ['s16le', 's16be'],
  '1/24': ['s24le', 's24be'],
  '1/32': ['s32le', 's32be'],
  '6/8': ['alaw', 'alaw'],
  '7/8': ['mulaw', 'mulaw'],
}

/** Thrown for a WAV file that ffmpeg would decode as noise or only in part, or that has too many joined files. */
export class UnreadableWavError extends Error {}

/**
 * Reads the header of a WAV file (RIFF, Microsoft 1991) with PCM, A-law or mu-law, because ffprobe takes longer. Also detects
 * files that ffmpeg misreads: audio beyond the claimed length, joined files, big-endian files (RIFX) and missing pad bytes. For
 * other files and codecs, `header` is undefined.
 * @throws UnreadableWavError if ffmpeg cannot decode the file even with options
 */
export async function readWavHeader(path: string): Promise<WavFile> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const layouts = await readLayouts(file, size)
    const [first] = layouts
    if (!first || (layouts.length === 1 && isReadByFfmpeg(first)))
      return { header: first && buildPlainHeader(first), parts: [] }
    const parts = layouts.map(buildPart)
    if (parts.every((part) => part !== undefined)) return { header: buildHeader(layouts), parts }
    if (layouts.length > 1) throw new UnreadableWavError('several WAV files one behind the other')
    if (first.bigEndian) throw new UnreadableWavError('a big-endian WAV file (RIFX) of this codec')
    const [channels, sampleRate] = [first.format.readUInt16LE(2), first.format.readUInt32LE(4)]
    return { header: undefined, parts: [{ channels, sampleRate, options: ['-ignore_length', '1'] }] }
  } finally {
    await file.close()
  }
}

async function readLayouts(file: FileHandle, size: number): Promise<WavLayout[]> {
  const read = async (from: number, to: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  }
  const layouts: WavLayout[] = []
  for (let at: number | undefined = 0, count = 0; at !== undefined; count++) {
    if (count === MAX_JOINED_FILES)
      throw new UnreadableWavError(`more than ${MAX_JOINED_FILES} WAV files one behind the other`)
    const layout: WavLayout | undefined = await parseWavLayout(read, size, at)
    if (layout) layouts.push(layout)
    at = layout?.next
  }
  // Skip joined files without audio, unless no file has audio.
  const audible = layouts.filter(({ audioBytes }) => audioBytes > 0)
  return audible.length > 0 ? audible : layouts.slice(0, 1)
}

/**
 * Returns true if ffmpeg reads the whole file correctly. If the claimed length is 0 or beyond the end of the file, ffmpeg reads
 * to the end.
 */
const isReadByFfmpeg = ({ bigEndian, lacksPad, claimedBytes, audioBytes }: WavLayout): boolean =>
  !bigEndian && !lacksPad && (claimedBytes === 0 || claimedBytes >= audioBytes)

interface WavFormat {
  channels: number
  sampleRate: number
  bytesPerSecond: number
  /** Format tag and bits per sample, such as 1/16. */
  kind: string
}

/** Parses the format chunk. Returns undefined for other codecs, or if the bytes per second are wrong. */
function parseFormat({ format, bigEndian }: WavLayout): WavFormat | undefined {
  const short = (at: number) => (bigEndian ? format.readUInt16BE(at) : format.readUInt16LE(at))
  const long = (at: number) => (bigEndian ? format.readUInt32BE(at) : format.readUInt32LE(at))
  const [tag, channels, bits] = [short(0), short(2), short(14)]
  const [sampleRate, bytesPerSecond] = [long(4), long(8)]
  const kind = `${tag}/${bits}`
  const fits = bytesPerSecond > 0 && bytesPerSecond === (sampleRate * channels * bits) / 8
  return fits && kind in DEMUXERS ? { channels, sampleRate, bytesPerSecond, kind } : undefined
}

/** Builds the header of a file whose audio has the length that the header claims. Otherwise returns undefined. */
function buildPlainHeader(layout: WavLayout): WavHeader | undefined {
  return layout.claimedBytes === layout.audioBytes && layout.claimedBytes > 0 ? buildHeader([layout]) : undefined
}

function buildHeader(layouts: WavLayout[]): WavHeader | undefined {
  const formats = layouts.map(parseFormat)
  if (!formats[0]) return undefined
  const { channels, sampleRate } = formats[0]
  const lengths = layouts.map(({ audioBytes }, index) => audioBytes / formats[index]!.bytesPerSecond)
  return { channels, sampleRate, durationSeconds: lengths.reduce((sum, one) => sum + one, 0) }
}

function buildPart(layout: WavLayout): DecodableWavPart | undefined {
  const known = parseFormat(layout)
  if (!known) return undefined
  const { channels, sampleRate, bytesPerSecond, kind } = known
  const demuxer = DEMUXERS[kind]![layout.bigEndian ? 1 : 0]
  const seconds = layout.audioBytes / bytesPerSecond
  const format = ['-f', demuxer, '-format_whitelist', demuxer, '-ar', String(sampleRate), '-ac', String(channels)]
  const place = ['-skip_initial_bytes', String(layout.dataStart), '-t', seconds.toFixed(6)]
  return { channels, sampleRate, options: [...format, ...place] }
}
