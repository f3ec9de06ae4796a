import type { Sql } from '../../platform/db/sql.ts'
import type { DayCount } from './counts.ts'
import type { RecordingSelection } from './selection.ts'

/** Calls of the first step at least: enough for a word of every second call. */
const FIRST_STEP_CALLS = 2500
/** The maximum number of days in a step: each of them is part of the statement. */
const MAX_STEP_DAYS = 2000
/** A step that finds too little costs another statement, so each is somewhat larger than needed. */
const FIRST_STEP_MARGIN = 1.2
const STEP_MARGIN = 1.1
const MAX_STEP_GROWTH = 8
/** If the remaining calls are at most this multiple of the next step's, the step reads all of them. */
const MAX_REST_RATIO = 1.5

/** The maximum number of results. */
export const MAX_RESULTS = 2000

/** The scope of a search: a selection, and the days on which it has calls. */
export interface SearchScope {
  sql: Sql
  among: RecordingSelection
  days: DayCount[]
}

/** Consecutive days, newest first. */
export interface DayStep {
  days: DayCount[]
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
  days: DayCount[],
  { matches, results, expectedShare, canReadRest }: ScanBudget,
  scan: (step: DayStep) => Promise<{ matches: number; results: number }>,
): Promise<void> {
  const remainingDays = [...days]
  const scanned = { calls: 0, matches: 0, results: 0 }
  let newer: number | undefined
  let remainingCalls = sumCalls(remainingDays)
  let stepCalls = Math.max(
    FIRST_STEP_CALLS,
    expectedShare < 1 ? (FIRST_STEP_MARGIN * matches) / expectedShare : matches,
  )
  while (remainingDays.length > 0 && (scanned.matches < matches || scanned.results < results)) {
    // The calls still to scan, if older days are like the newer ones.
    const missingCalls = Math.max(
      ((matches - scanned.matches) * scanned.calls) / (scanned.matches + 1),
      ((results - scanned.results) * scanned.calls) / (scanned.results + 1),
    )
    const isRest =
      canReadRest &&
      (scanned.calls < FIRST_STEP_CALLS ? remainingCalls <= MAX_REST_RATIO * stepCalls : missingCalls >= remainingCalls)
    if (scanned.calls > 0) stepCalls = Math.min(STEP_MARGIN * missingCalls, MAX_STEP_GROWTH * scanned.calls)
    const stepDays = takeDays(remainingDays, stepCalls, isRest)
    const found = await scan({ days: stepDays, newer, older: remainingDays[0]?.day, isRest })
    newer = stepDays.at(-1)!.day
    const calls = sumCalls(stepDays)
    remainingCalls -= calls
    scanned.calls += calls
    scanned.matches += found.matches
    scanned.results += found.results
  }
}

const sumCalls = (days: DayCount[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Such steps end at a multiple of ten days, see formatDaysTsquery(). */
const MIN_ALIGNED_DAYS = 15
const tenOf = (day: number): number => Math.floor(day / 10)

/** Removes days from the front with about so many calls, or all of them. */
function takeDays(days: DayCount[], calls: number, all: boolean): DayCount[] {
  if (all) return days.splice(0)
  let n = 1
  for (let sum = days[0]!.calls; n < Math.min(days.length, MAX_STEP_DAYS) && sum < calls; n++) sum += days[n]!.calls
  while (n >= MIN_ALIGNED_DAYS && n < days.length && tenOf(days[n - 1]!.day) === tenOf(days[n]!.day)) n++
  return days.splice(0, n)
}

/** A day in the indexes of words, as a tsquery. */
export const formatDayTerm = (day: number): string => `'\u0001${day}'`

/** Since May 1997 numbers of days have five digits. A shorter prefix than four digits would match others too. */
const FIRST_FIVE_DIGIT_DAY = 10_000

/**
 * The days of a step as a tsquery. The index compares each row with each word of it, so ten days that only this step has
 * become a single prefix. That takes 150 ms instead of 500 for 120 days.
 */
export function formatDaysTsquery({ days, newer, older }: DayStep): string {
  const isCompleteTen = (ten: number) =>
    ten * 10 >= FIRST_FIVE_DIGIT_DAY &&
    (newer === undefined || tenOf(newer) > ten) &&
    (older === undefined || tenOf(older) < ten)
  const words = days.map(({ day }) =>
    isCompleteTen(tenOf(day)) ? `${formatDayTerm(tenOf(day))}:*` : formatDayTerm(day),
  )
  return [...new Set(words)].join(' | ')
}
