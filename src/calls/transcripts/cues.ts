import { clampAudioSpan } from '../../platform/lib/time-span.ts'
import type { TranscriptSegment } from './entity.ts'

/** The usual limits of subtitles, so that people can read them. */
const MIN_CUE_SECONDS = 1
const MAX_CUE_SECONDS = 7
const MAX_LINE_CHARS = 42

interface Cue extends TranscriptSegment {
  lines: string
}

/**
 * Creates subtitle cues of at most two lines and seven seconds, in order of start. Splits a segment that is too long. If two cues
 * of a speaker start within a second, joins them, or delays the second one if both together do not fit.
 * @param seconds length of the call, or Infinity if unknown
 * @param formatSpeaker returns the prefix of the text of a cue, such as the name of the speaker
 */
export function createSubtitleCues(
  segments: TranscriptSegment[],
  seconds: number,
  formatSpeaker: (segment: TranscriptSegment) => string = () => '',
): Cue[] {
  const fits = ({ start, end, text }: TranscriptSegment, name: string) =>
    end - start <= MAX_CUE_SECONDS && wrapSubtitleLines(name + text).split('\n').length <= 2
  const cues: TranscriptSegment[] = []
  const latest = new Map<number, TranscriptSegment>()
  for (const whole of segments) {
    const name = formatSpeaker(whole)
    for (const part of splitSegment(whole, (some) => fits(some, name))) {
      const voice = part.speaker ?? part.channel
      const last = latest.get(voice)
      const joined = last && { ...last, text: `${last.text} ${part.text}`, end: Math.max(last.end, part.end) }
      if (joined && part.start - last.start < MIN_CUE_SECONDS && fits(joined, name)) {
        Object.assign(last, joined)
        continue
      }
      const cue = last ? delayCue(last, part) : { ...part }
      latest.set(voice, cue)
      cues.push(cue)
    }
  }
  for (const cue of latest.values()) cue.end = Math.max(cue.end, cue.start + MIN_CUE_SECONDS)
  const latestEnd = segments.reduce((latest, { end }) => Math.max(latest, end), seconds)
  return cues
    .map((cue) => ({
      ...cue,
      ...clampAudioSpan(cue.start, cue.end, latestEnd),
      lines: wrapSubtitleLines(formatSpeaker(cue) + cue.text),
    }))
    .toSorted((a, b) => a.start - b.start)
}

/** Returns `part` with a start at least a second after that of `last`. Ends `last` by then, in place. */
function delayCue(last: TranscriptSegment, part: TranscriptSegment): TranscriptSegment {
  const start = Math.max(part.start, last.start + MIN_CUE_SECONDS)
  last.end = Math.min(start, Math.max(last.end, last.start + MIN_CUE_SECONDS))
  return { ...part, start, end: Math.max(part.end, start) }
}

/** Splits a segment at spaces until each part fits or is one word. Times are proportional to the number of characters. */
function splitSegment(segment: TranscriptSegment, fits: (segment: TranscriptSegment) => boolean): TranscriptSegment[] {
  const { start, end, text } = segment
  const middle = findNearestSpace(text, text.length / 2)
  if (middle < 0 || fits(segment)) return [segment]
  const time = start + ((end - start) * middle) / text.length
  const [first, second] = [text.slice(0, middle), text.slice(middle + 1)]
  return [
    ...splitSegment({ ...segment, end: time, text: first }, fits),
    ...splitSegment({ ...segment, start: time, text: second }, fits),
  ]
}

/** Returns the position of the space nearest to `position`, or -1 if there is none. */
function findNearestSpace(text: string, position: number): number {
  const before = text.lastIndexOf(' ', position)
  const after = text.indexOf(' ', position)
  return after >= 0 && (before < 0 || after - position < position - before) ? after : before
}

/** Wraps text to lines of at most 42 characters, except for longer words. Two lines get about the same length. */
export function wrapSubtitleLines(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text
  const words = text.split(' ')
  if (text.length > 2 * MAX_LINE_CHARS + 1) return fillLines(words).join('\n')
  const breaks = words
    .slice(1)
    .map((_, index) => [words.slice(0, index + 1).join(' '), words.slice(index + 1).join(' ')])
  const pairs = breaks.filter((pair) => pair.every((line) => line.length <= MAX_LINE_CHARS))
  const lengthDifference = ([first = '', second = '']: string[]) => Math.abs(first.length - second.length)
  const best = pairs.toSorted((a, b) => lengthDifference(a) - lengthDifference(b))[0]
  return (best ?? fillLines(words)).join('\n')
}

/** Fills each line as far as possible before starting the next one. */
function fillLines(words: string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && line.length <= MAX_LINE_CHARS) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines
}
