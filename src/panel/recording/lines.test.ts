import { expect } from 'chai'
import { locateTranscriptMatches, type TranscriptSegment } from './lines.ts'

const TEXT = 'They come "on" Monday, perhaps.'

/** Words with a duration of one second each, starting at 5 s. */
const words = TEXT.split(' ').map((text, n) => ({ start: 5 + n, end: 6 + n, text, confidence: null }))
const row: TranscriptSegment = { start: 5, end: 10, channel: 0, text: TEXT }

/**
 * Returns the start of a phrase in seconds. @param timedSegments segments with word timings @param firstRow row of the first
 * timed segment
 */
function locateStart(phrase: string, timedSegments: TranscriptSegment[] = [], rows = [row], firstRow = 0): number {
  const from = rows.map(({ text }) => text).join('\n').lastIndexOf(phrase) // prettier-ignore
  const found = { id: 'x', text: '', matches: [[from, from + phrase.length]], synonymOf: [null] } as never
  const transcript = { text: '', model: 'm', decoder: 'greedy', language: 'en', timing: 'exact' as const }
  return locateTranscriptMatches(rows, found, null, {
    part: { from: firstRow, to: rows.length },
    timedTranscript: { ...transcript, segments: timedSegments },
  })[0]!.at
}

describe('panel: playback position of a match', () => {
  const timedRows = [{ ...row, words }]

  it('playback of a match starts 0.25 s before its first word', () => {
    expect(locateStart('Monday', timedRows)).to.equal(7.75)
    expect(locateStart('on"', timedRows), 'behind a quotation mark').to.equal(6.75)
    expect(locateStart('perhaps', timedRows)).to.equal(8.75)
    expect(locateStart('come "on" Monday', timedRows), 'of a phrase its first word').to.equal(5.75)
  })

  it('playback of a match never starts before its row', () => {
    expect(locateStart('They', timedRows)).to.equal(5)
    const quick = words.map((word) => (word.text === 'come' ? { ...word, start: 5.1 } : word))
    expect(locateStart('come', [{ ...row, words: quick }])).to.equal(5)
  })

  it('without word timings, playback starts 1.5 s before the estimated position', () => {
    const estimated = Math.round((5 + (5 * TEXT.indexOf('Monday')) / TEXT.length - 1.5) * 10) / 10
    expect(locateStart('Monday')).to.equal(estimated)
    expect(locateStart('Monday', [{ ...row, words: [] }])).to.equal(estimated)
  })

  it('word timings apply only to the rows of their own part', () => {
    const rows = Array.from({ length: 151 }, (_, n) => ({ ...row, text: n === 150 ? TEXT : 'Hello.' }))
    expect(locateStart('Monday', timedRows, rows, 150)).to.equal(7.75)
    expect(locateStart('Monday', timedRows, rows, 0)).not.to.equal(7.75)
  })
})
