import { expect } from 'chai'
import type { RecordingJson } from '../../calls/recordings/schema.ts'
import { locateDoubtfulWords } from './lines.ts'

type Transcript = NonNullable<RecordingJson['transcript']>

/** Builds a transcript of one segment. @param words confidence of the two words @param whole confidence of the segment */
function buildTranscript(
  words: [number | null, number | null],
  whole: number | null,
  model = 'moonshine-base-en',
): Transcript {
  const timedWords = ['good', 'morning'].map((text, n) => ({ start: n, end: n + 1, text, confidence: words[n]! }))
  const segment = { start: 0, end: 2, channel: 0, text: 'good morning', confidence: whole, words: timedWords }
  return { text: segment.text, model, decoder: 'greedy', language: 'en', timing: 'estimated', segments: [segment] }
}

describe('panel: doubtful words', () => {
  it('doubtful words are located by segment number and by position in the text', () => {
    expect([...locateDoubtfulWords(buildTranscript([0.9, 0.3], 0.8), 40)]).to.deep.equal([[40, [{ from: 5, to: 12 }]]])
  })

  it('the confidence of the segment also decides whether its words are doubtful', () => {
    expect(locateDoubtfulWords(buildTranscript([0.95, 0.4], 0.92), 0).size).to.equal(0)
    expect(locateDoubtfulWords(buildTranscript([0.75, 0.7], 0.6), 0).get(0)).to.have.length(2)
  })

  it("the certainty of a word uses the square of the word's own confidence", () => {
    expect(locateDoubtfulWords(buildTranscript([0.6, 0.9], 0.78), 0).get(0)).to.deep.equal([{ from: 0, to: 4 }])
  })

  it('no word is doubtful without confidences or for a model without a limit', () => {
    expect(locateDoubtfulWords(buildTranscript([null, null], null), 0).size).to.equal(0)
    expect(locateDoubtfulWords(buildTranscript([0.1, 0.1], 0.1, 't-one'), 0).size).to.equal(0)
    expect(locateDoubtfulWords(buildTranscript([0.9, 0.6], null), 0).get(0)).to.deep.equal([{ from: 5, to: 12 }])
  })
})
