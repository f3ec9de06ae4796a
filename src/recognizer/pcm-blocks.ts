/** The elements of Matroska (RFC 9559) that we parse; others are skipped. */
const SEGMENT = 0x18_53_80_67
const CLUSTER = 0x1f_43_b6_75
const BLOCK_GROUP = 0xa0
const TIMESTAMP = 0xe7
const SIMPLE_BLOCK = 0xa3
const BLOCK = 0xa1
const OPENED = new Set([SEGMENT, CLUSTER, BLOCK_GROUP])

export interface PcmBlock {
  milliseconds: number
  bytes: Buffer
}

/** Reads PCM blocks with their times from Matroska, the simplest format with times that ffmpeg can pipe. */
export async function* readPcmBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<PcmBlock> {
  let rest: Buffer = Buffer.alloc(0)
  let skip = 0
  let cluster = 0
  for await (const chunk of chunks) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (at < rest.length) {
      const skipped = Math.min(skip, rest.length - at)
      skip -= skipped
      at += skipped
      const element = skip === 0 ? readElement(rest, at) : undefined
      if (!element) break
      const { id, start, size } = element
      if (OPENED.has(id)) {
        at = start
      } else if (id === TIMESTAMP || id === SIMPLE_BLOCK || id === BLOCK) {
        if (start + size > rest.length) break // The rest comes with the next chunk.
        // A block begins with one byte of track, two of time within the cluster, one of flags.
        if (id === TIMESTAMP) cluster = rest.readUIntBE(start, size)
        else
          yield { milliseconds: cluster + rest.readInt16BE(start + 1), bytes: rest.subarray(start + 4, start + size) }
        at = start + size
      } else {
        at = start
        skip = size
      }
    }
    rest = rest.subarray(at)
  }
}

/** The head of the element at an offset; undefined if it is not all there. An unknown length is never asked for. */
function readElement(bytes: Buffer, at: number): { id: number; start: number; size: number } | undefined {
  const idLength = at < bytes.length ? Math.clz32(bytes[at]!) - 23 : Infinity
  const sizeAt = at + idLength
  const sizeLength = sizeAt < bytes.length ? Math.clz32(bytes[sizeAt]!) - 23 : Infinity
  const start = sizeAt + sizeLength
  if (start > bytes.length) return undefined
  let size = bytes[sizeAt]! & (0xff >> sizeLength)
  for (let i = sizeAt + 1; i < start; i++) size = size * 256 + bytes[i]!
  return { id: bytes.readUIntBE(at, idLength), start, size }
}
