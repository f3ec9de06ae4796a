import type { Core } from '../../core.ts'

/** What a process has seen: how many comments the portal took, and how many it had taken when one was lost last. */
interface Tally {
  taken: number
  lost: Map<string, number>
}

const tallies = new WeakMap<Core, Tally>()

function tallyOf(core: Core): Tally {
  const tally = tallies.get(core) ?? { taken: 0, lost: new Map() }
  tallies.set(core, tally)
  return tally
}

/** A comment was taken, or has ended otherwise. */
export function noteTaken(core: Core, id: string): void {
  const tally = tallyOf(core)
  tally.taken++
  tally.lost.delete(id)
}

/**
 * The answer to a comment is missing, or an error that may pass. @returns whether it is the comment's own: the portal has
 * taken others since it was lost before. A portal that is away takes none.
 */
export function noteLost(core: Core, id: string): boolean {
  const { taken, lost } = tallyOf(core)
  const before = lost.get(id)
  lost.set(id, taken)
  return before !== undefined && taken > before
}
