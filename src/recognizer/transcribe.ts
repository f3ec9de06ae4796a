import { clampAudioSpan, roundSeconds } from '../platform/lib/time-span.ts'
import { decodeAudio, extractChannel, MAX_AUDIO_SECONDS, measureAudio, countOutputChannels } from './audio.ts'
import { ChannelLoudnessStats, sumSpeechSeconds } from './channel-stats.ts'
import type {
  DecoderName,
  RecognizedWord,
  RecognitionProgress,
  RecognitionResult,
  TranscriptSegment,
  RecognitionTask,
  RecognitionTranscript,
  WordTimes,
} from './contract.ts'
import { compareSpeechPiecesByTime, type Engine, type EngineInfo, type RecognizedPiece } from './engines/engine.ts'
import { scalePeaksToPercentages, PeakCollector } from './peaks.ts'
import { splitWordsIntoPhrases, joinWordTexts } from './phrases.ts'
import { probeAudioFile } from './probe.ts'
import { identifySpeakers, VOICE_SAMPLE_RATE } from './voices.ts'

/** Returns true if the decoded length exceeds the length in the header by more than 5 % plus 30 s. */
const exceedsHeaderLength = (decoded: number, total: number) => decoded > total * 1.05 + 30

/** The share of the separation of speakers in the progress of a file. */
const SEPARATION_SHARE = 0.1

/**
 * Transcribes a file and, if asked to, separates the speakers on one channel.
 * @throws RecognitionError if the file cannot be decoded, an error of the engine, or the reason of an aborted `signal`
 */
export async function transcribeAudioFile(
  engine: Engine,
  { file, decoder, separateSpeakers = false }: RecognitionTask,
  onProgress: (progress: RecognitionProgress) => void,
  signal: AbortSignal,
): Promise<RecognitionResult> {
  const { sampleRate } = engine
  const header = await probeAudioFile(file, signal)
  // Measure stereo files to compare the channels. Measure other files if the header has no length or one over the limit.
  const mustMeasure = header.channels === 2 || !((header.durationSeconds ?? Infinity) <= MAX_AUDIO_SECONDS)
  let measured = mustMeasure ? await measureAudio(file, header, signal) : undefined
  let total = measured?.durationSeconds ?? header.durationSeconds ?? 0

  const sources = measured?.channels ?? [0]
  const recognitionShare = separateSpeakers && sources.length === 1 ? 1 - SEPARATION_SHARE : 1
  const width = countOutputChannels(header.channels)
  const peaks = sources.map(() => new PeakCollector(sampleRate))
  const stats = new ChannelLoudnessStats(width)
  let frames = 0
  async function* pcm(): AsyncGenerator<Int16Array[]> {
    for await (const samples of decodeAudio(file, header, sampleRate, signal)) {
      stats.add(samples)
      const channels = sources.map((source) => (width === 1 ? samples : extractChannel(samples, source)))
      channels.forEach((channel, index) => peaks[index]!.add(channel))
      frames += samples.length / width
      yield channels
      if (!measured && exceedsHeaderLength(frames / sampleRate, total)) {
        // The file can be over the limit. Measure it now, before we recognize hours of audio.
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
      // A window can be found after a later time was reported, so keep the progress from decreasing.
      processedSeconds = Math.max(processedSeconds, roundSeconds(Math.min(decoded, unreadFrom) * recognitionShare))
      const totalSeconds = roundSeconds(Math.max(total, decoded))
      onProgress({
        processedSeconds,
        totalSeconds,
        segments: phrasesToSegments(splitIntoPhrases(pieces, totalSeconds)),
      })
    },
    signal,
  )
  const durationSeconds = roundSeconds(frames / sampleRate)
  const phrases = splitIntoPhrases(pieces, durationSeconds)
  const recognized = { segments: phrasesToSegments(phrases), words: toWordTimes(phrases) }
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
  return { transcript, words, durationSeconds, peaks: scalePeaksToPercentages(peaks), audio, speakers }
}

const assembleTranscript = (
  { model, language, timing }: EngineInfo,
  decoder: DecoderName,
  segments: TranscriptSegment[],
): RecognitionTranscript => ({
  text: segments.map(({ text }) => text).join('\n'),
  model,
  decoder,
  language,
  timing,
  segments,
})

const toWordTimes = (phrases: RecognizedPiece[]): WordTimes[] =>
  phrases.map(({ words }) => words.map(({ start, end, confidence }) => [start, end, confidence]))

/**
 * Splits pieces into sentences and phrases, sorted by their start. Rounds times and confidences to hundredths.
 * @param seconds the length of the audio, which limits all times
 */
const splitIntoPhrases = (found: RecognizedPiece[], seconds: number): RecognizedPiece[] =>
  found
    .flatMap(({ channel, words }) =>
      splitWordsIntoPhrases(words).map((phrase) => ({
        channel,
        words: phrase.map((word) => roundWord(word, seconds)),
      })),
    )
    .toSorted(compareSpeechPiecesByTime)

/** Creates a segment for each phrase, with its text and mean confidence. */
export const phrasesToSegments = (phrases: RecognizedPiece[]): TranscriptSegment[] =>
  phrases.map(({ channel, words }) => {
    const [{ start }, { end }] = [words[0]!, words.at(-1)!]
    return { start, end, channel, text: joinWordTexts(words), confidence: computeMeanConfidence(words) }
  })

const roundWord = ({ start, end, confidence, ...rest }: RecognizedWord, seconds: number): RecognizedWord => ({
  ...rest,
  ...clampAudioSpan(start, end, seconds),
  confidence: confidence === null ? null : roundHundredths(confidence),
})

const roundHundredths = (value: number) => Math.round(value * 100) / 100

/**
 * Returns the mean probability of all tokens, or the mean confidence of the words if the engine returns no tokens. Returns null if
 * a word has no confidence.
 */
function computeMeanConfidence(words: RecognizedWord[]): number | null {
  if (words.some(({ confidence }) => confidence === null)) return null
  const known = words.flatMap(({ confidence, tokens }) => tokens ?? [confidence!])
  return roundHundredths(known.reduce((sum, one) => sum + one, 0) / known.length)
}
