import type { Core } from '../../platform/core.ts'

/** What this process has seen of the portal. */
interface Tally {
  /** Comments that it took. */
  taken: number
  /** For each lost comment: the comments taken before, and its losses in a row. */
  lost: Map<string, { takenBefore: number; times: number }>
}

const tallies = new WeakMap<Core, Tally>()

function tallyOf(core: Core): Tally {
  const tally = tallies.get(core) ?? { taken: 0, lost: new Map() }
  tallies.set(core, tally)
  return tally
}

export function recordTaken(core: Core, id: string): void {
  const tally = tallyOf(core)
  tally.taken++
  tally.lost.delete(id)
}

/**
 * Records a missing response or a temporary error. @returns the losses of the comment in a row, and whether they are its own:
 * the portal has taken others since its last loss
 */
export function recordLoss(core: Core, id: string): { times: number; isOwn: boolean } {
  const { taken, lost } = tallyOf(core)
  const before = lost.get(id)
  const times = (before?.times ?? 0) + 1
  lost.set(id, { takenBefore: taken, times })
  return { times, isOwn: before !== undefined && taken > before.takenBefore }
}
