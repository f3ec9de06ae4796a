import { open } from 'node:fs/promises'

/**
 * Bytes of an Ogg page header (RFC 3533) without its segment table. MAX_HEADERS_BYTES adds the longest segment table and the first
 * 64 bytes of the content, which include the sample rate.
 */
const PAGE_HEADER_BYTES = 27
const MAX_HEADERS_BYTES = PAGE_HEADER_BYTES + 255 + 64
/** A page can have only 27 bytes. One read per page would take minutes for a large file. */
const READ_BYTES = 16 * 1024
const FIRST_PAGE_FLAG = 2

/** Returns true if an Ogg file has audio streams with different sample rates. ffmpeg 5 misreads the timestamps of such files. */
export async function hasSeveralOggSampleRates(path: string, signal: AbortSignal): Promise<boolean> {
  const file = await open(path)
  const rates = new Set<number>()
  let [block, start] = [Buffer.alloc(0), 0]
  try {
    for (let at = 0; ;) {
      if (at + MAX_HEADERS_BYTES > start + block.length) {
        signal.throwIfAborted()
        const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, at)
        block = buffer.subarray(0, bytesRead)
        start = at
      }
      const page = block.subarray(at - start, at - start + MAX_HEADERS_BYTES)
      if (page.length < PAGE_HEADER_BYTES || page.toString('latin1', 0, 4) !== 'OggS') return rates.size > 1
      const content = PAGE_HEADER_BYTES + page[26]!
      const rate = page[5]! & FIRST_PAGE_FLAG ? parseSampleRate(page.subarray(content)) : undefined
      if (rate !== undefined) rates.add(rate)
      at += content + page.subarray(PAGE_HEADER_BYTES, content).reduce((sum, length) => sum + length, 0)
    }
  } finally {
    await file.close()
  }
}

/** Parses the sample rate of the timestamps, in Hz, from the first packet of a stream. Returns undefined for other codecs. */
function parseSampleRate(packet: Buffer): number | undefined {
  const begins = (text: string) => packet.toString('latin1', 0, text.length) === text
  if (begins('OpusHead')) return 48_000
  if (begins('\u0001vorbis') && packet.length >= 16) return packet.readUInt32LE(12)
  if (begins('Speex   ') && packet.length >= 40) return packet.readUInt32LE(36)
  if (begins('\u007fFLAC') && packet.length >= 30) return packet.readUIntBE(27, 3) >> 4
  return undefined
}
