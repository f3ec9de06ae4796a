import { clampSpan, roundSeconds } from '../platform/lib/time-span.ts'
import { decode, LONGEST_SECONDS, measure, widthOf } from './audio.ts'
import type { Decoder, HeardWord, Progress, Result, Segment, Task } from './contract.ts'
import type { Engine, EngineInfo, Piece } from './engines/engine.ts'
import { inPercent, Peaks } from './peaks.ts'
import { phrasesOf, textOf } from './phrases.ts'
import { probe } from './probe.ts'
import { Triage } from './triage.ts'

/** A header may be off by this much before it counts as a lie. */
const lies = (processed: number, total: number) => processed > total * 1.05 + 30

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
  // What a file that fails has waiting is not to be read for nothing.
  const failed = new AbortController()
  const recognition = engine.recognise(decoder, AbortSignal.any([signal, failed.signal]), sources.length)
  const peaks = sources.map(() => new Peaks(sampleRate))
  const width = widthOf(header.channels)
  const triage = new Triage(width)
  const found: Piece[] = []
  let frames = 0
  let processedSeconds = 0
  try {
    for await (const samples of decode(file, header, sampleRate, signal)) {
      triage.add(samples)
      const channels = sources.map((source) => (width === 1 ? samples : oneOfTwo(samples, source)))
      channels.forEach((channel, index) => peaks[index]!.add(channel))
      const pieces = await recognition.accept(channels)
      found.push(...pieces)
      frames += samples.length / width
      const decoded = frames / sampleRate
      if (!measured && lies(decoded, total)) {
        // Learn the true length before hours are recognised in vain: it may be over the limit.
        measured = await measure(file, header, signal)
        total = measured.durationSeconds
      }
      // A window becomes known after the audio that it begins in was told as processed: that is not taken back.
      processedSeconds = Math.max(
        processedSeconds,
        roundSeconds(Math.min(decoded, recognition.unreadFrom() ?? decoded)),
      )
      const totalSeconds = roundSeconds(Math.max(total, decoded))
      onProgress({ processedSeconds, totalSeconds, segments: segmentsOf(phrasesIn(pieces, totalSeconds)) })
    }
    found.push(...(await recognition.finish()))
  } catch (error) {
    failed.abort()
    throw error
  } finally {
    await recognition.settle()
  }
  const durationSeconds = roundSeconds(frames / sampleRate)
  const { transcript, words } = assemble(engine.info, decoder, phrasesIn(found, durationSeconds))
  const audio = triage.facts(secondsOf(transcript.segments, sources.length), sources)
  return { transcript, words, durationSeconds, peaks: inPercent(peaks), audio }
}

/** In how many seconds of each channel somebody speaks. */
const secondsOf = (segments: Segment[], channels: number): number[] =>
  Array.from({ length: channels }, (_, number) =>
    segments.reduce((sum, { start, end, channel }) => sum + (channel === number ? end - start : 0), 0),
  )

/** The left (0) or right (1) samples of an interleaved pair of channels. */
function oneOfTwo(samples: Int16Array, which: number): Int16Array {
  const one = new Int16Array(samples.length / 2)
  for (let i = 0; i < one.length; i++) one[i] = samples[2 * i + which]!
  return one
}

function assemble(
  { model, language, timing }: EngineInfo,
  decoder: Decoder,
  phrases: Piece[],
): Pick<Result, 'transcript' | 'words'> {
  const segments = segmentsOf(phrases)
  const text = segments.map((segment) => segment.text).join('\n')
  return {
    transcript: { text, model, decoder, language, timing, segments },
    words: phrases.map(({ words }) => words.map(({ start, end, confidence }) => [start, end, confidence])),
  }
}

/** Splits the pieces found in `seconds` of audio into sentences and phrases, sorted by their start. */
export const phrasesIn = (found: Piece[], seconds: number): Piece[] =>
  found
    .flatMap(({ channel, words }) =>
      phrasesOf(words).map((phrase) => ({ channel, words: phrase.map((word) => rounded(word, seconds)) })),
    )
    .toSorted((a, b) => a.words[0]!.start - b.words[0]!.start || a.channel - b.channel)

export const segmentsOf = (phrases: Piece[]): Segment[] =>
  phrases.map(({ channel, words }) => {
    const [{ start }, { end }] = [words[0]!, words.at(-1)!]
    return { start, end, channel, text: textOf(words), confidence: meanConfidence(words) }
  })

const rounded = ({ start, end, confidence, ...rest }: HeardWord, seconds: number): HeardWord => ({
  ...rest,
  ...clampSpan(start, end, seconds),
  confidence: confidence === null ? null : round(confidence),
})

const round = (value: number) => Math.round(value * 100) / 100

/** The mean probability of all tokens, or of the words where an engine tells no tokens. */
function meanConfidence(words: HeardWord[]): number | null {
  if (words.some(({ confidence }) => confidence === null)) return null
  const known = words.flatMap(({ confidence, tokens }) => tokens ?? [confidence!])
  return round(known.reduce((sum, one) => sum + one, 0) / known.length)
}
