import { clampSpan, roundSeconds } from '../platform/lib/time-span.ts'
import { decodeAudio, extractChannel, MAX_AUDIO_SECONDS, measureAudio, outputChannelCount } from './audio.ts'
import { ChannelStats, sumSpeechSeconds } from './channel-stats.ts'
import type {
  Decoder,
  RecognizedWord,
  RecognitionProgress,
  RecognitionResult,
  Segment,
  RecognitionTask,
  Transcript,
  WordTimes,
} from './contract.ts'
import { compareByTime, type Engine, type EngineInfo, type SpeechPiece } from './engines/engine.ts'
import { toPercentages, PeakCollector } from './peaks.ts'
import { splitPhrases, joinWords } from './phrases.ts'
import { probeFile } from './probe.ts'
import { identifySpeakers, VOICE_SAMPLE_RATE } from './voices.ts'

/** Whether more was decoded than a header can be off by. */
const exceedsHeaderLength = (decoded: number, total: number) => decoded > total * 1.05 + 30

/** The share of the progress of a file in which its speakers are told apart. */
const SEPARATION_SHARE = 0.1

/** Transcribes a file; memory grows only with its text. @throws RecognitionError; the reason of an aborted `signal` */
export async function transcribeFile(
  engine: Engine,
  { file, decoder, separateSpeakers = false }: RecognitionTask,
  onProgress: (progress: RecognitionProgress) => void,
  signal: AbortSignal,
): Promise<RecognitionResult> {
  const { sampleRate } = engine
  const header = await probeFile(file, signal)
  // Two channels are compared first. One is measured if its header has no length, or one over the limit, which can be
  // wrong.
  const mustMeasure = header.channels === 2 || !((header.durationSeconds ?? Infinity) <= MAX_AUDIO_SECONDS)
  let measured = mustMeasure ? await measureAudio(file, header, signal) : undefined
  let total = measured?.durationSeconds ?? header.durationSeconds ?? 0

  const sources = measured?.channels ?? [0]
  const recognitionShare = separateSpeakers && sources.length === 1 ? 1 - SEPARATION_SHARE : 1
  const width = outputChannelCount(header.channels)
  const peaks = sources.map(() => new PeakCollector(sampleRate))
  const stats = new ChannelStats(width)
  let frames = 0
  async function* pcm(): AsyncGenerator<Int16Array[]> {
    for await (const samples of decodeAudio(file, header, sampleRate, signal)) {
      stats.add(samples)
      const channels = sources.map((source) => (width === 1 ? samples : extractChannel(samples, source)))
      channels.forEach((channel, index) => peaks[index]!.add(channel))
      frames += samples.length / width
      yield channels
      if (!measured && exceedsHeaderLength(frames / sampleRate, total)) {
        // The file can be over the limit, which we want to know before hours are recognized.
        measured = await measureAudio(file, header, signal)
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
      processedSeconds = Math.max(processedSeconds, roundSeconds(Math.min(decoded, unreadFrom) * recognitionShare))
      const totalSeconds = roundSeconds(Math.max(total, decoded))
      onProgress({ processedSeconds, totalSeconds, segments: toSegments(splitIntoPhrases(pieces, totalSeconds)) })
    },
    signal,
  )
  const durationSeconds = roundSeconds(frames / sampleRate)
  const phrases = splitIntoPhrases(pieces, durationSeconds)
  const recognized = { segments: toSegments(phrases), words: toWordTimes(phrases) }
  let separatedFrames = 0
  const onSamples = (samples: Int16Array) => {
    separatedFrames += samples.length / width
    const share = Math.min(1, separatedFrames / VOICE_SAMPLE_RATE / durationSeconds)
    const processed = durationSeconds * (recognitionShare + SEPARATION_SHARE * share)
    onProgress({ processedSeconds: roundSeconds(processed), totalSeconds: durationSeconds })
  }
  const { segments, words, speakers } = await identifySpeakers({ file, header, sources }, recognized, {
    separate: separateSpeakers,
    onSamples,
    signal,
  })
  const audio = stats.summarize(sumSpeechSeconds(recognized.segments, sources.length), sources)
  const transcript = assembleTranscript(engine.info, decoder, segments)
  return { transcript, words, durationSeconds, peaks: toPercentages(peaks), audio, speakers }
}

const assembleTranscript = (
  { model, language, timing }: EngineInfo,
  decoder: Decoder,
  segments: Segment[],
): Transcript => ({
  text: segments.map(({ text }) => text).join('\n'),
  model,
  decoder,
  language,
  timing,
  segments,
})

const toWordTimes = (phrases: SpeechPiece[]): WordTimes[] =>
  phrases.map(({ words }) => words.map(({ start, end, confidence }) => [start, end, confidence]))

/** Splits the pieces found in `seconds` of audio into sentences and phrases, sorted by their start. */
const splitIntoPhrases = (found: SpeechPiece[], seconds: number): SpeechPiece[] =>
  found
    .flatMap(({ channel, words }) =>
      splitPhrases(words).map((phrase) => ({ channel, words: phrase.map((word) => roundWord(word, seconds)) })),
    )
    .toSorted(compareByTime)

/** Segments of phrases, with text and confidence. */
export const toSegments = (phrases: SpeechPiece[]): Segment[] =>
  phrases.map(({ channel, words }) => {
    const [{ start }, { end }] = [words[0]!, words.at(-1)!]
    return { start, end, channel, text: joinWords(words), confidence: computeMeanConfidence(words) }
  })

const roundWord = ({ start, end, confidence, ...rest }: RecognizedWord, seconds: number): RecognizedWord => ({
  ...rest,
  ...clampSpan(start, end, seconds),
  confidence: confidence === null ? null : roundHundredths(confidence),
})

const roundHundredths = (value: number) => Math.round(value * 100) / 100

/** The mean probability of all tokens, or of the words if the engine returns no tokens. */
function computeMeanConfidence(words: RecognizedWord[]): number | null {
  if (words.some(({ confidence }) => confidence === null)) return null
  const known = words.flatMap(({ confidence, tokens }) => tokens ?? [confidence!])
  return roundHundredths(known.reduce((sum, one) => sum + one, 0) / known.length)
}
