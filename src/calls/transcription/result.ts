/** What a recognizer's result may hold beside the text: each part is taken where it is as it should be, else left out. */
import type { AudioFacts } from '../recordings/entity.ts'
import { TIMINGS, type Segment, type Timing, type WordTimes } from '../transcripts/entity.ts'

/** Peaks of a channel that are taken; the recognizer sends about half as many. */
const MOST_PEAKS = 2000

const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0
const isConfidence = (value: unknown) => value === null || (isNumber(value) && value <= 1)
const isListOf = (value: unknown, length: number, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length === length && value.every(isOne)

/** The loudest moments of one or two channels, 0 to 100. */
export function peaksOf(peaks: unknown): number[][] | undefined {
  const isPeak = (peak: unknown) => Number.isInteger(peak) && (peak as number) >= 0 && (peak as number) <= 100
  const isChannel = (list: unknown) => Array.isArray(list) && list.length <= MOST_PEAKS && list.every(isPeak)
  const isRight = Array.isArray(peaks) && (peaks.length === 1 || peaks.length === 2) && peaks.every(isChannel)
  return isRight ? (peaks as number[][]) : undefined
}

/** The segments with nothing but what is stored of them. */
export const segmentsOf = (segments: Segment[]): Segment[] =>
  segments.map(({ start, end, channel, text, confidence }) => {
    return { start, end, channel, text, confidence: isConfidence(confidence) ? (confidence ?? null) : null }
  })

export const timingOf = (timing: unknown): Timing | null => TIMINGS.find((known) => known === timing) ?? null

/** Times of words, if there are some for every word of every segment. */
export function wordsOf(words: unknown, segments: Segment[]): WordTimes[] | undefined {
  const isWord = (word: unknown) => {
    if (!Array.isArray(word) || word.length !== 3) return false
    return isNumber(word[0]) && isNumber(word[1]) && isConfidence(word[2])
  }
  const fits = (list: unknown, index: number) => isListOf(list, segments[index]!.text.split(' ').length, isWord)
  const isRight = Array.isArray(words) && words.length === segments.length && words.every(fits)
  return isRight ? (words as WordTimes[]) : undefined
}

export function audioFactsOf(audio: unknown): AudioFacts | undefined {
  const { channels, speechSeconds, silent, identical, clipped } = (audio ?? {}) as Partial<AudioFacts>
  if (channels !== 1 && channels !== 2) return undefined
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  const isRight =
    isListOf(speechSeconds, channels, isNumber) &&
    isListOf(silent, channels, isBoolean) &&
    isBoolean(identical) &&
    isBoolean(clipped)
  return isRight ? ({ channels, speechSeconds, silent, identical, clipped } as AudioFacts) : undefined
}
