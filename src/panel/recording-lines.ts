import type { ExcerptJson } from '../recordings/evidence-schema.ts'
import type { RecordingJson } from '../recordings/schema.ts'
import type { Language } from './i18n.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/** A piece of a line; `match` is the number of the match that it belongs to, from 1. */
interface Piece {
  text: string
  match: number | null
}

/** The rows of a transcript, with the matches of a search in them. */
export function linesOf({ segments }: Transcript, found: ExcerptJson | undefined, { words, format }: Language) {
  const two = segments.some(({ channel }) => channel > 0)
  // The text that was searched is the segments' texts, joined by line breaks.
  let at = 0
  return segments.map(({ start, end, channel, text }) => {
    const from = at
    at += text.length + 1
    return {
      start,
      end,
      time: format.length(start),
      channel: two ? { kind: `c${channel}`, name: words.recording.channelName(channel + 1) } : null,
      pieces: piecesOf(text, from, found?.matches ?? []),
    }
  })
}

/** A text that begins at `from` of the whole, in pieces. A match may go over the end of a line. */
function piecesOf(text: string, from: number, matches: [start: number, end: number][]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const [index, [start, end]] of matches.entries()) {
    const [first, last] = [Math.max(0, start - from), Math.min(text.length, end - from)]
    if (last <= first) continue
    pieces.push({ text: text.slice(at, first), match: null }, { text: text.slice(first, last), match: index + 1 })
    at = last
  }
  return [...pieces, { text: text.slice(at), match: null }].filter(({ text }) => text !== '')
}
