import type { Core } from '../../platform/core.ts'

/** What a process has seen of the portal. */
interface Tally {
  /** Comments that it took. */
  taken: number
  /** Of those lost last: how many it had taken then, and how often in a row each was lost. */
  lost: Map<string, { takenBefore: number; times: number }>
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
 * The answer to a comment is missing, or an error that may pass. @returns how often in a row, and whether it is the comment's
 * own: the portal has taken others since it was lost before. A portal that is away takes none.
 */
export function noteLost(core: Core, id: string): { times: number; isOwn: boolean } {
  const { taken, lost } = tallyOf(core)
  const before = lost.get(id)
  const times = (before?.times ?? 0) + 1
  lost.set(id, { takenBefore: taken, times })
  return { times, isOwn: before !== undefined && taken > before.takenBefore }
}
