import type { Dialogue, Piece } from '../src/check/rules/types.ts'
import { dialogueOf, readJudged } from './check-quality.ts'

/** A call of so many words, made of the judged calls from one of them on. */
export function callOf(words: number, first = 0): Dialogue {
  const calls = readOnce()
  const turns: Piece[] = []
  let [left, at] = [words, 0]
  for (let index = first; left > 0; index++)
    for (const piece of calls[index % calls.length]!.segments) {
      if (left <= 0) break
      turns.push({ ...piece, start: at + piece.start, end: at + piece.end })
      left -= piece.text.split(' ').length
      at += 0.1
    }
  return { segments: turns, channels: 2, agentChannel: 0, direction: 'OUTBOUND', durationSeconds: words / 2.5 }
}

let read: Dialogue[] | undefined
/** The judged calls. */
export const readOnce = (): Dialogue[] => (read ??= readJudged().map(dialogueOf))
