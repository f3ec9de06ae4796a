import { clampSpan } from '../../platform/lib/time-span.ts'
import type { Segment } from './entity.ts'

/** Limits of subtitles, by the reading speed of people. */
const MIN_CUE_SECONDS = 1
const MAX_CUE_SECONDS = 7
const MAX_LINE_CHARS = 42

interface Cue extends Segment {
  lines: string
}

/**
 * The cues of subtitles: two lines at most, each for at least a second. A cue that would be shorter is joined with the next
 * one of the same voice, or delays it. A segment that is too long for a cue is split.
 *
 * @param seconds the length of the call, Infinity if unknown
 * @param formatSpeaker the prefix of a text, such as the name of the speaker
 */
export function createCues(
  segments: Segment[],
  seconds: number,
  formatSpeaker: (segment: Segment) => string = () => '',
): Cue[] {
  const fits = ({ start, end, text }: Segment, name: string) =>
    end - start <= MAX_CUE_SECONDS && wrapLines(name + text).split('\n').length <= 2
  const cues: Segment[] = []
  const latest = new Map<number, Segment>()
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
      ...clampSpan(cue.start, cue.end, latestEnd),
      lines: wrapLines(formatSpeaker(cue) + cue.text),
    }))
    .toSorted((a, b) => a.start - b.start)
}

/** Begins a cue a second after the one before it, which ends then at the latest. */
function delayCue(last: Segment, part: Segment): Segment {
  const start = Math.max(part.start, last.start + MIN_CUE_SECONDS)
  last.end = Math.min(start, Math.max(last.end, last.start + MIN_CUE_SECONDS))
  return { ...part, start, end: Math.max(part.end, start) }
}

/** Halves a segment between two words until every part fits; times are proportional to letters. */
function splitSegment(segment: Segment, fits: (segment: Segment) => boolean): Segment[] {
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

/** -1 if there is no space. */
function findNearestSpace(text: string, position: number): number {
  const before = text.lastIndexOf(' ', position)
  const after = text.indexOf(' ', position)
  return after >= 0 && (before < 0 || after - position < position - before) ? after : before
}

/** Lines of at most 42 letters; two lines get about the same length. */
export function wrapLines(text: string): string {
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

/** Fills each line as far as possible. */
function fillLines(words: string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && line.length <= MAX_LINE_CHARS) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines
}
