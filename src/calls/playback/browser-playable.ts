import { MPEG_HEADER_BYTES, parseMpegFrame } from '../../platform/lib/mpeg-frame.ts'
import { parseWavLayout, type ByteReader } from '../../platform/lib/wav-layout.ts'
import type { AudioStorage } from '../../platform/storage/storage.ts'

/** Enough bytes to detect the kind of a file. The header of FLAC has 42 bytes. */
const HEAD_BYTES = 64
/** We skip at most this many ID3 tags before the first frame of an MP3. */
const MAX_ID3_TAGS = 4
/** Number of bytes after the header of the first MP3 frame in which we look for a Xing, Info or VBRI tag. */
const FRAME_TAG_BYTES = 64
/** Size of an ID3v1 tag at the end of an MP3. */
const ID3V1_BYTES = 128
/** Bits per sample that browsers play, by WAV format: 1 PCM, 3 float, 6 A-law, 7 mu-law. */
const PLAYABLE_WAV_BITS: Record<number, number[]> = { 1: [8, 16, 24, 32], 3: [32], 6: [8], 7: [8] }
/** Smaller differences in length are ignored, because encoders add some frames. */
const MAX_LENGTH_DIFFERENCE_SECONDS = 0.5

/** A file that browsers can play, with its extension. */
interface PlayableFile {
  extension: string
  /** The length by the header or the bit rate. Undefined for WAV, because the size of the file confirms its header. */
  seconds?: number
}

/**
 * Returns the extension of a stored file if every common browser plays it and seeks exactly. Returns undefined for all other
 * files, which need a copy. Ogg is among them, because Safari plays it only since 18.4.
 * @param durationSeconds the decoded length, or null before recognition
 * @throws StorageObjectMissingError if the storage has no such file
 */
export async function detectBrowserPlayableExtension(
  storage: AudioStorage,
  key: string,
  durationSeconds: number | null,
): Promise<string | undefined> {
  const { size } = await storage.stat(key)
  const read: ByteReader = (from, to) => readByteRange(storage, key, from, Math.min(size, to))
  const playable = size === 0 ? undefined : await detectPlayableFile(read, size)
  const { extension, seconds } = playable ?? {}
  // A different length indicates joined, cut or unevenly compressed audio, in which players seek to wrong positions.
  const isLengthCorrect =
    seconds === undefined ||
    durationSeconds === null ||
    Math.abs(seconds - durationSeconds) < MAX_LENGTH_DIFFERENCE_SECONDS
  return isLengthCorrect ? extension : undefined
}

async function detectPlayableFile(read: ByteReader, size: number): Promise<PlayableFile | undefined> {
  const head = await read(0, HEAD_BYTES)
  const hasTextAt = (text: string, at = 0) => head.toString('latin1', at, at + text.length) === text
  if (hasTextAt('RIFF') && hasTextAt('WAVE', 8))
    return (await isPlainWav(read, size)) ? { extension: '.wav' } : undefined
  return hasTextAt('fLaC') ? parsePlayableFlac(head) : parseConstantBitrateMp3(read, size)
}

/** Returns true if browsers play a WAV file and its header has the correct length of the audio. */
async function isPlainWav(read: ByteReader, size: number): Promise<boolean> {
  const layout = await parseWavLayout(read, size)
  if (!layout || layout.lacksPad || layout.next !== undefined) return false
  const { format, claimedBytes, audioBytes } = layout
  const [tag, channels, bits] = [0, 2, 14].map((at) => format.readUInt16LE(at)) as [number, number, number]
  const isPlayable = PLAYABLE_WAV_BITS[tag]?.includes(bits) === true && (channels === 1 || channels === 2)
  const isFramed = format.readUInt16LE(12) === (channels * bits) / 8
  return isPlayable && isFramed && claimedBytes > 0 && claimedBytes === audioBytes
}

/** Parses the header of a FLAC file. Browsers play FLAC with 16 or 24 bits, one or two channels, and a length in STREAMINFO. */
function parsePlayableFlac(head: Buffer): PlayableFile | undefined {
  if (head.length < 42) return undefined
  const sampleRate = head.readUIntBE(18, 3) >> 4
  const channels = ((head[20]! >> 1) & 7) + 1
  const bits = (((head[20]! & 1) << 4) | (head[21]! >> 4)) + 1
  const samples = (head[21]! & 15) * 2 ** 32 + head.readUInt32BE(22)
  const isPlayable = sampleRate > 0 && channels <= 2 && (bits === 16 || bits === 24) && samples > 0
  return isPlayable ? { extension: '.flac', seconds: samples / sampleRate } : undefined
}

/**
 * Parses the first frame of an MP3 with a constant bit rate. Returns undefined for variable bit rates, because seeking in Chromium
 * was off by 0.8 s after ten minutes.
 */
async function parseConstantBitrateMp3(read: ByteReader, size: number): Promise<PlayableFile | undefined> {
  const start = await skipId3Tags(read)
  const head = await read(start, start + MPEG_HEADER_BYTES + FRAME_TAG_BYTES)
  const frame = head.length > FRAME_TAG_BYTES ? parseMpegFrame(head, 0) : undefined
  if (frame?.layer !== 3 || head.includes('Xing') || head.includes('VBRI')) return undefined
  const bytes = size - start
  const tag = head.indexOf('Info')
  const claimed = tag < 0 ? undefined : claimedBytes(head.subarray(tag))
  if (claimed !== undefined && Math.abs(claimed - bytes) > frame.bytes + ID3V1_BYTES) return undefined
  return { extension: '.mp3', seconds: bytes / (frame.kilobits * 125) }
}

/**
 * Returns the file size in bytes from the "Info" tag, or undefined if the tag has none. The flags follow the name. Flag 1 adds a
 * frame count before the size, flag 2 adds the size.
 */
function claimedBytes(tag: Buffer): number | undefined {
  const flags = tag.length < 16 ? 0 : tag.readUInt32BE(4)
  return flags & 2 ? tag.readUInt32BE(flags & 1 ? 12 : 8) : undefined
}

/** Returns the offset after the ID3v2 tags at the start of a file. */
async function skipId3Tags(read: ByteReader): Promise<number> {
  let at = 0
  for (let tags = 0; tags < MAX_ID3_TAGS; tags++) {
    const head = await read(at, at + 10)
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') break
    // Each byte of the length has seven bits (ID3v2, 3.1). A flag announces a footer.
    const length = [...head.subarray(6, 10)].reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
    at += 10 + length + (head[5]! & 0x10 ? 10 : 0)
  }
  return at
}

async function readByteRange(storage: AudioStorage, key: string, from: number, to: number): Promise<Buffer> {
  if (from >= to) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for await (const part of await storage.read(key, { start: from, end: to - 1 })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
