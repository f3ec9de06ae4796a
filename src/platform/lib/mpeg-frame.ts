/** Lists bit rates in kbit/s by version and layer (ISO 11172-3 and 13818-3). */
const BIT_RATES_KBPS: Record<string, number[]> = {
  '1-1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000]

export const MPEG_HEADER_BYTES = 4

interface MpegFrame {
  layer: number
  /** Length of the frame with its header. */
  bytes: number
  /** Header bits for synchronization, version, layer and sample rate, which are equal in all frames of a stream. */
  kind: number
  kilobits: number
  isMono: boolean
}

/** Parses the MPEG audio frame header at an offset. @returns undefined without a valid header or with a free bit rate */
export function parseMpegFrame(bytes: Buffer, at: number): MpegFrame | undefined {
  const header = bytes.readUInt32BE(at)
  const version = (header >> 19) & 3 // 3 is MPEG-1, 2 is MPEG-2, 0 is MPEG-2.5
  const layer = 4 - ((header >> 17) & 3)
  const rateIndex = (header >> 12) & 15
  const sampleRate = SAMPLE_RATES_HZ[(header >> 10) & 3]
  if (header >>> 21 !== 0x7ff || version === 1 || layer === 4 || !sampleRate) return undefined
  const kilobits = BIT_RATES_KBPS[`${version === 3 ? 1 : 2}-${layer}`]![rateIndex - 1]
  if (!kilobits) return undefined
  const hertz = sampleRate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (header >> 9) & 1
  const slots = (layer === 1 ? 12 : layer === 3 && version !== 3 ? 72 : 144) * ((kilobits * 1000) / hertz)
  return {
    layer,
    bytes: (Math.floor(slots) + padding) * (layer === 1 ? 4 : 1),
    kind: header & 0xff_fe_0c_00,
    kilobits,
    isMono: ((header >> 6) & 3) === 3,
  }
}
