import { createEvidence } from '../rules/tokenize.ts'
import type { DialogueSegment, Evidence } from '../rules/types.ts'

/** The part of a segment that became a segment: its index now, and the place of its text before. */
interface Piece {
  segment: number
  from: number
  to: number
}

/** Moves quotes to the segments into which theirs were cut; a quote across a cut becomes several. */
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

/** The pieces of each segment. Segments are cut at spaces, and stay in order. */
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
