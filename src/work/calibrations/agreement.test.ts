import { expect } from 'chai'
import { calculateKappa, countAgreement, listPairs, type VerdictsByPerson } from './agreement.ts'
import type { CalibrationVerdict } from './values.ts'

const PAIR = ['anna', 'bert'] as const

/** Repeats a pair of verdicts; null for a rule that a person has not judged. */
const repeat = (n: number, anna: CalibrationVerdict | null, bert: CalibrationVerdict | null): VerdictsByPerson[] =>
  Array.from({ length: n }, () => {
    const verdicts: [string, CalibrationVerdict | null][] = [
      ['anna', anna],
      ['bert', bert],
    ]
    return new Map(verdicts.filter((one): one is [string, CalibrationVerdict] => one[1] !== null))
  })

describe('the agreement of two people', () => {
  it('counts equal verdicts among the rules that both judged', () => {
    const judged = [
      ...repeat(3, 'met', 'met'),
      ...repeat(2, 'met', 'missed'),
      ...repeat(1, 'not_applicable', 'not_applicable'),
      ...repeat(4, 'met', null),
    ]
    expect(countAgreement(judged, PAIR)).to.deep.equal({ compared: 6, agreed: 4 })
  })

  it('calculates kappa as in the worked example of two readers of 50 applications', () => {
    const judged = [
      ...repeat(20, 'met', 'met'),
      ...repeat(5, 'met', 'missed'),
      ...repeat(10, 'missed', 'met'),
      ...repeat(15, 'missed', 'missed'),
    ]
    // Observed 35/50 = 0.7, by chance 0.5 × 0.6 + 0.5 × 0.4 = 0.5, so kappa is 0.2 / 0.5.
    expect(calculateKappa(judged, PAIR)).to.be.closeTo(0.4, 1e-9)
  })

  it('has no kappa without verdicts or if both always gave the same verdict', () => {
    expect(calculateKappa([], PAIR)).to.equal(null)
    expect(calculateKappa(repeat(5, 'met', null), PAIR)).to.equal(null)
    expect(calculateKappa(repeat(5, 'met', 'met'), PAIR)).to.equal(null)
    expect(calculateKappa(repeat(5, 'met', 'missed'), PAIR)).to.equal(0)
  })

  it('compares everybody with everybody once', () => {
    expect(listPairs(['a', 'b', 'c'])).to.deep.equal([
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'c'],
    ])
  })
})
