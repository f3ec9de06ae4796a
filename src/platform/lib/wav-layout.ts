/** Reads bytes of a file; fewer than requested at its end. */
export type ByteReader = (from: number, to: number) => Promise<Buffer>

/** The layout of one RIFF or RIFX file of type WAVE, in byte offsets. */
export interface WavLayout {
  bigEndian: boolean
  /** Content of the chunk "fmt ". */
  format: Buffer
  dataStart: number
  /** Bytes of audio according to the header. */
  claimedBytes: number
  /** Bytes of audio in the file. Data after the claimed audio is audio too, unless it consists of chunks. */
  audioBytes: number
  /** A chunk of odd length lacks the pad byte, which ffmpeg 5 does not accept. */
  lacksPad: boolean
  /** Start of another WAV file that was appended to this one. */
  next: number | undefined
}

const MAX_CHUNKS = 64
const CHUNK_HEADER_BYTES = 8
const FORMAT_BYTES = 40
const CHUNK_NAME_PATTERN = /^[\x20-\x7e]{4}$/
const KNOWN_CHUNKS = new Set(['fmt ', 'data', 'fact', 'LIST', 'bext', 'cue ', 'smpl', 'iXML', 'JUNK', 'PEAK'])
/** Tags that programs append without a chunk around them. */
const APPENDED_TAG_PATTERN = /^(ID3|TAG)/

/** Parses the chunks of a WAV file that begins at `start`; undefined if it is not a WAV file or has no audio. */
export async function parseWavLayout(read: ByteReader, size: number, start = 0): Promise<WavLayout | undefined> {
  const magic = (await read(start, start + 12)).toString('latin1')
  if (!isWavMagic(magic)) return undefined
  const bigEndian = magic.startsWith('RIFX')
  let format: Buffer | undefined
  let lacksPad = false
  for (let at = start + 12, count = 0; count < MAX_CHUNKS; count++) {
    const chunk = await parseChunk(read, at, bigEndian)
    if (!chunk) return undefined
    const { name, length, content } = chunk
    if (name === 'fmt ') format = await read(content, content + Math.min(length, FORMAT_BYTES))
    if (name === 'data') {
      if (!format || format.length < 16) return undefined
      const measureAudio = await parseTrailer(read, size, content + length, bigEndian)
      return { bigEndian, format, dataStart: content, claimedBytes: length, lacksPad, ...measureAudio(content) }
    }
    at = content + length
    if (length % 2 === 0) continue
    const unpadded = (await read(at, at + 4)).toString('latin1')
    if (KNOWN_CHUNKS.has(unpadded)) lacksPad = true
    else at++
  }
  return undefined
}

const isWavMagic = (magic: string): boolean => /^RIF[FX]/.test(magic) && magic.endsWith('WAVE')

async function parseChunk(read: ByteReader, at: number, bigEndian: boolean) {
  const header = await read(at, at + CHUNK_HEADER_BYTES)
  if (header.length < CHUNK_HEADER_BYTES) return undefined
  const name = header.toString('latin1', 0, 4)
  const length = bigEndian ? header.readUInt32BE(4) : header.readUInt32LE(4)
  return CHUNK_NAME_PATTERN.test(name) ? { name, length, content: at + CHUNK_HEADER_BYTES } : undefined
}

/** Determines whether audio, chunks or another file follow the claimed audio, which ends at `end`. */
async function parseTrailer(read: ByteReader, size: number, end: number, bigEndian: boolean) {
  const audioUpTo = (to: number, next?: number) => (from: number) => ({ audioBytes: to - from, next })
  if (end >= size) return audioUpTo(size)
  // The pad byte can be missing.
  for (const from of [end, end + 1]) {
    const { at, isAudio } = await skipChunks(read, size, from, bigEndian)
    if (!isAudio) return audioUpTo(end, at < size ? at : undefined)
  }
  return audioUpTo(size)
}

/** Skips chunks and appended tags; stops at the end, at another WAV file, or at audio. */
async function skipChunks(read: ByteReader, size: number, from: number, bigEndian: boolean) {
  let at = from
  for (let count = 0; at < size && count < MAX_CHUNKS; count++) {
    const magic = (await read(at, at + 12)).toString('latin1')
    if (isWavMagic(magic)) return { at, isAudio: false }
    if (APPENDED_TAG_PATTERN.test(magic)) return { at: size, isAudio: false }
    const chunk = await parseChunk(read, at, bigEndian)
    const end = chunk && chunk.content + chunk.length
    if (end === undefined || end > size) return { at, isAudio: true }
    at = end + (end < size ? chunk!.length % 2 : 0)
  }
  return { at, isAudio: false }
}
