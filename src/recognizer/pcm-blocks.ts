/** Ids of the Matroska elements that we parse (RFC 9559). Other elements are skipped. */
const SEGMENT_ID = 0x18_53_80_67
const CLUSTER_ID = 0x1f_43_b6_75
const BLOCK_GROUP_ID = 0xa0
const TIMESTAMP_ID = 0xe7
const SIMPLE_BLOCK_ID = 0xa3
const BLOCK_ID = 0xa1
const CONTAINER_IDS = new Set([SEGMENT_ID, CLUSTER_ID, BLOCK_GROUP_ID])

/** A block of little-endian 16-bit samples with its start time. */
export interface PcmBlock {
  milliseconds: number
  bytes: Buffer
}

/**
 * Parses PCM blocks with timestamps from a Matroska stream of ffmpeg. We use Matroska because it has timestamps and ffmpeg can
 * write it to a pipe.
 */
export async function* parseMatroskaPcmBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<PcmBlock> {
  let buffered: Buffer = Buffer.alloc(0)
  let skip = 0
  let cluster = 0
  for await (const chunk of chunks) {
    buffered = buffered.length > 0 ? Buffer.concat([buffered, chunk]) : chunk
    let at = 0
    while (at < buffered.length) {
      const skipped = Math.min(skip, buffered.length - at)
      skip -= skipped
      at += skipped
      const element = skip === 0 ? parseElement(buffered, at) : undefined
      if (!element) break
      const { id, start, size } = element
      if (CONTAINER_IDS.has(id)) {
        at = start
      } else if (id === TIMESTAMP_ID || id === SIMPLE_BLOCK_ID || id === BLOCK_ID) {
        if (start + size > buffered.length) break // The next chunk contains the rest of the block.
        if (id === TIMESTAMP_ID) cluster = buffered.readUIntBE(start, size)
        else
          yield {
            milliseconds: cluster + buffered.readInt16BE(start + 1),
            bytes: buffered.subarray(start + 4, start + size),
          }
        at = start + size
      } else {
        at = start
        skip = size
      }
    }
    buffered = buffered.subarray(at)
  }
}

/**
 * Parses the header of an element at an offset. Returns undefined if the header is incomplete. An unknown length is not detected,
 * because only containers have one and their size is not used.
 */
function parseElement(bytes: Buffer, at: number): { id: number; start: number; size: number } | undefined {
  const idLength = at < bytes.length ? Math.clz32(bytes[at]!) - 23 : Infinity
  const sizeAt = at + idLength
  const sizeLength = sizeAt < bytes.length ? Math.clz32(bytes[sizeAt]!) - 23 : Infinity
  const start = sizeAt + sizeLength
  if (start > bytes.length) return undefined
  let size = bytes[sizeAt]! & (0xff >> sizeLength)
  for (let i = sizeAt + 1; i < start; i++) size = size * 256 + bytes[i]!
  return { id: bytes.readUIntBE(at, idLength), start, size }
}
