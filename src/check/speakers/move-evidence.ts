import { createEvidence } from '../rules/tokenize.ts'
import type { DialogueSegment, Evidence } from '../rules/types.ts'

/** A part of an earlier segment that is a segment now: its index now, and its position in the earlier text. */
interface Piece {
  segment: number
  from: number
  to: number
}

/** Returns quotes with positions in the new segments after earlier segments were cut. A quote across a cut becomes several. */
export function moveEvidence(evidence: Evidence[], before: DialogueSegment[], after: DialogueSegment[]): Evidence[] {
  const pieces = findPieces(before, after)
  return evidence.flatMap(({ segment, from, to, side }) =>
    (pieces[segment] ?? []).flatMap((piece) => {
      const first = Math.max(from, piece.from)
      const last = Math.min(to, piece.to)
      if (first >= last) return []
      const owner = after[piece.segment]!
      return createEvidence(owner, piece.segment, first - piece.from, last - piece.from, side)
    }),
  )
}

/** Returns the pieces of each earlier segment. Segments are cut at spaces, and stay in order. */
function findPieces(before: DialogueSegment[], after: DialogueSegment[]): Piece[][] {
  let next = 0
  return before.map(({ text }) => {
    const pieces: Piece[] = []
    let from = 0
    while (from <= text.length && next < after.length) {
      const to = from + after[next]!.text.length
      pieces.push({ segment: next, from, to })
      next++
      from = to + 1
    }
    return pieces
  })
}
