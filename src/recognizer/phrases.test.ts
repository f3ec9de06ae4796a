import { expect } from 'chai'
import type { Word } from './contract.ts'
import { LONGEST_PHRASE_SECONDS, MOST_LETTERS, phrasesOf, textOf } from './phrases.ts'

/** Words of 0.4 s each, with pauses after some. */
function said(text: string, pauses: Record<string, number> = {}): Word[] {
  let at = 0
  return text.split(' ').map((word) => {
    const start = at
    at = start + 0.4 + (pauses[word] ?? 0)
    return { start, end: start + 0.4, text: word, confidence: 1 }
  })
}

const texts = (words: Word[]) => phrasesOf(words).map(textOf)

describe('phrases', () => {
  it('end where a sentence ends', () => {
    expect(texts(said('Good morning. Is it 28.8 today? I “think so.” Fine'))).to.deep.equal([
      'Good morning.',
      'Is it 28.8 today?',
      'I “think so.”',
      'Fine',
    ])
  })

  it('are at most 7 seconds and 84 letters long, and have every word once, whole', () => {
    const text = Array.from({ length: 100 }, (_, n) => 'abcdefghijklmnop'.slice(0, 1 + ((n * 7) % 16))).join(' ')
    const words = said(text)
    const phrases = phrasesOf(words)
    expect(phrases.map(textOf).join(' ')).to.equal(text)
    for (const phrase of phrases) {
      expect(textOf(phrase).length).to.be.at.most(MOST_LETTERS)
      expect(phrase.at(-1)!.end - phrase[0]!.start).to.be.at.most(LONGEST_PHRASE_SECONDS)
    }
  })

  it('are parted after a comma or at a pause rather than anywhere', () => {
    const words =
      'one two three four five six seven eight, nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen'
    expect(texts(said(words))[0]).to.equal('one two three four five six seven eight,')
    expect(texts(said(words.replace(',', ''), { ten: 1 }))[0]).to.match(/ ten$/)
  })

  it('a word that is longer than a phrase may be stays whole', () => {
    expect(texts(said(`so ${'x'.repeat(100)} it is`))).to.include('x'.repeat(100))
  })
})
