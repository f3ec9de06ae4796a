import { where, type Where } from '../lib/where.ts'
import type { Day } from './counts.ts'
import { RANGES } from './selection.ts'

/** How many calls the first step looks at: enough for a word of every second call. */
const FIRST_STEP = 2500
/** At most so many days are asked for in one statement: each match is compared with all of them. */
const MAX_DAYS = 40

/** So few calls are read at once: to name their days costs more than to read some too many. */
const SMALL = 1.5

/** When a walk through the days ends. */
export interface Enough {
  /** So many were looked at … */
  enough: number
  /** … and so many of them found. */
  least: number
  /** Whether all days that are left may be read at once. */
  wholeRest: boolean
}

/**
 * Goes back through the days of the calls until there is enough, so that what is in every call costs some days and not a
 * whole index, and what is rare is found wherever it is.
 * @param find looks at some days; `isRest`: at all days that are left, none of which need be named
 */
export async function walkDays(
  days: Day[],
  { enough, least, wholeRest }: Enough,
  find: (days: Day[], isRest: boolean) => Promise<{ looked: number; found: number }>,
): Promise<void> {
  const left = [...days]
  let [looked, found, seen] = [0, 0, 0]
  let rest = callsOf(left)
  let wanted = Math.max(FIRST_STEP, enough)
  while (left.length > 0 && (looked < enough || found < least)) {
    // How many calls are still to be seen, as far as the days before tell.
    const missing = Math.max(((enough - looked) * seen) / (looked + 1), ((least - found) * seen) / (found + 1))
    const isRest = wholeRest && (seen >= FIRST_STEP ? missing >= rest : rest <= SMALL * enough)
    if (seen > 0) wanted = Math.min(1.1 * missing, 8 * seen)
    const step = takeDays(left, wanted, isRest)
    const came = await find(step, isRest)
    const calls = callsOf(step)
    looked += came.looked
    found += came.found
    seen += calls
    rest -= calls
  }
}

const callsOf = (days: Day[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Takes days from the front: about as many as hold `calls`, or all of them. */
function takeDays(days: Day[], calls: number, all: boolean): Day[] {
  if (all) return days.splice(0)
  let n = 1
  for (let held = days[0]!.calls; n < Math.min(days.length, MAX_DAYS) && held < calls; n++) held += days[n]!.calls
  return days.splice(0, n)
}

/** The days as the indexes of words hold them: any of them, as a tsquery. */
export const dayWords = (days: Day[]): string => days.map(({ day }) => `'\u0001${day}'`).join(' | ')

/** From the first moment of the last day to the last of the first: days come in descending order. */
export function dayCondition(days: Day[]): Where {
  const at = (day: number) => new Date(day * RANGES.call.width)
  return where(['r.call_at >= ?', at(days.at(-1)!.day)], ['r.call_at < ?', at(days[0]!.day + 1)])
}
