import { expect } from 'chai'
import {
  makeSyntheticCall,
  computeWrongWordShare,
  VOICE_RATE,
  type SyntheticCall,
} from '../../test/synthetic-voices.ts'
import { separateSpeakers } from './separate.ts'

const MAN = { pitch: 110, size: 1 }
const WOMAN = { pitch: 200, size: 1.17 }
const CHILD = { pitch: 290, size: 1.4 }
const TURNS = 28

function separate(
  { samples, speech, words }: SyntheticCall,
  signal = new AbortController().signal,
  block = samples.length,
) {
  const blocks = function* () {
    for (let at = 0; at < samples.length; at += block) yield samples.subarray(at, at + block)
  }
  return separateSpeakers({ samples: blocks(), sampleRate: VOICE_RATE }, speech, words, signal)
}

describe('speaker separation', () => {
  it('the separation finds the speaker of each word of two voices', async () => {
    const call = makeSyntheticCall([MAN, WOMAN], TURNS, 1)
    const { method, confidence, phrases } = await separate(call)
    expect(method).to.equal('voices')
    expect(confidence).to.be.above(0.8)
    expect(computeWrongWordShare(call, phrases)).to.be.below(0.03)
    expect(phrases.every((phrase) => phrase.confidence >= 0 && phrase.confidence <= 1)).to.equal(true)
  })

  it('phrases cover all words, and start and end with a word', async () => {
    const { words, ...call } = makeSyntheticCall([MAN, WOMAN], TURNS, 2)
    const { phrases } = await separate({ words, ...call })
    const starts = new Set(words.map(({ start }) => start))
    const ends = new Set(words.map(({ end }) => end))
    for (const { start, end } of phrases) expect([starts.has(start), ends.has(end)]).to.deep.equal([true, true])
    for (const { start, end } of words)
      expect(phrases.filter((phrase) => phrase.start <= start && phrase.end >= end)).to.have.lengthOf(1)
  })

  it('the size of the sample blocks does not change the separation', async () => {
    const call = makeSyntheticCall([MAN, WOMAN], TURNS, 3)
    const whole = await separate(call)
    expect(await separate(call, undefined, 1237)).to.deep.equal(whole)
  })

  it('the separation works on samples of 16 kHz', async () => {
    const call = makeSyntheticCall([MAN, WOMAN], TURNS, 4)
    const samples = Float32Array.from({ length: call.samples.length * 2 }, (_, n) => call.samples[n >> 1]!)
    const { signal } = new AbortController()
    const { phrases } = await separateSpeakers(
      { samples: [samples], sampleRate: 16_000 },
      call.speech,
      call.words,
      signal,
    )
    expect(computeWrongWordShare(call, phrases)).to.be.below(0.03)
  })

  for (const [kind, voices] of Object.entries({ one: [WOMAN], three: [MAN, WOMAN, CHILD] }))
    it(`a recording of ${kind} speaker${kind === 'one' ? '' : 's'} is not separated`, async () => {
      const call = makeSyntheticCall(voices, TURNS, 5)
      expect(await separate(call)).to.deep.equal({ method: 'none', confidence: null, phrases: [] })
    })

  it('music with recognized words is not separated', async () => {
    const call = makeSyntheticCall([MAN], TURNS, 6)
    const samples = call.samples.map((_, n) => {
      const chord = [220, 277, 330].map((hertz) => hertz * 2 ** ((Math.floor(n / 4000) % 5) / 12))
      return 0.1 * chord.reduce((sum, hertz) => sum + Math.sin((2 * Math.PI * hertz * n) / VOICE_RATE), 0)
    })
    expect(await separate({ ...call, samples })).to.have.property('method', 'none')
  })

  it('a call without words or with too few is not separated', async () => {
    const call = makeSyntheticCall([MAN, WOMAN], 2, 7)
    expect(await separate(call)).to.have.property('method', 'none')
    expect(await separate({ ...call, words: [] })).to.have.property('method', 'none')
  })

  it('an aborted separation stops while reading and while searching', async () => {
    const call = makeSyntheticCall([MAN, WOMAN], TURNS, 8)
    const reason = new Error('cancelled')
    await expectRejection(separate(call, AbortSignal.abort(reason)), reason)
    const controller = new AbortController()
    const blocks = function* () {
      yield call.samples
      setImmediate(() => controller.abort(reason))
    }
    const { speech, words } = call
    await expectRejection(
      separateSpeakers({ samples: blocks(), sampleRate: VOICE_RATE }, speech, words, controller.signal),
      reason,
    )
  })
})

async function expectRejection(work: Promise<unknown>, reason: Error): Promise<void> {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown) // prettier-ignore
  expect(error).to.equal(reason)
}
