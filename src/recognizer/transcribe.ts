import { clampSpan, roundSeconds } from '../platform/lib/time-span.ts'
import { decode, LONGEST_SECONDS, measure, widthOf } from './audio.ts'
import { ChannelStats } from './channel-stats.ts'
import type { Decoder, HeardWord, Progress, Result, Segment, Task } from './contract.ts'
import { byTime, type Engine, type EngineInfo, type Piece } from './engines/engine.ts'
import { inPercent, Peaks } from './peaks.ts'
import { phrasesOf, textOf } from './phrases.ts'
import { probe } from './probe.ts'

/** Whether more was decoded than a header can be off by. */
const isUnderstated = (decoded: number, total: number) => decoded > total * 1.05 + 30

/** Transcribes a file; memory grows only with its text. @throws RecognitionError; the reason of an aborted `signal` */
export async function transcribe(
  engine: Engine,
  { file, decoder }: Task,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Result> {
  const { sampleRate } = engine
  const header = await probe(file, signal)
  // Two channels are compared first. One is measured if its header has no length, or one over the limit, which can be
  // wrong.
  const mustMeasure = header.channels === 2 || !((header.durationSeconds ?? Infinity) <= LONGEST_SECONDS)
  let measured = mustMeasure ? await measure(file, header, signal) : undefined
  let total = measured?.durationSeconds ?? header.durationSeconds ?? 0

  const sources = measured?.channels ?? [0]
  const width = widthOf(header.channels)
  const peaks = sources.map(() => new Peaks(sampleRate))
  const stats = new ChannelStats(width)
  let frames = 0
  async function* pcm(): AsyncGenerator<Int16Array[]> {
    for await (const samples of decode(file, header, sampleRate, signal)) {
      stats.add(samples)
      const channels = sources.map((source) => (width === 1 ? samples : channelOf(samples, source)))
      channels.forEach((channel, index) => peaks[index]!.add(channel))
      frames += samples.length / width
      yield channels
      if (!measured && isUnderstated(frames / sampleRate, total)) {
        // The file can be over the limit, which we want to know before hours are recognized.
        measured = await measure(file, header, signal)
        total = measured.durationSeconds
      }
    }
  }
  let processedSeconds = 0
  const pieces = await engine.transcribe(
    pcm(),
    decoder,
    ({ pieces, unreadFrom = Infinity }) => {
      const decoded = frames / sampleRate
      // A window becomes known after its start was reported as processed: progress must not go back.
      processedSeconds = Math.max(processedSeconds, roundSeconds(Math.min(decoded, unreadFrom)))
      const totalSeconds = roundSeconds(Math.max(total, decoded))
      onProgress({ processedSeconds, totalSeconds, segments: segmentsOf(phrasesIn(pieces, totalSeconds)) })
    },
    signal,
  )
  const durationSeconds = roundSeconds(frames / sampleRate)
  const { transcript, words } = assemble(engine.info, decoder, phrasesIn(pieces, durationSeconds))
  const audio = stats.facts(speechSeconds(transcript.segments, sources.length), sources)
  return { transcript, words, durationSeconds, peaks: inPercent(peaks), audio }
}

const speechSeconds = (segments: Segment[], channels: number): number[] =>
  Array.from({ length: channels }, (_, number) =>
    segments.reduce((sum, { start, end, channel }) => sum + (channel === number ? end - start : 0), 0),
  )

function channelOf(samples: Int16Array, which: number): Int16Array {
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
const phrasesIn = (found: Piece[], seconds: number): Piece[] =>
  found
    .flatMap(({ channel, words }) =>
      phrasesOf(words).map((phrase) => ({ channel, words: phrase.map((word) => rounded(word, seconds)) })),
    )
    .toSorted(byTime)

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

/** The mean probability of all tokens, or of the words if the engine returns no tokens. */
function meanConfidence(words: HeardWord[]): number | null {
  if (words.some(({ confidence }) => confidence === null)) return null
  const known = words.flatMap(({ confidence, tokens }) => tokens ?? [confidence!])
  return round(known.reduce((sum, one) => sum + one, 0) / known.length)
}
