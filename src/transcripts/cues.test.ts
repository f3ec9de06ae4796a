import { expect } from 'chai'
import { cuesOf, inLines } from './cues.ts'

const segment = (start: number, end: number, text: string, channel = 0) => ({ start, end, channel, text })

describe('subtitles', () => {
  it('stand for a second at least, but not into what the same voice says next', () => {
    expect(cuesOf([segment(1, 1.2, 'Yes.'), segment(5, 5.4, 'No.')])).to.deep.equal([
      segment(1, 2, 'Yes.'),
      segment(5, 6, 'No.'),
    ])
    const long = 'a'.repeat(82)
    expect(cuesOf([segment(1, 1.2, 'Yes.'), segment(1.5, 5, long)])[0]).to.deep.equal(segment(1, 1.5, 'Yes.'))
  })

  it('have in one cue what one voice says within a second, and not what two say', () => {
    const both = [segment(1, 1.3, 'Yes.'), segment(1.4, 2.5, 'I do.')]
    expect(cuesOf(both)).to.deep.equal([segment(1, 2.5, 'Yes. I do.')])
    expect(cuesOf([both[0]!, { ...both[1]!, channel: 1 }])).to.have.length(2)
  })

  it('have lines of at most 42 letters, two of like length where two suffice, and never cut a word', () => {
    expect(inLines('Short enough.')).to.equal('Short enough.')
    const text = 'Please enter your agent number followed by the pound key.'
    expect(inLines(text)).to.equal('Please enter your agent number\nfollowed by the pound key.')
    const long = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')
    const lines = inLines(long).split('\n')
    expect(lines.join(' ')).to.equal(long)
    expect(Math.max(...lines.map((line) => line.length))).to.be.at.most(42)
    expect(inLines('x'.repeat(100))).to.equal('x'.repeat(100))
  })
})
