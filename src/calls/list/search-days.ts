import type { Sql } from '../../platform/db/sql.ts'
import type { Day } from './counts.ts'
import type { Selection } from './selection.ts'

/** Calls of the first step at least: enough for a word of every second call. */
const FIRST_STEP = 2500
/** The maximum number of days in a step: each of them is part of the statement. */
const MAX_DAYS = 2000
/** A step that finds too little costs another statement, so each is somewhat larger than needed. */
const FIRST_MARGIN = 1.2
const MARGIN = 1.1
const MAX_GROWTH = 8
/** If the remaining calls are at most this multiple of the next step's, the step reads all of them. */
const SMALL_REST = 1.5

/** The maximum number of results. */
export const MAX_RESULTS = 2000

/** The scope of a search: a selection, and the days on which it has calls. */
export interface SearchScope {
  sql: Sql
  among: Selection
  days: Day[]
}

/** Consecutive days, newest first. */
export interface Step {
  days: Day[]
  /** The nearest days with calls that are not in the step. */
  newer: number | undefined
  older: number | undefined
  /** Whether no day remains after it, so the statement need not name its days. */
  isRest: boolean
}

/** When a scan can stop. */
interface ScanBudget {
  /** Matches to scan … */
  matches: number
  /** … and results among them: matches within the filters. */
  results: number
  /** The expected share of calls that match. */
  expectedShare: number
  /** Whether a step can read all remaining days at once. */
  canReadRest: boolean
}

/** Scans the newest days first until the budget is used: a frequent word needs few, a rare one is found on any day. */
export async function scanDaysBackward(
  days: Day[],
  { matches, results, expectedShare, canReadRest }: ScanBudget,
  scan: (step: Step) => Promise<{ matches: number; results: number }>,
): Promise<void> {
  const left = [...days]
  const seen = { calls: 0, matches: 0, results: 0 }
  let newer: number | undefined
  let rest = countCalls(left)
  let wanted = Math.max(FIRST_STEP, expectedShare < 1 ? (FIRST_MARGIN * matches) / expectedShare : matches)
  while (left.length > 0 && (seen.matches < matches || seen.results < results)) {
    // The calls still to scan, if older days are like the newer ones.
    const missing = Math.max(
      ((matches - seen.matches) * seen.calls) / (seen.matches + 1),
      ((results - seen.results) * seen.calls) / (seen.results + 1),
    )
    const isRest = canReadRest && (seen.calls < FIRST_STEP ? rest <= SMALL_REST * wanted : missing >= rest)
    if (seen.calls > 0) wanted = Math.min(MARGIN * missing, MAX_GROWTH * seen.calls)
    const taken = takeDays(left, wanted, isRest)
    const found = await scan({ days: taken, newer, older: left[0]?.day, isRest })
    newer = taken.at(-1)!.day
    const calls = countCalls(taken)
    rest -= calls
    seen.calls += calls
    seen.matches += found.matches
    seen.results += found.results
  }
}

const countCalls = (days: Day[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Such steps end at a multiple of ten days, see daysQuery(). */
const MANY_DAYS = 15
const tenOf = (day: number): number => Math.floor(day / 10)

/** Removes days from the front with about so many calls, or all of them. */
function takeDays(days: Day[], calls: number, all: boolean): Day[] {
  if (all) return days.splice(0)
  let n = 1
  for (let sum = days[0]!.calls; n < Math.min(days.length, MAX_DAYS) && sum < calls; n++) sum += days[n]!.calls
  while (n >= MANY_DAYS && n < days.length && tenOf(days[n - 1]!.day) === tenOf(days[n]!.day)) n++
  return days.splice(0, n)
}

/** A day in the indexes of words, as a tsquery. */
export const dayWord = (day: number): string => `'\u0001${day}'`

/** Since May 1997 numbers of days have five digits. A shorter prefix than four digits would match others too. */
const FIRST_OF_FIVE_DIGITS = 10_000

/**
 * The days of a step as a tsquery. The index compares each row with each word of it, so ten days that only this step has
 * become a single prefix. That takes 150 ms instead of 500 for 120 days.
 */
export function daysQuery({ days, newer, older }: Step): string {
  const isWhole = (ten: number) =>
    ten * 10 >= FIRST_OF_FIVE_DIGITS &&
    (newer === undefined || tenOf(newer) > ten) &&
    (older === undefined || tenOf(older) < ten)
  const words = days.map(({ day }) => (isWhole(tenOf(day)) ? `${dayWord(tenOf(day))}:*` : dayWord(day)))
  return [...new Set(words)].join(' | ')
}
