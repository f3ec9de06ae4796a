import { expect } from 'chai'
import { calculateCallScore } from './judge-call.ts'
import type { RuleSetBody, Verdict } from './types.ts'

/** The weights of the shipped rule set for incoming calls. */
const WEIGHTS: Record<string, number> = {
  greeting: 5,
  introduction: 8,
  'client-name': 5,
  needs: 18,
  value: 8,
  price: 8,
  'objection-handled': 15,
  'next-step': 18,
  contact: 4,
  goodbye: 3,
  listening: 3,
  politeness: 5,
}

const createSet = (weights: Record<string, number>, critical: string[] = [], mode: 'score' | 'label' = 'score') =>
  ({
    key: 'set',
    name: { en: 'Set', ru: 'Набор' },
    mode,
    rules: [...Object.entries(weights), ...critical.map((key) => [key, 0] as const)].map(([key, weight]) => ({
      key,
      weight,
      name: { en: key, ru: key },
      kind: 'said',
      critical: critical.includes(key),
    })),
  }) satisfies RuleSetBody

/** Creates verdicts of all rules: `met`, except the given ones. */
const createVerdicts = (rules: RuleSetBody, others: Record<string, Verdict> = {}) =>
  rules.rules.map(({ key }) => ({ rule: key, verdict: others[key] ?? 'met' }))

describe('call score', () => {
  const incoming = createSet(WEIGHTS, ['insults'])
  const example = {
    price: 'not_applicable',
    'objection-handled': 'not_applicable',
    contact: 'missed',
    listening: 'missed',
  } as const

  it('the score is met ÷ (met + missed): 70 of 77 points give 91', () => {
    expect(calculateCallScore(incoming, createVerdicts(incoming, example))).to.deep.equal({
      score: 91,
      scoreBeforeCritical: 91,
      coverage: 77,
    })
  })

  it('a missed critical rule makes the score 0; scoreBeforeCritical keeps the other', () => {
    const insulted = createVerdicts(incoming, { ...example, insults: 'missed' })
    expect(calculateCallScore(incoming, insulted)).to.deep.equal({ score: 0, scoreBeforeCritical: 91, coverage: 77 })
  })

  it('unknown verdicts reduce the coverage: three unknown rules leave 77 %', () => {
    const mono = createVerdicts(incoming, {
      'objection-handled': 'unknown',
      listening: 'unknown',
      politeness: 'unknown',
    })
    expect(calculateCallScore(incoming, mono)).to.deep.equal({ score: 100, scoreBeforeCritical: 100, coverage: 77 })
  })

  it('the score is null if less than half of the weight is judged', () => {
    const halves = createSet({ a: 50, b: 50 })
    expect(calculateCallScore(halves, createVerdicts(halves, { a: 'unknown' })).score).to.equal(100)
    const less = createSet({ a: 51, b: 49 })
    expect(calculateCallScore(less, createVerdicts(less, { a: 'unknown' }))).to.deep.equal({
      score: null,
      scoreBeforeCritical: null,
      coverage: 49,
    })
  })

  it('the coverage is rounded down, so 49.6 % gives no score', () => {
    const nearly = createSet({ a: 504, b: 496 })
    expect(calculateCallScore(nearly, createVerdicts(nearly, { a: 'unknown' }))).to.include({
      score: null,
      coverage: 49,
    })
    const tenths = createSet({ a: 0.1, b: 0.2, c: 0.3 })
    expect(calculateCallScore(tenths, createVerdicts(tenths, { c: 'unknown' }))).to.include({
      score: 100,
      coverage: 50,
    })
    const almostAll = createSet({ a: 0.4, b: 99.6 })
    expect(calculateCallScore(almostAll, createVerdicts(almostAll, { a: 'unknown' })).coverage).to.equal(99)
  })

  it('a missed critical rule makes the score 0 even with too little coverage', () => {
    const few = createSet({ a: 100 }, ['insults'])
    const judged = calculateCallScore(few, createVerdicts(few, { a: 'unknown', insults: 'missed' }))
    expect(judged).to.deep.equal({ score: 0, scoreBeforeCritical: null, coverage: 0 })
  })

  it('a label set has no score', () => {
    const labels = createSet({ a: 100 }, [], 'label')
    expect(calculateCallScore(labels, createVerdicts(labels))).to.deep.equal({
      score: null,
      scoreBeforeCritical: null,
      coverage: null,
    })
  })
})
