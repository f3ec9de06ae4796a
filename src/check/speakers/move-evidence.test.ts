import { expect } from 'chai'
import { createEvidence } from '../rules/tokenize.ts'
import { moveEvidence } from './move-evidence.ts'

describe('quotes in split segments', () => {
  const segment = (start: number, end: number, text: string) => ({ channel: 0, start, end, text })
  const before = [segment(0, 4, 'good morning hello there'), segment(5, 6, 'goodbye')]
  const after = [segment(0, 2, 'good morning'), segment(2, 4, 'hello there'), segment(5, 6, 'goodbye')]
  const quote = (index: number, text: string) => {
    const from = before[index]!.text.indexOf(text)
    return createEvidence(before[index]!, index, from, from + text.length, 'unknown')
  }
  const move = (index: number, text: string) =>
    moveEvidence([quote(index, text)], before, after).map((moved) => [moved.segment, moved.from, moved.quote])

  it('a quote moves to the new segment that has its words', () => {
    expect(move(0, 'morning')).to.deep.equal([[0, 5, 'morning']])
    expect(move(0, 'there')).to.deep.equal([[1, 6, 'there']])
    expect(move(1, 'goodbye')).to.deep.equal([[2, 0, 'goodbye']])
  })

  it('a quote across a cut becomes several quotes', () => {
    expect(move(0, 'morning hello')).to.deep.equal([
      [0, 5, 'morning'],
      [1, 0, 'hello'],
    ])
  })
})
