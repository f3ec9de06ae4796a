import { expect } from 'chai'
import { locateMatches, PART, type Segment } from './lines.ts'

const TEXT = 'They come "on" Monday, perhaps.'

/** The words of a text from 5 s on, one in each second. */
const words = TEXT.split(' ').map((text, n) => ({ start: 5 + n, end: 6 + n, text, confidence: null }))
const row: Segment = { start: 5, end: 10, channel: 0, text: TEXT }

/** The start time of a word in the row, if its part is sent with these words. */
function momentOf(what: string, spoken: Segment[] = [], rows = [row], part = 0): number {
  const from = rows.map(({ text }) => text).join('\n').lastIndexOf(what) // prettier-ignore
  const found = { id: 'x', text: '', matches: [[from, from + what.length]], synonymOf: [null] } as never
  const transcript = { text: '', model: 'm', decoder: 'greedy', language: 'en', timing: 'exact' as const }
  return locateMatches(rows, found, null, { part, spoken: { ...transcript, segments: spoken } })[0]!.at
}

describe('the moment of a match', () => {
  const told = [{ ...row, words }]

  it('is a quarter of a second before the word in which it begins, wherever in it that is', () => {
    expect(momentOf('Monday', told)).to.equal(7.75)
    expect(momentOf('on"', told), 'behind a quotation mark').to.equal(6.75)
    expect(momentOf('perhaps', told)).to.equal(8.75)
    expect(momentOf('come "on" Monday', told), 'of a phrase its first word').to.equal(5.75)
  })

  it('is the beginning of the row for its first word, never before it', () => {
    expect(momentOf('They', told)).to.equal(5)
    const quick = words.map((word) => (word.text === 'come' ? { ...word, start: 5.1 } : word))
    expect(momentOf('come', [{ ...row, words: quick }])).to.equal(5)
  })

  it('is guessed from the position in the row, 1.5 s before it, where nobody tells the words', () => {
    const guessed = Math.round((5 + (5 * TEXT.indexOf('Monday')) / TEXT.length - 1.5) * 10) / 10
    expect(momentOf('Monday')).to.equal(guessed)
    expect(momentOf('Monday', [{ ...row, words: [] }])).to.equal(guessed)
  })

  it('goes by the words of its own row, and is guessed in rows of another part', () => {
    const rows = Array.from({ length: PART + 1 }, (_, n) => ({ ...row, text: n === PART ? TEXT : 'Hello.' }))
    expect(momentOf('Monday', told, rows, 1)).to.equal(7.75)
    expect(momentOf('Monday', told, rows, 0)).not.to.equal(7.75)
  })
})
