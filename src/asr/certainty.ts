import { open } from 'node:fs/promises'

/** How much of a file is looked at. */
const LOOK_BYTES = 1024 * 1024

/**
 * Whether a file is really raw GSM 06.10: frames of 33 bytes, each beginning with the bits 1101. Silence in raw A-law
 * is full of such bytes, so in between they must be rare.
 */
export async function isRawGsm(path: string): Promise<boolean> {
  const { head } = await look(path)
  const frames = Math.floor(head.length / 33)
  const marks = Array.from({ length: 33 }, () => 0)
  for (let at = 0; at < frames * 33; at++) if (head[at]! >> 4 === 0xd) marks[at % 33]!++
  const [first, ...others] = marks
  return frames > 0 && first! >= 0.99 * frames && others.reduce((sum, count) => sum + count, 0) < 16 * frames
}

/**
 * Whether MPEG audio frames follow one another in a file: three anywhere, or fewer that reach from its start to its end.
 * ffprobe wants more of them, and trusts none behind junk.
 */
export async function hasMpegFrames(path: string): Promise<boolean> {
  const { head, size } = await look(path)
  for (let start = 0; start + 4 <= head.length; start++) {
    const first = readFrame(head, start)
    if (!first) continue
    let at = start
    let frames = 0
    while (at + 4 <= head.length && frames < 3) {
      const next = readFrame(head, at)
      if (next?.kind !== first.kind || at + next.bytes > size) break
      at += next.bytes
      frames++
    }
    if (frames === 3) return true
    if (start === 0 && at === size) return true
  }
  return false
}

/** Kilobits a second by version and layer (ISO 11172-3 and 13818-3). */
const BIT_RATES: Record<string, number[]> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** The header of a frame: its length, and what stays the same from frame to frame. */
function readFrame(bytes: Buffer, at: number): { bytes: number; kind: number } | undefined {
  const header = bytes.readUInt32BE(at)
  const version = (header >> 19) & 3 // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const layer = 4 - ((header >> 17) & 3)
  const rateIndex = (header >> 12) & 15
  const sampleRate = SAMPLE_RATES[(header >> 10) & 3]
  if (header >>> 21 !== 0x7ff || version === 1 || layer === 4 || !sampleRate) return undefined
  const bitRate = BIT_RATES[`${version === 3 ? 1 : 2}-${layer}`]![rateIndex - 1]
  if (!bitRate) return undefined
  const hertz = sampleRate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (header >> 9) & 1
  const slots = (layer === 1 ? 12 : layer === 3 && version !== 3 ? 72 : 144) * ((bitRate * 1000) / hertz)
  return { bytes: (Math.floor(slots) + padding) * (layer === 1 ? 4 : 1), kind: header & 0xff_fe_0c_00 }
}

async function look(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, LOOK_BYTES)), 0)
    return { head: buffer.subarray(0, bytesRead), size }
  } finally {
    await file.close()
  }
}
