import type { Storage } from '../storage/index.ts'

/** How much of a file tells its kind. */
const HEAD_BYTES = 64 * 1024
/** The description of an MP4 file's tracks has some megabytes at most, even for hours. */
const MOST_DESCRIPTION_BYTES = 16 * 1024 * 1024
/** Boxes of the first level that are looked at. */
const MOST_BOXES = 64
/** Tags one behind the other. */
const MOST_TAGS = 4
/** WAV formats that browsers play, with their bits a sample: PCM, float, A-law, mu-law. */
const WAV_BITS: Record<number, number[]> = { 1: [8, 16, 24, 32], 3: [32], 6: [8], 7: [8] }

/**
 * The ending of a stored file's name that fits its content, where every common browser plays it as it is and finds any
 * position in it; undefined for everything else: Ogg is played by Safari since 18.4 alone. The sender's name of the file says nothing for certain.
 * @throws ObjectMissing
 */
export async function nativeSound(storage: Storage, key: string): Promise<string | undefined> {
  const { size } = await storage.stat(key)
  if (size === 0) return undefined
  const head = await readPart(storage, key, 0, Math.min(size, HEAD_BYTES))
  const begins = (text: string, at = 0) => head.toString('latin1', at, at + text.length) === text
  if (begins('RIFF') && begins('WAVE', 8)) return isPlainWav(head, size) ? '.wav' : undefined
  if (begins('fLaC')) return isPlainFlac(head) ? '.flac' : undefined
  if (begins('ftyp', 4)) return (await isAacInMp4(storage, key, size)) ? '.m4a' : undefined
  return (await isMp3(storage, key, head, size)) ? '.mp3' : undefined
}

/** A header that says how long the audio is, and truly. */
function isPlainWav(head: Buffer, size: number): boolean {
  let plays = false
  for (let at = 12; at + 8 <= head.length;) {
    const name = head.toString('latin1', at, at + 4)
    const length = head.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= head.length) {
      plays =
        WAV_BITS[head.readUInt16LE(at + 8)]?.includes(head.readUInt16LE(at + 22)) === true &&
        head.readUInt16LE(at + 10) <= 2
    }
    if (name === 'data') return plays && length > 0 && at + 8 + length <= size
    at += 8 + length + (length % 2)
  }
  return false
}

/** 16 or 24 bits, one or two channels, and a length: browsers want these of STREAMINFO. */
function isPlainFlac(head: Buffer): boolean {
  if (head.length < 42) return false
  const channels = ((head[20]! >> 1) & 7) + 1
  const bits = (((head[20]! & 1) << 4) | (head[21]! >> 4)) + 1
  return channels <= 2 && (bits === 16 || bits === 24) && ((head[21]! & 15) > 0 || head.readUInt32BE(22) > 0)
}

/** A frame of layer III at the very beginning, or behind the tags that other kinds of audio have in front of them too. */
async function isMp3(storage: Storage, key: string, head: Buffer, size: number): Promise<boolean> {
  let [start, at] = [head, 0]
  for (let tags = 0; tags < MOST_TAGS && start.length >= 10 && start.toString('latin1', 0, 3) === 'ID3'; tags++) {
    at += 10 + lengthOfTag(start) + (start[5]! & 0x10 ? 10 : 0) // and what ends it, if it says so
    if (at + 4 > size) return false
    start = await readPart(storage, key, at, Math.min(size, at + 10))
  }
  return start.length > 3 && start[0] === 0xff && (start[1]! & 0xe6) === 0xe2 && (start[1]! & 0x18) !== 0x08
}

/** Seven bits a byte (ID3v2, 3.1). */
const lengthOfTag = (head: Buffer): number =>
  [...head.subarray(6, 10)].reduce((length, byte) => length * 128 + (byte & 0x7f), 0)

/** One track of audio, of AAC, and no gaps that its list of times would tell: those are left to players. */
async function isAacInMp4(storage: Storage, key: string, size: number): Promise<boolean> {
  for (let at = 0, boxes = 0; at + 16 <= size && boxes < MOST_BOXES; boxes++) {
    const box = await readPart(storage, key, at, at + 16)
    const short = box.readUInt32BE(0)
    const length = short === 1 ? Number(box.readBigUInt64BE(8)) : short === 0 ? size - at : short
    if (length < 8) return false
    if (box.toString('latin1', 4, 8) === 'moov') {
      if (length > MOST_DESCRIPTION_BYTES || at + length > size) return false
      const description = await readPart(storage, key, at, at + length)
      return count(description, 'soun') === 1 && count(description, 'vide') === 0 && isAac(description)
    }
    at += length
  }
  return false
}

/** The sample entry is mp4a, and its descriptor names MPEG-4 audio (0x40). */
function isAac(description: Buffer): boolean {
  const entry = description.indexOf('mp4a', description.indexOf('stsd'))
  const descriptor = description.indexOf('esds', entry)
  if (entry < 0 || descriptor < 0) return false
  // Tag 4 (the decoder's configuration) stands within the first bytes, and has its kind behind a length of 1 to 4 bytes.
  for (let at = descriptor + 8; at < descriptor + 32 && at + 5 < description.length; at++) {
    if (description[at] !== 4) continue
    let kind = at + 1
    while (description[kind]! >= 0x80 && kind < at + 4) kind++
    if (description[kind + 1] === 0x40) return true
  }
  return false
}

function count(bytes: Buffer, text: string): number {
  let times = 0
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) times++
  return times
}

async function readPart(storage: Storage, key: string, from: number, to: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of await storage.read(key, { start: from, end: to - 1 })) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
