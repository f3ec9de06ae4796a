import { CALIBRATION_VERDICTS, type CalibrationVerdict } from './values.ts'

/** The verdicts on one rule of one call, by the id of the person. */
export type VerdictsByPerson = ReadonlyMap<string, CalibrationVerdict>
/** The ids of two people. */
export type PersonPair = readonly [string, string]

export interface Agreement {
  /** The number of rules of calls that both people judged. */
  compared: number
  /** Of these, those with the same verdict. */
  agreed: number
}

/** Returns all pairs of people in their order. */
export const listPairs = (people: readonly string[]): PersonPair[] =>
  people.flatMap((first, n) => people.slice(n + 1).map((second): PersonPair => [first, second]))

type VerdictPair = [CalibrationVerdict, CalibrationVerdict]

function collectVerdictPairs(judged: readonly VerdictsByPerson[], [first, second]: PersonPair): VerdictPair[] {
  return judged.flatMap((verdicts): VerdictPair[] => {
    const [a, b] = [verdicts.get(first), verdicts.get(second)]
    return a && b ? [[a, b]] : []
  })
}

/** Counts how often a pair gave the same verdict. */
export function countAgreement(judged: readonly VerdictsByPerson[], pair: PersonPair): Agreement {
  const verdicts = collectVerdictPairs(judged, pair)
  return { compared: verdicts.length, agreed: verdicts.filter(([a, b]) => a === b).length }
}

/**
 * Calculates Cohen's kappa of a pair: the agreement beyond what chance would give, at most 1.
 * https://en.wikipedia.org/wiki/Cohen%27s_kappa
 * @returns null if the pair compared nothing, or if both always gave the same single verdict
 */
export function calculateKappa(judged: readonly VerdictsByPerson[], pair: PersonPair): number | null {
  const verdicts = collectVerdictPairs(judged, pair)
  const total = verdicts.length
  if (total === 0) return null
  const byChance = CALIBRATION_VERDICTS.reduce((sum, verdict) => {
    const first = verdicts.filter(([a]) => a === verdict).length
    const second = verdicts.filter(([, b]) => b === verdict).length
    return sum + (first * second) / total ** 2
  }, 0)
  if (byChance === 1) return null
  const observed = verdicts.filter(([a, b]) => a === b).length / total
  return (observed - byChance) / (1 - byChance)
}
