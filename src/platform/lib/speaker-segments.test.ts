import { expect } from 'chai'
import { assignSpeakers, type SpeakerSpan } from './speaker-segments.ts'

describe('assignSpeakers()', () => {
  const segment = { start: 0, end: 4, channel: 0, text: 'Good morning. Hello there.', confidence: 0.9 }
  const words: [number, number, number | null][] = [
    [0, 0.8, 0.9],
    [0.9, 1.8, 0.7],
    [2, 2.8, 0.5],
    [3, 4, null],
  ]
  const span = (start: number, end: number, speaker: 0 | 1, confidence = 0.9): SpeakerSpan => ({
    start,
    end,
    speaker,
    confidence,
  })

  it('assignSpeakers() cuts a segment between two words where the speaker changes', () => {
    const { segments, words: times } = assignSpeakers([segment], [words], [span(0, 1.9, 0), span(1.9, 4, 1, 0.6)])
    expect(segments).to.deep.equal([
      { ...segment, end: 1.8, text: 'Good morning.', confidence: 0.8, speaker: 0, speakerConfidence: 0.9 },
      { ...segment, start: 2, text: 'Hello there.', confidence: null, speaker: 1, speakerConfidence: 0.6 },
    ])
    expect(times).to.deep.equal([words.slice(0, 2), words.slice(2)])
  })

  it('assignSpeakers() does not cut a segment of one speaker', () => {
    const { segments } = assignSpeakers([segment], [words], [span(0, 4, 1)])
    expect(segments).to.deep.equal([{ ...segment, speaker: 1, speakerConfidence: 0.9 }])
  })

  it('a word across two spans gets the speaker at its middle', () => {
    const { segments } = assignSpeakers([segment], [words], [span(0, 1.3, 0), span(1.3, 4, 1)])
    expect(segments.map(({ text }) => text)).to.deep.equal(['Good', 'morning. Hello there.'])
  })

  it('words outside of spans keep their speaker or get the nearest one', () => {
    const known = { ...segment, speaker: 0 as const, speakerConfidence: 0.7 }
    expect(assignSpeakers([known], [words], [span(3, 4, 1)]).segments.map(({ speaker }) => speaker)).to.deep.equal([
      0, 1,
    ])
    expect(assignSpeakers([segment], [words], [span(3, 4, 1)]).segments.map(({ speaker }) => speaker)).to.deep.equal([
      1,
    ])
  })

  it('segments have no speaker without spans', () => {
    const { segments } = assignSpeakers([segment], [words], [])
    expect(segments).to.deep.equal([{ ...segment, speaker: null, speakerConfidence: null }])
  })
})
