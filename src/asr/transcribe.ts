import { decode, LONGEST_SECONDS, measure, widthOf } from './audio.ts'
import type { Decoder, Progress, Result, Segment, Task, Transcript } from './contract.ts'
import type { Engine, EngineInfo } from './engines/engine.ts'
import { inPercent, Peaks } from './peaks.ts'
import { probe } from './probe.ts'

/** A header may be off by this much before it counts as a lie. */
const lies = (processed: number, total: number) => processed > total * 1.05 + 30

const round = (seconds: number) => Math.round(seconds * 100) / 100

/**
 * Turns a file into a transcript: looks at its header, decides about its channels, then decodes it once and feeds
 * every channel to a recognition of its own. Memory does not grow with the length of the file, only with its text.
 * @throws RecognitionError; an AbortError when the signal is aborted
 */
export async function transcribe(
  engine: Engine,
  { file, decoder }: Task,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Result> {
  const { sampleRate } = engine
  const header = await probe(file, signal)
  // Two channels have to be compared first. One is measured only where the header does not tell its length, or one that
  // would be too long: then hours must not be recognised in vain, nor a short call be refused for a lie.
  const needed = header.channels === 2 || !((header.durationSeconds ?? Infinity) <= LONGEST_SECONDS)
  let measured = needed ? await measure(file, header, signal) : undefined
  let total = measured?.durationSeconds ?? header.durationSeconds ?? 0

  const sources = measured?.channels ?? [0]
  const recognitions = sources.map(() => engine.recognise(decoder, signal))
  const peaks = sources.map(() => new Peaks(sampleRate))
  const segments: Segment[] = []
  const width = widthOf(header.channels)
  let frames = 0
  for await (const samples of decode(file, header, sampleRate, signal)) {
    for (const [channel, recognition] of recognitions.entries()) {
      const own = width === 1 ? samples : oneOfTwo(samples, sources[channel]!)
      peaks[channel]!.add(own)
      const pieces = await recognition.accept(own)
      segments.push(...pieces.map((piece) => ({ ...piece, channel })))
    }
    frames += samples.length / width
    const processed = frames / sampleRate
    if (!measured && lies(processed, total)) {
      // Learn the true length before hours are recognised in vain: it may be over the limit.
      measured = await measure(file, header, signal)
      total = measured.durationSeconds
    }
    onProgress({ processedSeconds: round(processed), totalSeconds: round(Math.max(total, processed)) })
  }
  for (const [channel, recognition] of recognitions.entries()) {
    const pieces = await recognition.finish()
    segments.push(...pieces.map((piece) => ({ ...piece, channel })))
  }
  const transcript = assemble(engine.info, decoder, segments)
  return { transcript, durationSeconds: round(frames / sampleRate), peaks: inPercent(peaks) }
}

/** The left (0) or right (1) samples of an interleaved pair of channels. */
function oneOfTwo(samples: Int16Array, which: number): Int16Array {
  const one = new Int16Array(samples.length / 2)
  for (let i = 0; i < one.length; i++) one[i] = samples[2 * i + which]!
  return one
}

function assemble({ model, language }: EngineInfo, decoder: Decoder, found: Segment[]): Transcript {
  const segments = found
    .sort((a, b) => a.start - b.start || a.channel - b.channel)
    .map(({ start, end, channel, text }) => ({ start: round(start), end: round(end), channel, text }))
  return { text: segments.map(({ text }) => text).join('\n'), model, decoder, language, segments }
}
