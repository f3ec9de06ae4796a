/** Reads the bytes from `from` to before `to`; fewer at the end of the file. */
export type ByteReader = (from: number, to: number) => Promise<Buffer>

/** Describes one WAVE file (RIFF or RIFX) with byte offsets. */
export interface WavLayout {
  bigEndian: boolean
  /** Content of the "fmt " chunk, at most 40 bytes. */
  format: Buffer
  dataStart: number
  /** Length of the audio according to the header. */
  claimedBytes: number
  /**
   * Length of the audio in the file. Data after the claimed audio also counts, unless it is a chunk, a tag or another WAV file.
   */
  audioBytes: number
  /** True if a chunk of odd length before the audio lacks its pad byte, which ffmpeg 5 rejects. */
  lacksPad: boolean
  /** Offset of another WAV file that was appended to this one. */
  next: number | undefined
}

const MAX_CHUNKS = 64
const CHUNK_HEADER_BYTES = 8
const FORMAT_BYTES = 40
const CHUNK_NAME_PATTERN = /^[\x20-\x7e]{4}$/
const KNOWN_CHUNKS = new Set(['fmt ', 'data', 'fact', 'LIST', 'bext', 'cue ', 'smpl', 'iXML', 'JUNK', 'PEAK'])
/** Tags that programs append without a chunk header. */
const APPENDED_TAG_PATTERN = /^(ID3|TAG)/

/**
 * Parses the chunks of a WAV file that begins at `start`. @returns undefined for other files, and if no audio follows a format
 */
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
  // Try without the pad byte, then with it.
  for (const from of [end, end + 1]) {
    const { at, isAudio } = await skipChunks(read, size, from, bigEndian)
    if (!isAudio) return audioUpTo(end, at < size ? at : undefined)
  }
  return audioUpTo(size)
}

/** Skips chunks and appended tags. Stops at the end of the file, at another WAV file, at audio, or after 64 chunks. */
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
