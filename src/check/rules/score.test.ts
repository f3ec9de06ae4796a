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

/** Every verdict is met, except the named ones. */
const createVerdicts = (rules: RuleSetBody, others: Record<string, Verdict> = {}) =>
  rules.rules.map(({ key }) => ({ rule: key, verdict: others[key] ?? 'met' }))

describe('score of a call', () => {
  const incoming = createSet(WEIGHTS, ['insults'])
  const example = {
    price: 'not_applicable',
    'objection-handled': 'not_applicable',
    contact: 'missed',
    listening: 'missed',
  } as const

  it('is met ÷ (met + missed): 70 of 77 applicable points are 91', () => {
    expect(calculateCallScore(incoming, createVerdicts(incoming, example))).to.deep.equal({
      score: 91,
      scoreBeforeCritical: 91,
      coverage: 77,
    })
  })

  it('is 0 after a missed critical rule, and what it would have been is kept', () => {
    const insulted = createVerdicts(incoming, { ...example, insults: 'missed' })
    expect(calculateCallScore(incoming, insulted)).to.deep.equal({ score: 0, scoreBeforeCritical: 91, coverage: 77 })
  })

  it('of a call in mono covers 77 %, where objection, talk share and politeness are unknown', () => {
    const mono = createVerdicts(incoming, {
      'objection-handled': 'unknown',
      listening: 'unknown',
      politeness: 'unknown',
    })
    expect(calculateCallScore(incoming, mono)).to.deep.equal({ score: 100, scoreBeforeCritical: 100, coverage: 77 })
  })

  it('is none where less than half of the weight is judged, and one where it is half', () => {
    const halves = createSet({ a: 50, b: 50 })
    expect(calculateCallScore(halves, createVerdicts(halves, { a: 'unknown' })).score).to.equal(100)
    const less = createSet({ a: 51, b: 49 })
    expect(calculateCallScore(less, createVerdicts(less, { a: 'unknown' }))).to.deep.equal({
      score: null,
      scoreBeforeCritical: null,
      coverage: 49,
    })
  })

  it('is none of 49.6 % of the weight, which is told as 49 %, not as half', () => {
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

  it('of a call with too little to score is still 0 after a missed critical rule', () => {
    const few = createSet({ a: 100 }, ['insults'])
    const judged = calculateCallScore(few, createVerdicts(few, { a: 'unknown', insults: 'missed' }))
    expect(judged).to.deep.equal({ score: 0, scoreBeforeCritical: null, coverage: 0 })
  })

  it('is none in a set of labels', () => {
    const labels = createSet({ a: 100 }, [], 'label')
    expect(calculateCallScore(labels, createVerdicts(labels))).to.deep.equal({
      score: null,
      scoreBeforeCritical: null,
      coverage: null,
    })
  })
})
