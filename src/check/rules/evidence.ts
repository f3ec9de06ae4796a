import type { Match } from './find.ts'
import { momentOf } from './talk.ts'
import type { Dialogue, Evidence } from './types.ts'

/** Quotes kept of one finding: more nobody looks at, and a text of one word repeated has too many. */
const QUOTES = 10

/** When a match is spoken, in seconds. */
export function timesOf({ segments }: Dialogue, { line, first, last }: Match): { start: number; end: number } {
  const [from, to] = [line.tokens[first]!, line.tokens[last]!]
  return { start: momentOf(segments[from.segment]!, from.from), end: momentOf(segments[to.segment]!, to.to) }
}

/** The quotes of matches: one of each segment that a match goes through. */
export const evidenceOf = (dialogue: Dialogue, matches: Match[]): Evidence[] =>
  matches
    .slice(0, QUOTES)
    .flatMap((match) => quotesOf(dialogue, match))
    .slice(0, QUOTES)

function quotesOf({ segments }: Dialogue, { line, first, last }: Match): Evidence[] {
  const quotes = new Map<number, Evidence>()
  for (const { segment, from, to } of line.tokens.slice(first, last + 1)) {
    const piece = segments[segment]!
    const begin = Math.min(from, quotes.get(segment)?.from ?? from)
    const end = Math.max(to, quotes.get(segment)?.to ?? to)
    quotes.set(segment, {
      segment,
      from: begin,
      to: end,
      quote: piece.text.slice(begin, end),
      start: momentOf(piece, begin),
      end: momentOf(piece, end),
      side: line.side,
    })
  }
  return [...quotes.values()]
}
