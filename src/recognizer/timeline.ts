import type { PcmBlock } from './pcm-blocks.ts'

/** A smaller difference between timestamps and samples is no gap, because timestamps are rounded and clocks drift. */
const MIN_GAP_SECONDS = 0.1
/** A longer gap is treated as a broken timestamp, because calls are not silent for an hour. */
const MAX_GAP_SECONDS = 3600
/** Smaller blocks are combined until they have this size. */
const BATCH_SAMPLES = 16 * 1024

/**
 * Joins PCM blocks at their timestamps and fills gaps with silence. Gaps come from unsent pauses and lost packets.
 * @param width the number of interleaved channels
 * @param isTimed false to ignore the timestamps
 */
export async function* alignPcmToTimestamps(
  blocks: AsyncIterable<PcmBlock>,
  width: number,
  sampleRate: number,
  isTimed: boolean,
): AsyncGenerator<Int16Array> {
  const batch = new SampleBatch(width)
  let frames = 0
  /** Correction of the timestamps, in seconds, since the last broken one. */
  let offset = 0
  for await (const { milliseconds, bytes } of blocks) {
    const gap = isTimed ? milliseconds / 1000 + offset - frames / sampleRate : 0
    if (gap < -MIN_GAP_SECONDS || gap > MAX_GAP_SECONDS) {
      offset -= gap
    } else if (gap > MIN_GAP_SECONDS) {
      const silence = Math.round(gap * sampleRate)
      frames += silence
      yield batch.take()
      yield* generateSilentPcm(silence, width)
    }
    frames += batch.add(bytes)
    if (batch.isFull) yield batch.take()
  }
  yield batch.take()
}

/**
 * Yields silence in blocks of limited size.
 * @param frames samples per channel
 * @param width the number of channels
 */
export function* generateSilentPcm(frames: number, width: number): Generator<Int16Array> {
  for (let left = frames * width; left > 0; left -= BATCH_SAMPLES) yield new Int16Array(Math.min(left, BATCH_SAMPLES))
}

class SampleBatch {
  private parts: Buffer[] = []
  private bytes = 0
  private readonly frameBytes: number

  constructor(width: number) {
    this.frameBytes = 2 * width
  }

  /** Adds whole frames and returns their number. A frame has one sample per channel. */
  add(bytes: Buffer): number {
    const frames = Math.floor(bytes.length / this.frameBytes)
    this.parts.push(bytes.subarray(0, frames * this.frameBytes))
    this.bytes += frames * this.frameBytes
    return frames
  }

  get isFull(): boolean {
    return this.bytes >= 2 * BATCH_SAMPLES
  }

  /** Returns the added samples in a new buffer. Chunks of a pipe can have odd addresses, but 16-bit samples need even ones. */
  take(): Int16Array {
    const samples = new Int16Array(this.bytes / 2)
    const target = new Uint8Array(samples.buffer)
    let at = 0
    for (const part of this.parts) {
      target.set(part, at)
      at += part.length
    }
    this.parts = []
    this.bytes = 0
    return samples
  }
}
