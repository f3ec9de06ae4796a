import { clampAudioSpan, roundSeconds } from '../platform/lib/time-span.ts'
import { decodeAudio, MAX_AUDIO_SECONDS, measureAudio, countOutputChannels } from './audio.ts'
import { ChannelLoudnessStats } from './channel-stats.ts'
import type {
  DecoderName,
  RecognizedWord,
  RecognitionProgress,
  RecognitionResult,
  TranscriptSegment,
  RecognitionTask,
} from './contract.ts'
import { compareSpeechPiecesByTime, type Engine, type EngineInfo, type SpeechPiece } from './engines/engine.ts'
import { scalePeaksToPercentages, PeakCollector } from './peaks.ts'
import { splitWordsIntoPhrases, joinWordTexts } from './phrases.ts'
import { probeAudioFile } from './probe.ts'

/** Returns true if the decoded length exceeds the length in the header by more than headers are usually wrong. */
const exceedsHeaderLength = (decoded: number, total: number) => decoded > total * 1.05 + 30

/**
 * Transcribes a file. The memory grows only with the length of the text.
 * @throws RecognitionError if the file cannot be recognized, or the reason of an aborted `signal`
 */
export async function transcribeAudioFile(
  engine: Engine,
  { file, decoder }: RecognitionTask,
  onProgress: (progress: RecognitionProgress) => void,
  signal: AbortSignal,
): Promise<RecognitionResult> {
  const { sampleRate } = engine
  const header = await probeAudioFile(file, signal)
  // Measure stereo files to compare the channels. Measure other files if the header has no length or an implausible one.
  const mustMeasure = header.channels === 2 || !((header.durationSeconds ?? Infinity) <= MAX_AUDIO_SECONDS)
  let measured = mustMeasure ? await measureAudio(file, header, signal) : undefined
  let total = measured?.durationSeconds ?? header.durationSeconds ?? 0

  const sources = measured?.channels ?? [0]
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
      // A window is found after its start was reported as processed, so limit the progress to never decrease.
      processedSeconds = Math.max(processedSeconds, roundSeconds(Math.min(decoded, unreadFrom)))
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
  const { transcript, words } = assembleTranscript(engine.info, decoder, splitIntoPhrases(pieces, durationSeconds))
  const audio = stats.summarize(sumSpeechSeconds(transcript.segments, sources.length), sources)
  return { transcript, words, durationSeconds, peaks: scalePeaksToPercentages(peaks), audio }
}

const sumSpeechSeconds = (segments: TranscriptSegment[], channels: number): number[] =>
  Array.from({ length: channels }, (_, number) =>
    segments.reduce((sum, { start, end, channel }) => sum + (channel === number ? end - start : 0), 0),
  )

function extractChannel(samples: Int16Array, channel: number): Int16Array {
  const one = new Int16Array(samples.length / 2)
  for (let i = 0; i < one.length; i++) one[i] = samples[2 * i + channel]!
  return one
}

function assembleTranscript(
  { model, language, timing }: EngineInfo,
  decoder: DecoderName,
  phrases: SpeechPiece[],
): Pick<RecognitionResult, 'transcript' | 'words'> {
  const segments = phrasesToSegments(phrases)
  const text = segments.map((segment) => segment.text).join('\n')
  return {
    transcript: { text, model, decoder, language, timing, segments },
    words: phrases.map(({ words }) => words.map(({ start, end, confidence }) => [start, end, confidence])),
  }
}

/**
 * Splits pieces into sentences and phrases, sorted by their start.
 * @param seconds the length of the audio, which limits all times
 */
const splitIntoPhrases = (found: SpeechPiece[], seconds: number): SpeechPiece[] =>
  found
    .flatMap(({ channel, words }) =>
      splitWordsIntoPhrases(words).map((phrase) => ({
        channel,
        words: phrase.map((word) => roundWord(word, seconds)),
      })),
    )
    .toSorted(compareSpeechPiecesByTime)

/** Creates a segment for each phrase, with its text and mean confidence. */
export const phrasesToSegments = (phrases: SpeechPiece[]): TranscriptSegment[] =>
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

/** Returns the mean probability of all tokens, or of the words if the engine returns no tokens. */
function computeMeanConfidence(words: RecognizedWord[]): number | null {
  if (words.some(({ confidence }) => confidence === null)) return null
  const known = words.flatMap(({ confidence, tokens }) => tokens ?? [confidence!])
  return roundHundredths(known.reduce((sum, one) => sum + one, 0) / known.length)
}
