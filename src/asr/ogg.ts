import { open } from 'node:fs/promises'

/** Bytes of a page header (RFC 3533) without its segment table, and the largest size of the table and a codec header. */
const HEAD_BYTES = 27
const LOOK_BYTES = HEAD_BYTES + 255 + 64
const FIRST_PAGE = 2

/**
 * Whether an Ogg file is a chain of streams with different sample rates. ffmpeg 5 interprets all positions by the rate of the
 * first stream, so its timestamps are wrong from the second on.
 */
export async function hasSeveralRates(path: string): Promise<boolean> {
  const file = await open(path)
  const rates = new Set<number>()
  try {
    for (let at = 0; ;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, at)
      const page = buffer.subarray(0, bytesRead)
      if (page.length < HEAD_BYTES || page.toString('latin1', 0, 4) !== 'OggS') return rates.size > 1
      const content = HEAD_BYTES + page[26]!
      const rate = page[5]! & FIRST_PAGE ? rateOf(page.subarray(content)) : undefined
      if (rate !== undefined) rates.add(rate)
      at += content + page.subarray(HEAD_BYTES, content).reduce((sum, length) => sum + length, 0)
    }
  } finally {
    await file.close()
  }
}

/** Parses the clock rate of a stream from its first packet; undefined if it is not audio. */
function rateOf(packet: Buffer): number | undefined {
  const begins = (text: string) => packet.toString('latin1', 0, text.length) === text
  if (begins('OpusHead')) return 48_000
  if (begins('\u0001vorbis') && packet.length >= 16) return packet.readUInt32LE(12)
  if (begins('Speex   ') && packet.length >= 40) return packet.readUInt32LE(36)
  if (begins('\u007fFLAC') && packet.length >= 30) return packet.readUIntBE(27, 3) >> 4
  return undefined
}
