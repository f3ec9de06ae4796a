import type { CommentJson } from '../../work/comments/schema.ts'

/** A first comment and its replies, oldest first. `at` is the moment of the first comment in seconds. */
export interface CommentThread {
  id: string
  at: number
  comments: CommentJson[]
}

/** Groups the comments of the API, which lists each thread from its first comment. */
export function groupIntoThreads(comments: CommentJson[]): CommentThread[] {
  const threads = new Map<string, CommentThread>()
  for (const comment of comments) {
    const id = comment.replyTo ?? comment.id
    const thread = threads.get(id)
    if (thread) thread.comments.push(comment)
    else threads.set(id, { id, at: comment.at, comments: [comment] })
  }
  return [...threads.values()]
}

/** A written moment is rounded down to a tenth of a second, which can be just before the turn that it means. */
const ROUNDING_SECONDS = 0.1

/** Returns the first row of the turn that contains a moment; 0 without turns. */
export function findTurnRow(segments: { start: number }[], turns: { from: number }[], at: number): number {
  const turn = turns.findLast(({ from }) => segments[from]!.start <= at + ROUNDING_SECONDS)
  return (turn ?? turns[0])?.from ?? 0
}

/** Limits the size of a page. A comment counts its characters and MARKUP_CHARACTERS. */
const MAX_SHOWN_CHARACTERS = 8_000
const MARKUP_CHARACTERS = 300

/** Returns the ids of the threads to show as one line each, because earlier ones fill the page. @param shownId never folded */
export function findFoldedThreads(threads: CommentThread[], shownId: string | undefined): Set<string> {
  const shownFirst = threads.toSorted((a, b) => Number(b.id === shownId) - Number(a.id === shownId))
  let characters = 0
  const folded = shownFirst.filter(({ id, comments }) => {
    const size = comments.reduce((sum, { text }) => sum + text.length + MARKUP_CHARACTERS, 0)
    if (id !== shownId && characters + size > MAX_SHOWN_CHARACTERS) return true
    characters += size
    return false
  })
  return new Set(folded.map(({ id }) => id))
}

interface TextPiece {
  text: string
  isMention: boolean
}

/** Splits a text at the names that follow an @. Of names that begin alike, the longest one counts. */
export function splitAtMentions(text: string, names: string[]): TextPiece[] {
  const longestFirst = names.toSorted((a, b) => b.length - a.length)
  const pieces: TextPiece[] = []
  let from = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', Math.max(from, at + 1))) {
    const name = longestFirst.find((one) => text.startsWith(one, at + 1))
    if (name === undefined) continue
    pieces.push({ text: text.slice(from, at), isMention: false }, { text: `@${name}`, isMention: true })
    from = at + 1 + name.length
  }
  pieces.push({ text: text.slice(from), isMention: false })
  return pieces.filter(({ text }) => text !== '')
}

/** Dots closer than this share of the waveform are one dot, so that each can be hit, in percent. */
const DOT_DISTANCE_PERCENT = 4

/** Joins threads whose dots would overlap on the waveform. `x` is the position in percent. */
export function placeDots(
  threads: CommentThread[],
  durationSeconds: number,
): { x: number; threads: CommentThread[] }[] {
  const dots: { x: number; threads: CommentThread[] }[] = []
  for (const thread of threads) {
    const x = Math.min(100, Math.round((1000 * thread.at) / durationSeconds) / 10)
    const last = dots.at(-1)
    if (last && x - last.x < DOT_DISTANCE_PERCENT) last.threads.push(thread)
    else dots.push({ x, threads: [thread] })
  }
  return dots
}
