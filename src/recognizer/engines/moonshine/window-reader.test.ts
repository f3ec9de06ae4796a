import { expect } from 'chai'
import type { DetectedSpeechWindow } from '../../segmenter.ts'
import { VAD_FRAME_SAMPLES, VAD_SAMPLE_RATE } from '../../vad.ts'
import type { RecognizedPiece } from '../engine.ts'
import { ModelRunQueue, type SpeechWindowModel } from './run-queue.ts'
import type { SpeechWindowRow, SpeechWindowText } from './speech-window.ts'
import { SpeechWindowReader } from './window-reader.ts'

/** Creates a window at the given second. Its first sample identifies it. */
function createWindow(start: number, seconds: number): DetectedSpeechWindow {
  const samples = new Float32Array(seconds * VAD_SAMPLE_RATE)
  samples[0] = start
  const speaking = Array.from({ length: Math.ceil(samples.length / VAD_FRAME_SAMPLES) }, () => true)
  return { start, end: start + seconds, from: start, speech: seconds, samples, speaking }
}

/** A model that returns the start of a window as its text. It records the windows of each run. */
class FakeModel implements SpeechWindowModel {
  readonly runs: number[][] = []
  underWay = 0
  most = 0
  failing = false

  async read(rows: SpeechWindowRow[]): Promise<(SpeechWindowText | undefined)[]> {
    this.underWay++
    this.most = Math.max(this.most, this.underWay)
    await new Promise((resolve) => setImmediate(resolve))
    this.underWay--
    if (this.failing) throw new Error('the model broke')
    this.runs.push(rows.map(({ samples }) => samples[0]!))
    return rows.map(({ samples, signal }) =>
      signal.aborted ? undefined : [{ start: 0, end: 1, text: String(samples[0]), confidence: 1 }],
    )
  }
}

describe('window reader', () => {
  const { signal } = new AbortController()

  function createReader(model: SpeechWindowModel, of = signal): SpeechWindowReader {
    const queue = new ModelRunQueue(model)
    return new SpeechWindowReader(queue, queue.join('greedy', of))
  }

  /** Reads windows of these lengths, one minute apart, on alternating channels. */
  async function readAll(model: FakeModel, lengths: number[]) {
    const reader = createReader(model)
    const pieces = []
    for (const [n, length] of lengths.entries()) {
      await reader.add(createWindow(60 * n, length), n % 2)
      pieces.push(...reader.take())
    }
    return [...pieces, ...(await reader.finish())]
  }

  it('the reader recognizes every window once, in its channel and at its position', async () => {
    const pieces = await readAll(
      new FakeModel(),
      Array.from({ length: 41 }, (_, n) => 1 + (n % 7)),
    )
    const found = pieces.map(({ channel, words: [word] }) => [Number(word!.text), channel, word!.start])
    const sorted = found.toSorted(([a], [b]) => a! - b!)
    expect(sorted).to.deep.equal(Array.from({ length: 41 }, (_, n) => [60 * n, n % 2, 60 * n]))
  })

  it('a short call is one batch, and a long call starts with half a minute', async () => {
    const short = new FakeModel()
    await readAll(short, [4, 6, 3, 9, 5])
    expect(short.runs.map((run) => run.length)).to.deep.equal([5])
    const long = new FakeModel()
    const reader = createReader(long)
    for (let n = 0; n < 4; n++) await reader.add(createWindow(60 * n, 8), 0)
    // Four windows of this length fill the first batch of 32 seconds.
    await reader.settle()
    expect(long.runs).to.deep.equal([[0, 60, 120, 180]])
  })

  it('the reader combines up to eight windows of similar length in a run', async () => {
    const model = new FakeModel()
    await readAll(
      model,
      Array.from({ length: 40 }, (_, n) => 1 + (n % 2) * 4),
    )
    const full = model.runs.filter((run) => run.length === 8)
    expect(full).to.have.length(5)
    // The second batch has sixteen windows. The rest are eight long windows and eight short ones.
    for (const run of full.slice(1)) expect(new Set(run.map((start) => (start / 60) % 2)).size).to.equal(1)
  })

  it('long windows stay within the audio limit of a run, one run at a time', async () => {
    const model = new FakeModel()
    await readAll(
      model,
      Array.from({ length: 30 }, () => 25),
    )
    for (const run of model.runs) expect(run.length * 25).to.be.at.most(48)
    expect(model.most).to.equal(1)
  })

  it('the reader combines the same windows each time it reads a file', async () => {
    const lengths = Array.from({ length: 50 }, (_, n) => 1 + ((n * 5) % 11))
    const [one, other] = [new FakeModel(), new FakeModel()]
    await Promise.all([readAll(one, lengths), readAll(other, lengths)])
    expect(one.runs).to.deep.equal(other.runs)
  })

  it('words do not overlap and are not longer than a phrase', async () => {
    const readings = [
      [0.5, 1.009],
      [1.009, 1.02],
      [1.02, 1.5],
      [1.2, 19],
      [19, 19.5],
      [30, 31],
    ] as const
    const model: SpeechWindowModel = {
      read: () => Promise.resolve([readings.map(([start, end]) => ({ start, end, text: 'so', confidence: 1 }))]),
    }
    const reader = createReader(model)
    // Nobody speaks between frame 30 and frame 300.
    const one = createWindow(100, 20)
    await reader.add({ ...one, speaking: one.speaking.map((_, frame) => frame < 30 || frame > 300) }, 0)
    const [{ words }] = (await reader.finish()) as [RecognizedPiece]
    expect(words).to.have.length(readings.length)
    let last = one.start
    for (const { start, end } of words) {
      expect(start).to.be.at.least(last)
      expect(end).to.be.within(start, Math.min(start + 7, one.end))
      last = end
    }
  })

  it('the reader reports the start of the first unread window', async () => {
    const reader = createReader(new FakeModel())
    expect(reader.unreadFrom).to.equal(undefined)
    await reader.add(createWindow(60, 2), 0)
    expect(reader.unreadFrom).to.equal(60)
    await reader.finish()
    expect(reader.unreadFrom).to.equal(undefined)
  })

  it('after a failed run, the reader throws the error and settles', async () => {
    const model = new FakeModel()
    model.failing = true
    const reader = createReader(model)
    for (let n = 0; n < 6; n++) await reader.add(createWindow(60 * n, 2), 0)
    const error = await reader.finish().catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('the model broke')
    await reader.settle()
    expect(model.runs).to.deep.equal([])
  })

  it('an aborted reader throws the reason of its signal', async () => {
    const abort = new AbortController()
    const reader = createReader(new FakeModel(), abort.signal)
    await reader.add(createWindow(0, 2), 0)
    await reader.add(createWindow(60, 2), 0)
    abort.abort()
    const error = await reader.finish().catch((reason: unknown) => reason)
    expect((error as Error).name).to.equal('AbortError')
  })
})
