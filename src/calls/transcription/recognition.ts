import { SPEAKER_METHODS, type AudioProperties, type CallSpeakers } from '../recordings/entity.ts'
import {
  TIMING_PRECISIONS,
  type TranscriptSegment,
  type TimingPrecision,
  type SegmentWordTimes,
} from '../transcripts/entity.ts'

interface RecognizedTranscript {
  text: string
  model: string
  decoder: string
  language: string
  timing: TimingPrecision | null
  segments: TranscriptSegment[]
}

type Speakers = Pick<CallSpeakers, 'method' | 'confidence'>

/** The result of the recognizer for one file. */
export interface RecognizerResult {
  transcript: RecognizedTranscript
  durationSeconds: number
  /** The peaks of each channel, 0 to 100, where 100 is the loudest peak of all channels. */
  peaks?: number[][] | undefined
  /** The times of the words of each segment, in the order of `transcript.segments`. */
  words?: SegmentWordTimes[] | undefined
  audio?: AudioProperties | undefined
  speakers?: Speakers | undefined
}

/** The segments of a transcript with the speakers that the recognizer found. */
export interface Separation {
  segments: TranscriptSegment[]
  words: SegmentWordTimes[]
  speakers: Speakers
  audio?: AudioProperties | undefined
}

/** Removes invalid optional parts of a result, because the transcript is useful without them. */
export function sanitizeRecognizerResult({
  transcript,
  durationSeconds,
  peaks,
  words,
  audio,
  speakers,
}: RecognizerResult): RecognizerResult {
  const segments = sanitizeSegments(transcript.segments)
  return {
    transcript: { ...transcript, timing: parseTiming(transcript.timing), segments },
    durationSeconds,
    peaks: parsePeaks(peaks),
    words: parseWordTimes(words, segments),
    audio: parseAudioProperties(audio),
    speakers: parseSpeakers(speakers),
  }
}

/** Parses a response of /separate. Returns undefined if its word times or its speakers are invalid. */
export function parseSeparation({ segments, words, speakers, audio }: Separation): Separation | undefined {
  const parsed = sanitizeSegments(segments)
  const times = parseWordTimes(words, parsed)
  const method = parseSpeakers(speakers)
  return times && method && { segments: parsed, words: times, speakers: method, audio: parseAudioProperties(audio) }
}

/** The maximum number of peaks per channel. Our recognizer sends at most 1,000. */
const MAX_PEAKS = 2000

const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isConfidence = (value: unknown) => value === null || (isNumber(value) && value <= 1)
const isListOf = (value: unknown, length: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(isOne)

/** Parses the peaks of one or two channels. Returns undefined unless all are integers from 0 to 100. */
function parsePeaks(peaks: unknown): number[][] | undefined {
  const isPeak = (peak: unknown) => Number.isInteger(peak) && (peak as number) >= 0 && (peak as number) <= 100
  const isChannel = (list: unknown) => Array.isArray(list) && list.length <= MAX_PEAKS && list.every(isPeak)
  const isValid = Array.isArray(peaks) && (peaks.length === 1 || peaks.length === 2) && peaks.every(isChannel)
  return isValid ? (peaks as number[][]) : undefined
}

/** Returns the segments with only the stored fields. An invalid confidence becomes null. */
export const sanitizeSegments = (segments: TranscriptSegment[]): TranscriptSegment[] =>
  segments.map(({ start, end, channel, text, confidence, speaker, speakerConfidence }) => ({
    start,
    end,
    channel,
    text,
    confidence: isConfidence(confidence) ? (confidence ?? null) : null,
    ...([0, 1, null].includes(speaker!) && {
      speaker,
      speakerConfidence: isConfidence(speakerConfidence) ? (speakerConfidence ?? null) : null,
    }),
  }))

function parseSpeakers(speakers: unknown): Speakers | undefined {
  const { method, confidence } = (speakers ?? {}) as Partial<Speakers>
  const isValid = SPEAKER_METHODS.includes(method!) && isConfidence(confidence)
  return isValid ? { method: method!, confidence: confidence ?? null } : undefined
}

const parseTiming = (timing: unknown): TimingPrecision | null =>
  TIMING_PRECISIONS.find((known) => known === timing) ?? null

/** Parses the times of words. Returns undefined unless every word of every segment has a time. */
function parseWordTimes(words: unknown, segments: TranscriptSegment[]): SegmentWordTimes[] | undefined {
  const isWord = (word: unknown) => {
    if (!Array.isArray(word) || word.length !== 3) return false
    return isNumber(word[0]) && isNumber(word[1]) && isConfidence(word[2])
  }
  const hasAllWords = (list: unknown, index: number) => isListOf(list, segments[index]!.text.split(' ').length, isWord)
  const isValid = Array.isArray(words) && words.length === segments.length && words.every(hasAllWords)
  return isValid ? (words as SegmentWordTimes[]) : undefined
}

function parseAudioProperties(audio: unknown): AudioProperties | undefined {
  const { channels, speechSeconds, silent, identical, clipped } = (audio ?? {}) as Partial<AudioProperties>
  if (channels !== 1 && channels !== 2) return undefined
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  const isValid =
    isListOf(speechSeconds, channels, isNumber) &&
    isListOf(silent, channels, isBoolean) &&
    isBoolean(identical) &&
    isBoolean(clipped)
  return isValid ? ({ channels, speechSeconds, silent, identical, clipped } as AudioProperties) : undefined
}
