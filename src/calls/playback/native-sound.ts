import { parseWavLayout } from '../../platform/lib/wav-layout.ts'
import type { ObjectInfo, Storage } from '../../platform/storage/index.ts'
import { isConstantMp3 } from './native-mp3.ts'
import { secondsOfPlainMp4 } from './native-mp4.ts'

/** How much of a file tells its kind. */
const HEAD_BYTES = 64
/** The description of an MP4 file's tracks has some megabytes at most, even for hours. */
const MAX_DESCRIPTION_BYTES = 16 * 1024 * 1024
/** Boxes of the first level that are looked at. */
const MAX_BOXES = 64
/** Tags one behind the other. */
const MAX_TAGS = 4
/** WAV formats that browsers play, with their bits a sample: PCM, float, A-law, mu-law. */
const WAV_BITS: Record<number, number[]> = { 1: [8, 16, 24, 32], 3: [32], 6: [8], 7: [8] }
/** Smaller differences of lengths are ignored, because encoders add some frames. */
const SAME_SECONDS = 0.5
/** Size of the cache of results: the player requests a file part by part, and detecting an MP3 reads all of it. */
const MAX_REMEMBERED = 1000

/** A file that browsers can play as it is. */
interface NativeSound {
  ending: string
  /** Its length according to its header; undefined if only its frames show it. */
  seconds?: number
}

const remembered = new Map<string, Promise<NativeSound | undefined>>()

/**
 * The ending of a stored file's name that fits its content, where every common browser plays it as it is and finds any
 * position in it exactly; undefined for all other files, which need a copy. We ignore the sender's file name. Safari plays
 * Ogg only since 18.4.
 *
 * @param durationSeconds the length that the recognizer decoded; null until it has
 * @throws ObjectMissing
 */
export async function nativeSound(
  storage: Storage,
  key: string,
  durationSeconds: number | null,
): Promise<string | undefined> {
  const native = await rememberedKind(storage, key)
  const { ending, seconds } = native ?? {}
  // A header with another length means joined or cut audio, and the player would seek by it.
  const isTrue = seconds === undefined || durationSeconds === null || Math.abs(seconds - durationSeconds) < SAME_SECONDS
  return isTrue ? ending : undefined
}

async function rememberedKind(storage: Storage, key: string): Promise<NativeSound | undefined> {
  const info = await storage.stat(key)
  const id = `${key} ${info.size} ${info.modifiedAt.getTime()}`
  const known = remembered.get(id)
  if (known) return known
  const found = kindOf(storage, key, info)
  remembered.set(id, found)
  found.catch(() => remembered.delete(id))
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!)
  return found
}

async function kindOf(storage: Storage, key: string, { size }: ObjectInfo): Promise<NativeSound | undefined> {
  if (size === 0) return undefined
  const read = (from: number, to: number) => readPart(storage, key, from, Math.min(size, to))
  const head = await read(0, HEAD_BYTES)
  const begins = (text: string, at = 0) => head.toString('latin1', at, at + text.length) === text
  if (begins('RIFF') && begins('WAVE', 8)) return (await isPlainWav(read, size)) ? { ending: '.wav' } : undefined
  if (begins('fLaC')) return plainFlac(head)
  if (begins('ftyp', 4)) return plainMp4(read, size)
  return (await isPlainMp3(storage, key, read, size)) ? { ending: '.mp3' } : undefined
}

type Read = (from: number, to: number) => Promise<Buffer>

/** A header that says how long the audio is, and truly. */
async function isPlainWav(read: Read, size: number): Promise<boolean> {
  const layout = await parseWavLayout(read, size)
  if (!layout || layout.lacksPad || layout.next !== undefined) return false
  const { format, claimedBytes, audioBytes } = layout
  const [tag, channels, bits] = [0, 2, 14].map((at) => format.readUInt16LE(at)) as [number, number, number]
  const isPlayed = WAV_BITS[tag]?.includes(bits) === true && (channels === 1 || channels === 2)
  const isFramed = format.readUInt16LE(12) === (channels * bits) / 8
  return isPlayed && isFramed && claimedBytes > 0 && claimedBytes === audioBytes
}

/** 16 or 24 bits, one or two channels, and a length: browsers want these of STREAMINFO. */
function plainFlac(head: Buffer): NativeSound | undefined {
  if (head.length < 42) return undefined
  const sampleRate = head.readUIntBE(18, 3) >> 4
  const channels = ((head[20]! >> 1) & 7) + 1
  const bits = (((head[20]! & 1) << 4) | (head[21]! >> 4)) + 1
  const samples = (head[21]! & 15) * 2 ** 32 + head.readUInt32BE(22)
  const isPlayed = sampleRate > 0 && channels <= 2 && (bits === 16 || bits === 24) && samples > 0
  return isPlayed ? { ending: '.flac', seconds: samples / sampleRate } : undefined
}

/** Frames of layer III after ID3 tags, which other kinds of audio can have too. */
async function isPlainMp3(storage: Storage, key: string, read: Read, size: number): Promise<boolean> {
  let at = 0
  let start = await read(0, 10)
  for (let tags = 0; tags < MAX_TAGS && start.length >= 10 && start.toString('latin1', 0, 3) === 'ID3'; tags++) {
    at += 10 + lengthOfTag(start) + (start[5]! & 0x10 ? 10 : 0) // and what ends it, if it says so
    if (at + 4 > size) return false
    start = await read(at, at + 10)
  }
  if (start[0] !== 0xff) return false
  return isConstantMp3((await storage.read(key, { start: at, end: size - 1 })) as AsyncIterable<Buffer>)
}

/** Seven bits a byte (ID3v2, 3.1). */
const lengthOfTag = (head: Buffer): number =>
  [...head.subarray(6, 10)].reduce((length, byte) => length * 128 + (byte & 0x7f), 0)

/** A complete file of boxes, one of which describes its track. */
async function plainMp4(read: Read, size: number): Promise<NativeSound | undefined> {
  let at = 0
  let seconds: number | undefined
  for (let boxes = 0; at + 8 <= size && boxes < MAX_BOXES; boxes++) {
    const box = await read(at, at + 16)
    const short = box.readUInt32BE(0)
    const length = short === 1 && box.length === 16 ? Number(box.readBigUInt64BE(8)) : short === 0 ? size - at : short
    const name = box.toString('latin1', 4, 8)
    if (length < 8 || at + length > size || name === 'moof') return undefined
    if (name === 'moov') {
      if (length > MAX_DESCRIPTION_BYTES || seconds !== undefined) return undefined
      seconds = secondsOfPlainMp4(await read(at + 8, at + length))
      if (seconds === undefined) return undefined
    }
    at += length
  }
  return at === size && seconds !== undefined ? { ending: '.m4a', seconds } : undefined
}

async function readPart(storage: Storage, key: string, from: number, to: number): Promise<Buffer> {
  if (from >= to) return Buffer.alloc(0)
  const parts: Buffer[] = []
  for await (const part of await storage.read(key, { start: from, end: to - 1 })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
