/** Bytes of a box header: its length and its name. */
const HEADER_BYTES = 8
/** An edit hides the encoder's delay, about a tenth of a second. We reject longer ones, because they cut audio. */
const MAX_ENCODER_DELAY_SECONDS = 0.5
const EDIT_BYTES = 12

/**
 * Returns the seconds of an MP4 file in which any player seeks exactly: one AAC track, equal frame lengths, and no edit except
 * the one that hides the encoder's delay.
 *
 * @param moov the content of its box "moov"
 */
export function secondsOfPlainMp4(moov: Buffer): number | undefined {
  const boxes = boxesIn(moov)
  const tracks = boxes.filter(({ name }) => name === 'trak')
  if (tracks.length !== 1 || boxes.some(({ name }) => name === 'mvex')) return undefined
  const track = tracks[0]!.content
  const media = inside(track, 'mdia', 'mdhd')
  const durations = inside(track, 'mdia', 'minf', 'stbl', 'stts')
  const entries = inside(track, 'mdia', 'minf', 'stbl', 'stsd')
  const edits = inside(track, 'edts', 'elst')
  if (!media || !durations || !entries) return undefined
  const { timescale, duration } = timesOf(media)
  if (timescale === 0 || !isAac(entries) || !isEven(durations)) return undefined
  if (edits && !hidesDelayAlone(edits, timescale)) return undefined
  return duration / timescale
}

interface Box {
  name: string
  content: Buffer
}

/** Parses the boxes inside a box, up to the first that does not fit. */
function boxesIn(content: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + HEADER_BYTES <= content.length;) {
    const length = content.readUInt32BE(at)
    if (length < HEADER_BYTES || at + length > content.length) break
    const name = content.toString('latin1', at + 4, at + 8)
    boxes.push({ name, content: content.subarray(at + HEADER_BYTES, at + length) })
    at += length
  }
  return boxes
}

/** Finds the content of the box at the end of a path. */
function inside(content: Buffer, ...path: string[]): Buffer | undefined {
  let found: Buffer | undefined = content
  for (const name of path) found = found && boxesIn(found).find((box) => box.name === name)?.content
  return found
}

/** Times of "mdhd" (ISO 14496-12), which has 64-bit times in version 1. */
function timesOf(header: Buffer): { timescale: number; duration: number } {
  const isLong = header[0] === 1
  if (header.length < (isLong ? 32 : 20)) return { timescale: 0, duration: 0 }
  if (isLong) return { timescale: header.readUInt32BE(20), duration: Number(header.readBigUInt64BE(24)) }
  return { timescale: header.readUInt32BE(12), duration: header.readUInt32BE(16) }
}

/** Whether all frames except the last have the same duration: "stts" has a count and a duration for each run. */
function isEven(durations: Buffer): boolean {
  if (durations.length < 16) return false
  const runs = durations.readUInt32BE(4)
  return runs === 1 || (runs === 2 && durations.length >= 24 && durations.readUInt32BE(16) === 1)
}

/** One edit at normal speed that begins within the encoder's delay. */
function hidesDelayAlone(edits: Buffer, timescale: number): boolean {
  if (edits.length < 8 + EDIT_BYTES || edits[0] !== 0 || edits.readUInt32BE(4) !== 1) return false
  const from = edits.readInt32BE(12)
  return from >= 0 && from <= MAX_ENCODER_DELAY_SECONDS * timescale && edits.readUInt32BE(16) === 0x1_0000
}

/** One sample entry, mp4a, whose descriptor names MPEG-4 audio (0x40). */
function isAac(entries: Buffer): boolean {
  if (entries.length < 16 || entries.readUInt32BE(4) !== 1 || entries.toString('latin1', 12, 16) !== 'mp4a')
    return false
  const descriptor = entries.indexOf('esds')
  if (descriptor < 0) return false
  // Tag 4 (the decoder's configuration) is within the first bytes; its kind follows a length of 1 to 4 bytes.
  for (let at = descriptor + 8; at < descriptor + 32 && at + 5 < entries.length; at++) {
    if (entries[at] !== 4) continue
    let kind = at + 1
    while (entries[kind]! >= 0x80 && kind < at + 4) kind++
    if (entries[kind + 1] === 0x40) return true
  }
  return false
}
