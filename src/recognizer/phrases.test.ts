import { expect } from 'chai'
import type { TimedWord } from './contract.ts'
import { MAX_SUBTITLE_SECONDS, MAX_SUBTITLE_LETTERS, splitWordsIntoPhrases, joinWordTexts } from './phrases.ts'

/** Creates words of 0.4 s each, with pauses after some of them. */
function createWords(text: string, pauses: Record<string, number> = {}): TimedWord[] {
  let at = 0
  return text.split(' ').map((word) => {
    const start = at
    at = start + 0.4 + (pauses[word] ?? 0)
    return { start, end: start + 0.4, text: word, confidence: 1 }
  })
}

const splitTexts = (words: TimedWord[]) => splitWordsIntoPhrases(words).map(joinWordTexts)

describe('split of sentences into phrases', () => {
  it('a phrase ends where a sentence ends', () => {
    expect(splitTexts(createWords('Good morning. Is it 28.8 today? I “think so.” Fine'))).to.deep.equal([
      'Good morning.',
      'Is it 28.8 today?',
      'I “think so.”',
      'Fine',
    ])
  })

  it('phrases have at most 7 seconds and 84 letters and keep every word', () => {
    const text = Array.from({ length: 100 }, (_, n) => 'abcdefghijklmnop'.slice(0, 1 + ((n * 7) % 16))).join(' ')
    const words = createWords(text)
    const phrases = splitWordsIntoPhrases(words)
    expect(phrases.map(joinWordTexts).join(' ')).to.equal(text)
    for (const phrase of phrases) {
      expect(joinWordTexts(phrase).length).to.be.at.most(MAX_SUBTITLE_LETTERS)
      expect(phrase.at(-1)!.end - phrase[0]!.start).to.be.at.most(MAX_SUBTITLE_SECONDS)
    }
  })

  it('a long sentence is split after a comma or at a pause', () => {
    const words =
      'one two three four five six seven eight, nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen'
    expect(splitTexts(createWords(words))[0]).to.equal('one two three four five six seven eight,')
    expect(splitTexts(createWords(words.replace(',', ''), { ten: 1 }))[0]).to.match(/ ten$/)
  })

  it('a word that is longer than a phrase is not split', () => {
    expect(splitTexts(createWords(`so ${'x'.repeat(100)} it is`))).to.include('x'.repeat(100))
  })
})
