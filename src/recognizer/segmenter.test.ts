import { expect } from 'chai'
import { SpeechSegmenter, type DetectedSpeechWindow } from './segmenter.ts'
import { VAD_FRAME_SAMPLES, VAD_SAMPLE_RATE } from './vad.ts'

const toFrames = (seconds: number) => Math.round((seconds * VAD_SAMPLE_RATE) / VAD_FRAME_SAMPLES)

/** Segments a channel that is described by pairs of seconds and speech probability. */
function buildWindows(...parts: [number, number][]): DetectedSpeechWindow[] {
  const segmenter = new SpeechSegmenter()
  const windows = parts.flatMap(([seconds, probability]) =>
    Array.from({ length: toFrames(seconds) }, () =>
      segmenter.accept(new Float32Array(VAD_FRAME_SAMPLES).fill(probability), probability),
    ),
  )
  return [...windows, segmenter.finish()].filter((window) => window !== undefined)
}

const toTimes = (windows: DetectedSpeechWindow[]) =>
  windows.map(({ start, end }) => [Math.round(start * 10) / 10, Math.round(end * 10) / 10])

describe('speech windows', () => {
  it('the segmenter finds no windows in silence or a click', () => {
    expect(buildWindows([60, 0.01])).to.deep.equal([])
    expect(buildWindows([1, 0], [0.06, 0.9], [3, 0])).to.deep.equal([])
  })

  it('the segmenter finds no windows in speech that is too quiet', () => {
    const [quiet, loud] = [120 / 32_768, 400 / 32_768].map((level) => {
      const segmenter = new SpeechSegmenter()
      for (let frame = 0; frame < 60; frame++) segmenter.accept(new Float32Array(VAD_FRAME_SAMPLES).fill(level), 0.9)
      return segmenter.finish()
    })
    expect(quiet).to.equal(undefined)
    expect(loud).to.not.equal(undefined)
  })

  it('a window has the times of the speech and some audio around it', () => {
    const [window] = buildWindows([2, 0], [1, 0.9], [2, 0])
    expect(toTimes([window!])).to.deep.equal([[2, 3]])
    expect(window!.samples.length / VAD_SAMPLE_RATE).to.be.within(1.2, 2)
  })

  it('a weak syllable or a breath does not end a window', () => {
    expect(toTimes(buildWindows([1, 0.9], [0.3, 0.4], [1, 0.9], [0.3, 0], [1, 0.9]))).to.deep.equal([[0, 3.6]])
  })

  it('a long pause ends a window', () => {
    expect(toTimes(buildWindows([2, 0.9], [1.5, 0], [2, 0.9]))).to.deep.equal([
      [0, 2],
      [3.5, 5.5],
    ])
  })

  it('long speech is split at its longest pause without losing any', () => {
    const windows = buildWindows([9, 0.9], [0.3, 0], [30, 0.9])
    expect(toTimes(windows)[0]).to.deep.equal([0, 9])
    expect(windows[1]!.start).to.be.closeTo(9.3, 0.1)
    for (const [index, window] of windows.entries()) {
      expect(window.end - window.start).to.be.at.most(30)
      if (index > 1) expect(window.start).to.equal(windows[index - 1]!.end)
    }
    expect(windows.at(-1)!.end).to.be.closeTo(39.3, 0.1)
  })

  it('windows split in a short pause contain no speech from its other side', () => {
    const [first, second] = buildWindows([9, 0.9], [0.2, 0], [15, 0.8])
    expect(first!.samples.at(-1)).to.equal(0)
    expect(first!.samples.length / VAD_SAMPLE_RATE).to.be.closeTo(9.2, 0.05)
    expect(second!.samples.includes(Math.fround(0.9))).to.equal(false)
  })

  it('windows have a limited length in hours of speech', () => {
    const windows = buildWindows([3600, 0.9])
    expect(Math.max(...windows.map(({ samples }) => samples.length / VAD_SAMPLE_RATE))).to.be.below(31)
    expect(windows.reduce((sum, { start, end }) => sum + end - start, 0)).to.be.closeTo(3600, 0.1)
  })
})
