import type { Sql } from '../../platform/db/sql.ts'
import type { DailyCallCount } from './counts.ts'
import type { RecordingSelection } from './selection.ts'

/** The minimum number of calls in the first step. */
const FIRST_STEP_CALLS = 2500
/** The maximum number of days in a step, because the statement names each of them. */
const MAX_STEP_DAYS = 2000
/** Each step is larger than expected to be necessary, because another step costs another statement. */
const FIRST_STEP_MARGIN = 1.2
const STEP_MARGIN = 1.1
const MAX_STEP_GROWTH = 8
/** The first step can read all calls if they are at most this multiple of the step's size. */
const MAX_REST_RATIO = 1.5

/** A search returns at most this many ids, the best matches, as the API description promises. */
export const MAX_SEARCH_RESULTS = 2000

/** A search within a selection. `days` are the days with calls in the time range of the selection. */
export interface CallSearchScope {
  sql: Sql
  among: RecordingSelection
  days: DailyCallCount[]
}

/** A step of a search over consecutive days, newest first. */
export interface SearchDayStep {
  days: DailyCallCount[]
  /** The nearest newer day of the scan before this step. `older` is the nearest day after the step. Undefined if there is none. */
  newer: number | undefined
  older: number | undefined
  /** True if the step reads all remaining days at once, so that its statement need not name them. */
  isRest: boolean
}

/** A scan stops when it has enough matches and enough results. */
interface ScanBudget {
  /** The scan continues until it has this many matches. */
  matches: number
  /** The scan also continues until this many matches pass the filters. */
  results: number
  /** The expected share of calls that match. */
  expectedShare: number
  /** True if a step can read all remaining days at once. */
  canReadRest: boolean
}

/**
 * Scans calls from the newest day back, in steps, until it has enough matches and results. A frequent word needs few days, and a
 * rare word is found on any day.
 */
export async function scanSearchDaysBackward(
  days: DailyCallCount[],
  { matches, results, expectedShare, canReadRest }: ScanBudget,
  scan: (step: SearchDayStep) => Promise<{ matches: number; results: number }>,
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
    // The estimated number of calls still to scan, if older days have the same share of matches.
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

const sumCalls = (days: DailyCallCount[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Steps of at least this many days end at a multiple of ten days, see formatDaysTsquery(). */
const MIN_ALIGNED_DAYS = 15
const tenOf = (day: number): number => Math.floor(day / 10)

/** Removes and returns days from the start of the list: those with about the first `calls` calls, or all if `all` is true. */
function takeDays(days: DailyCallCount[], calls: number, all: boolean): DailyCallCount[] {
  if (all) return days.splice(0)
  let n = 1
  for (let sum = days[0]!.calls; n < Math.min(days.length, MAX_STEP_DAYS) && sum < calls; n++) sum += days[n]!.calls
  while (n >= MIN_ALIGNED_DAYS && n < days.length && tenOf(days[n - 1]!.day) === tenOf(days[n]!.day)) n++
  return days.splice(0, n)
}

/** Formats a day as a term of a tsquery. The word indexes store the day of each call as a term. */
export const formatDaySearchTerm = (day: number): string => `'\u0001${day}'`

/** Day numbers have five digits since May 1997. For earlier days, a prefix of three digits would also match later days. */
const FIRST_FIVE_DIGIT_DAY = 10_000

/**
 * Formats the days of a step as a tsquery. The index compares each row with each term. So ten days that belong only to this step
 * become one prefix. This takes 150 ms instead of 500 ms for 120 days.
 */
export function formatDaysTsquery({ days, newer, older }: SearchDayStep): string {
  const isCompleteTen = (ten: number) =>
    ten * 10 >= FIRST_FIVE_DIGIT_DAY &&
    (newer === undefined || tenOf(newer) > ten) &&
    (older === undefined || tenOf(older) < ten)
  const words = days.map(({ day }) =>
    isCompleteTen(tenOf(day)) ? `${formatDaySearchTerm(tenOf(day))}:*` : formatDaySearchTerm(day),
  )
  return [...new Set(words)].join(' | ')
}
