import type { Parameters } from '../../platform/lib/where.ts'
import type { Day } from './counts.ts'

/** Calls of the first step at least: enough for a word of every second call. */
const FIRST_STEP = 2500
/** Days of a step at most: each of them is part of the statement. */
const MAX_DAYS = 2000
/** A step that falls short costs another statement, so each is some larger than it seems to need. */
const FIRST_MARGIN = 1.2
const MARGIN = 1.1
const MAX_GROWTH = 8
/** If the remaining calls are at most so many times those of the next step, it reads all of them. */
const SMALL_REST = 1.5

/** Consecutive days, the newest first. */
export interface Step {
  days: Day[]
  /** Whether no day is left after it: the statement need not name its days. */
  isRest: boolean
}

/** When a scan has enough. */
export interface ScanBudget {
  /** Matches to look at … */
  matches: number
  /** … and results among them: the matches that the filters choose. */
  results: number
  /** The share of the calls that is expected to match. */
  expectedShare: number
  /** Whether a step can read all remaining days at once. */
  canReadRest: boolean
}

/**
 * Scans the days of the calls, the newest first, until the budget is used. A word of every call costs some days instead
 * of a scan of the whole index, and a rare word is found on any day.
 */
export async function scanDaysBackward(
  days: Day[],
  { matches, results, expectedShare, canReadRest }: ScanBudget,
  scan: (step: Step) => Promise<{ matches: number; results: number }>,
): Promise<void> {
  const left = [...days]
  const seen = { calls: 0, matches: 0, results: 0 }
  let rest = countCalls(left)
  let wanted = Math.max(FIRST_STEP, expectedShare < 1 ? (FIRST_MARGIN * matches) / expectedShare : matches)
  while (left.length > 0 && (seen.matches < matches || seen.results < results)) {
    // The calls that are still to be seen, if older days are like those before.
    const missing = Math.max(
      ((matches - seen.matches) * seen.calls) / (seen.matches + 1),
      ((results - seen.results) * seen.calls) / (seen.results + 1),
    )
    const isRest = canReadRest && (seen.calls < FIRST_STEP ? rest <= SMALL_REST * wanted : missing >= rest)
    if (seen.calls > 0) wanted = Math.min(MARGIN * missing, MAX_GROWTH * seen.calls)
    const taken = takeDays(left, wanted, isRest)
    const found = await scan({ days: taken, isRest })
    const calls = countCalls(taken)
    rest -= calls
    seen.calls += calls
    seen.matches += found.matches
    seen.results += found.results
  }
}

const countCalls = (days: Day[]): number => days.reduce((sum, { calls }) => sum + calls, 0)

/** Removes days from the front that have about so many calls, or all of them. */
function takeDays(days: Day[], calls: number, all: boolean): Day[] {
  if (all) return days.splice(0)
  let n = 1
  for (let sum = days[0]!.calls; n < Math.min(days.length, MAX_DAYS) && sum < calls; n++) sum += days[n]!.calls
  return days.splice(0, n)
}

/** A day in the indexes of words, as a tsquery. */
const dayWord = ({ day }: Day): string => `'\u0001${day}'`

/**
 * A statement that runs `find` for each day of a step: the index would compare each row with all days of one tsquery
 * (20,000 matches on 80 days: 214 ms, 34 with a query for each day). But the index gathers the words of a prefix again
 * for each query: with a frequent one all days are in one query (0.7 s instead of 14).
 * @param find makes a statement of the tsquery of its days
 */
export function onDays(p: Parameters, { days }: Step, hasWidePrefix: boolean, find: (days: string) => string): string {
  const words = days.map(dayWord)
  if (hasWidePrefix) return find(`${p.add(words.join(' | '))}::tsquery`)
  return `SELECT found.* FROM unnest(${p.add(words)}::text[]) AS day CROSS JOIN LATERAL (${find('day::tsquery')}) AS found`
}
