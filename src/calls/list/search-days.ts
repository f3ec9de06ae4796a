import { where, type Where } from '../../platform/lib/where.ts'
import type { Day } from './counts.ts'
import { RANGES } from './selection.ts'

/** How many calls the first step looks at: enough for a word of every second call. */
const FIRST_STEP = 2500
/** At most so many days are asked for in one statement. */
const MAX_DAYS = 2000

/** A step of at least so many days ends where a ten of their numbers does: coverDays needs fewer words then. */
const MANY_DAYS = 15
/** Days have numbers of five digits since May 1997. */
const SHORTEST_NUMBER = 10_000

/** So few calls are read at once: to name their days costs more than to read some too many. */
const SMALL = 1.5

/** Some days in a row, in descending order. */
export interface Step {
  days: Day[]
  /** The day of the step before, and the first of those after it. */
  above: number | undefined
  below: number | undefined
  /** Whether these are all days that are left, none of which need be named. */
  isRest: boolean
}

/** Each step covers so many times the days that it seems to need: one that falls short costs another whole query. */
const AHEAD = 1.2

/** When a walk through the days ends. */
export interface Enough {
  /** So many were looked at … */
  enough: number
  /** … and so many of them found. */
  least: number
  /** Which share of what is looked at is expected to be found, for the first step. */
  share: number
  /** Whether all days that are left may be read at once. */
  wholeRest: boolean
}

/**
 * Goes back through the days of the calls until there is enough, so that what is in every call costs some days and not a
 * whole index, and what is rare is found wherever it is.
 */
export async function walkDays(
  days: Day[],
  { enough, least, share, wholeRest }: Enough,
  find: (step: Step) => Promise<{ looked: number; found: number }>,
): Promise<void> {
  const left = [...days]
  let [looked, found, seen] = [0, 0, 0]
  let above: number | undefined
  let rest = callsOf(left)
  let wanted = Math.max(FIRST_STEP, share < 1 ? (AHEAD * enough) / share : enough)
  while (left.length > 0 && (looked < enough || found < least)) {
    // How many calls are still to be seen, as far as the days before tell.
    const missing = Math.max(((enough - looked) * seen) / (looked + 1), ((least - found) * seen) / (found + 1))
    const isRest = wholeRest && (seen >= FIRST_STEP ? missing >= rest : rest <= SMALL * wanted)
    if (seen > 0) wanted = Math.min(1.1 * missing, 8 * seen)
    const taken = takeDays(left, wanted, isRest)
    const came = await find({ days: taken, above, below: left[0]?.day, isRest })
    above = taken.at(-1)!.day
    const calls = callsOf(taken)
    looked += came.looked
    found += came.found
    seen += calls
    rest -= calls
  }
}

const callsOf = (days: Day[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Takes days from the front: about as many as hold `calls`, or all of them; many of them in whole tens. */
function takeDays(days: Day[], calls: number, all: boolean): Day[] {
  if (all) return days.splice(0)
  let n = 1
  for (let held = days[0]!.calls; n < Math.min(days.length, MAX_DAYS) && held < calls; n++) held += days[n]!.calls
  while (n >= MANY_DAYS && n < days.length && sameTen(days[n - 1]!, days[n]!)) n++
  return days.splice(0, n)
}

const sameTen = (a: Day, b: Day) => Math.floor(a.day / 10) === Math.floor(b.day / 10)

/** A day as the indexes of words hold it, as a tsquery. */
export const dayWord = (day: number): string => `'\u0001${day}'`

/** Any of these words, as a tsquery. */
export const anyOf = (words: string[]): string => words.join(' | ')

/**
 * The days of a step in as few words as can be: ten or a hundred days whose numbers begin alike are one beginning, where
 * no other step has one of them. Such a beginning means shorter numbers too, days before May 1997: their calls may be
 * found twice.
 */
export function coverDays({ days, above, below }: Step): string[] {
  const isWhole = (group: number, size: number) =>
    group * size >= SHORTEST_NUMBER &&
    (above === undefined || Math.floor(above / size) > group) &&
    (below === undefined || Math.floor(below / size) < group)
  const words = days.map(({ day }) => {
    const size = [100, 10].find((size) => isWhole(Math.floor(day / size), size))
    return size ? `${dayWord(Math.floor(day / size))}:*` : dayWord(day)
  })
  return [...new Set(words)]
}

/** From the first moment of the last day to the last of the first: days come in descending order. */
export function dayCondition(days: Day[]): Where {
  const at = (day: number) => new Date(day * RANGES.call.width)
  return where(['r.call_at >= ?', at(days.at(-1)!.day)], ['r.call_at < ?', at(days[0]!.day + 1)])
}
