import { expect } from 'chai'
import { createSubtitleCues as linedCuesOf, wrapSubtitleLines } from './cues.ts'
import type { TranscriptSegment } from './entity.ts'

const createSegment = (start: number, end: number, text: string, channel = 0) => ({ start, end, channel, text })
const createPlainCues = (segments: TranscriptSegment[], seconds = Infinity) =>
  linedCuesOf(segments, seconds).map(({ start, end, channel, text }) => createSegment(start, end, text, channel))

describe('subtitles', () => {
  it('a cue lasts at least a second and delays the next cue of its speaker', () => {
    expect(createPlainCues([createSegment(1, 1.2, 'Yes.'), createSegment(5, 5.4, 'No.')])).to.deep.equal([
      createSegment(1, 2, 'Yes.'),
      createSegment(5, 6, 'No.'),
    ])
    const long = `${'a'.repeat(40)} ${'b'.repeat(40)}`
    const late = createPlainCues([
      createSegment(1, 1.2, 'Yes.'),
      createSegment(1.5, 5, long),
      createSegment(9, 12, 'No.'),
    ])
    expect(late).to.deep.equal([createSegment(1, 2, 'Yes.'), createSegment(2, 5, long), createSegment(9, 12, 'No.')])
  })

  it('a cue ends with the call at the latest and has a minimum length', () => {
    const cues = createPlainCues(
      [createSegment(15, 16.2, 'Yes.'), createSegment(16.9, 17.4, 'No.'), createSegment(17.5, 17.5, 'So.', 1)],
      17.5,
    )
    expect(cues).to.deep.equal([
      createSegment(15, 16.2, 'Yes.'),
      createSegment(16.9, 17.5, 'No.'),
      createSegment(17.49, 17.5, 'So.', 1),
    ])
  })

  it('a cue joins phrases of one speaker within a second, not of two', () => {
    const both = [createSegment(1, 1.3, 'Yes.'), createSegment(1.4, 2.5, 'I do.')]
    expect(createPlainCues(both)).to.deep.equal([createSegment(1, 2.5, 'Yes. I do.')])
    expect(createPlainCues([both[0]!, { ...both[1]!, channel: 1 }])).to.have.length(2)
  })

  it('one segment of several hours is split into cues', () => {
    const words = Array.from({ length: 30_000 }, (_, n) => `word${n}`).join(' ')
    const cues = createPlainCues([createSegment(0, 10_800, words)])
    expect(cues.map(({ text }) => text).join(' ')).to.equal(words)
    expect(cues.length).to.be.greaterThan(3000)
  })

  it('cues of one speaker never overlap, even if segments do', () => {
    const odd = [
      createSegment(0, 9, 'One.'),
      createSegment(3, 3, 'Two.'),
      createSegment(3, 4, 'a '.repeat(40).trim()),
      createSegment(3.5, 30, 'Four five.'),
    ]
    const cues = createPlainCues(odd)
    expect(cues.map(({ text }) => text).join(' ')).to.equal(odd.map(({ text }) => text).join(' '))
    cues.forEach(({ start, end }, n) => {
      expect(end - start).to.be.at.least(1)
      if (n > 0) expect(start).to.be.at.least(cues[n - 1]!.end)
    })
  })

  it('a long segment is split between words, with proportional times', () => {
    const words = Array.from({ length: 40 }, (_, n) => 'abcdefghij'.slice(0, 1 + ((n * 7) % 10)))
    const cues = linedCuesOf([createSegment(10, 34, words.join(' '))], Infinity)
    expect(cues.map(({ text }) => text).join(' ')).to.equal(words.join(' '))
    expect([cues[0]!.start, cues.at(-1)!.end]).to.deep.equal([10, 34])
    for (const { start, end, lines } of cues) {
      expect(end - start).to.be.within(1, 7)
      expect(lines.split('\n').length).to.be.at.most(2)
    }
    expect(createPlainCues([createSegment(0, 20, 'x'.repeat(100))])).to.deep.equal([
      createSegment(0, 20, 'x'.repeat(100)),
    ])
  })

  it('a cue leaves room for the name of the speaker', () => {
    const text = `${'a'.repeat(41)} ${'b'.repeat(41)}`
    expect(linedCuesOf([createSegment(0, 6, text)], Infinity)).to.have.length(1)
    const named = linedCuesOf([createSegment(0, 6, text)], Infinity, () => 'Agent: ')
    expect(named.map(({ lines }) => lines)).to.deep.equal([`Agent:\n${'a'.repeat(41)}`, `Agent:\n${'b'.repeat(41)}`])
  })

  it('lines have at most 42 characters, similar lengths and whole words', () => {
    expect(wrapSubtitleLines('Short enough.')).to.equal('Short enough.')
    const text = 'Please enter your agent number followed by the pound key.'
    expect(wrapSubtitleLines(text)).to.equal('Please enter your agent number\nfollowed by the pound key.')
    const long = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')
    const lines = wrapSubtitleLines(long).split('\n')
    expect(lines.join(' ')).to.equal(long)
    expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(42)
    expect(wrapSubtitleLines('x'.repeat(100))).to.equal('x'.repeat(100))
  })
})
