import type { Segment } from './entity.ts'

/** What subtitles keep to: nobody reads faster, or more at once. */
const LEAST_SECONDS = 1
const MOST_SECONDS = 7
const LINE_LETTERS = 42
const MOST_LETTERS = 2 * LINE_LETTERS

/**
 * The cues of subtitles: each stays for a second at least, as far as the same voice leaves it; what is said faster
 * stands in one cue with what follows it.
 */
export function cuesOf(segments: Segment[]): Segment[] {
  const cues: Segment[] = []
  const latest = new Map<number, Segment>()
  for (const segment of segments) {
    const last = latest.get(segment.channel)
    if (last && segment.start - last.start < LEAST_SECONDS && fitsBehind(last, segment)) {
      last.text += ` ${segment.text}`
      last.end = Math.max(last.end, segment.end)
      continue
    }
    if (last) last.end = Math.max(last.end, Math.min(last.start + LEAST_SECONDS, segment.start))
    const cue = { ...segment }
    latest.set(segment.channel, cue)
    cues.push(cue)
  }
  for (const cue of latest.values()) cue.end = Math.max(cue.end, cue.start + LEAST_SECONDS)
  return cues
}

const fitsBehind = (cue: Segment, segment: Segment): boolean =>
  `${cue.text} ${segment.text}`.length <= MOST_LETTERS && segment.end - cue.start <= MOST_SECONDS

/** A text in lines of at most 42 letters, two of about the same length where two suffice; words stay whole. */
export function inLines(text: string): string {
  if (text.length <= LINE_LETTERS) return text
  const words = text.split(' ')
  const breaks = words
    .slice(1)
    .map((_, index) => [words.slice(0, index + 1).join(' '), words.slice(index + 1).join(' ')])
  const pairs = breaks.filter((pair) => pair.every((line) => line.length <= LINE_LETTERS))
  const uneven = ([first = '', second = '']: string[]) => Math.abs(first.length - second.length)
  const best = pairs.toSorted((a, b) => uneven(a) - uneven(b))[0]
  return (best ?? filled(words)).join('\n')
}

/** As many lines as it takes, each as full as it can be. */
function filled(words: string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = `${lines.at(-1) ?? ''} ${word}`.trim()
    if (lines.length > 0 && line.length <= LINE_LETTERS) lines[lines.length - 1] = line
    else lines.push(word)
  }
  return lines
}
