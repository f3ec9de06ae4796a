import { open } from 'node:fs/promises'
import { parseMpegFrame } from '../platform/lib/mpeg-frame.ts'

const MAX_HEAD_BYTES = 1024 * 1024

/**
 * Returns true if the first MiB of a file looks like raw GSM 06.10, with 33-byte frames that start with the bits 1101. Raw A-law
 * has these bits at other offsets too.
 */
export async function isRawGsm(path: string): Promise<boolean> {
  const { head } = await readHead(path)
  const frames = Math.floor(head.length / 33)
  const marks = Array.from({ length: 33 }, () => 0)
  for (let at = 0; at < frames * 33; at++) if (head[at]! >> 4 === 0xd) marks[at % 33]!++
  const [first, ...others] = marks
  return frames > 0 && first! >= 0.99 * frames && others.reduce((sum, count) => sum + count, 0) < 16 * frames
}

/** Returns true if the first MiB of a file has three consecutive MPEG audio frames, or if the file has only one or two frames. */
export async function hasMpegFrames(path: string): Promise<boolean> {
  const { head, size } = await readHead(path)
  for (let start = 0; start + 4 <= head.length; start++) {
    const first = parseMpegFrame(head, start)
    if (!first) continue
    let at = start
    let frames = 0
    while (at + 4 <= head.length && frames < 3) {
      const next = parseMpegFrame(head, at)
      if (next?.kind !== first.kind || at + next.bytes > size) break
      at += next.bytes
      frames++
    }
    if (frames === 3) return true
    if (start === 0 && at === size) return true
  }
  return false
}

async function readHead(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MAX_HEAD_BYTES)), 0)
    return { head: buffer.subarray(0, bytesRead), size }
  } finally {
    await file.close()
  }
}
