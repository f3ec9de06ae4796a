import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Engine } from './engines/engine.ts'
import { scalePeaksToPercentages, MAX_PEAKS_PER_CHANNEL, PeakCollector } from './peaks.ts'
import { SAMPLE_CALL_PATH, TestAudioFolder } from '../test/test-recognizer.ts'
import { transcribeAudioFile } from './transcribe.ts'

/** An engine that reads all samples but recognizes nothing. Peaks do not depend on the engine. */
const silentEngine: Engine = {
  info: { model: 'none', version: '1', precision: 'none', language: 'en', timing: 'exact' },
  sampleRate: 8000,
  transcribe: async (pcm) => {
    for await (const _ of pcm);
    return []
  },
}

/** Collects the peaks of generated audio, added in chunks of an odd size. */
function collectPeaks(seconds: number, loudness: (second: number) => number, rate = 8000, chunk = 1237): PeakCollector {
  const peaks = new PeakCollector(rate)
  const samples = Int16Array.from(
    { length: seconds * rate },
    (_, n) => (n % 2 ? 1 : -1) * loudness(Math.floor(n / rate)),
  )
  for (let at = 0; at < samples.length; at += chunk) peaks.add(samples.subarray(at, at + chunk))
  return peaks
}

describe('waveform peaks', () => {
  it('audio has one peak per 10 ms, but at most 1000 peaks', () => {
    expect(new PeakCollector(8000).collect()).to.deep.equal([])
    expect(collectPeaks(1, () => 100).collect()).to.have.lengthOf(100)
    for (const seconds of [10, 80, 81, 200, 1000]) {
      expect(collectPeaks(seconds, () => 100).collect(), `${seconds} s`).to.deep.equal(
        Array(MAX_PEAKS_PER_CHANNEL).fill(100),
      )
    }
  })

  it('peaks are at the times of the sound in audio of any length', () => {
    for (const seconds of [3, 50, 79, 161, 700]) {
      const peaks = collectPeaks(seconds, (second) =>
        second === seconds - 1 ? 9000 : second === 0 ? 5000 : 0,
      ).collect()
      const share = peaks.length / seconds
      const loud = (height: number) => peaks.flatMap((peak, n) => (peak === height ? [n] : []))
      expect(loud(5000)[0], `${seconds} s`).to.equal(0)
      expect(loud(5000).length).to.be.closeTo(share, 1)
      expect(loud(9000).at(-1)).to.equal(peaks.length - 1)
      expect(loud(9000).length).to.be.closeTo(share, 1)
    }
  })

  it('peaks are percentages of the loudest channel, and nearly silent audio stays near 0', () => {
    const [left, right] = scalePeaksToPercentages([collectPeaks(1, () => 20_000), collectPeaks(1, () => 5000)])
    expect([left![50], right![50]]).to.deep.equal([100, 25])
    expect(Math.max(...scalePeaksToPercentages([collectPeaks(1, () => 3)])[0]!)).to.equal(1)
    expect(scalePeaksToPercentages([collectPeaks(1, () => -32_768)])[0]![0]).to.equal(100)
  })

  describe('peaks of a file', () => {
    const sounds = new TestAudioFolder()
    after(() => sounds.remove())
    const read = (file: string) =>
      transcribeAudioFile(silentEngine, { file, decoder: 'greedy' }, () => undefined, new AbortController().signal)
    /** Audio of four seconds that is loud in the first and the last second. */
    const GRAPH = `aevalsrc='0.5*sin(2*PI*300*t)*(lt(t,1)+gte(t,3))':s=8000:d=4`

    const mono: [what: string, name: string, args: string[]][] = [
      ['one channel', 'mono.wav', []],
      ['a header without a length', 'mono.aac', ['-b:a', '64k']],
      ['identical channels', 'same.wav', ['-ac', '2']],
      ['more than two channels', 'six.wav', ['-af', 'pan=6c|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0']],
    ]
    for (const [what, name, args] of mono) {
      it(`one list of peaks has the right times: ${what}`, async () => {
        const { peaks, durationSeconds } = await read(sounds.generateFile(name, GRAPH, ...args))
        expect(peaks).to.have.lengthOf(1)
        const at = (second: number) => peaks![0]![Math.floor((second / durationSeconds) * peaks![0]!.length)]!
        expect([at(0.5), at(3.5)].every((peak) => peak > 80)).to.equal(true)
        expect([at(1.5), at(2.5)].every((peak) => peak < 5)).to.equal(true)
      })
    }

    it('peaks cover all audio of a file whose header claims a wrong length', async () => {
      const file = join(sounds.folder, 'lies.wav')
      const bytes = readFileSync(SAMPLE_CALL_PATH)
      // A recorder that crashes during the call leaves this data size.
      bytes.writeUInt32LE(0xffffffff, bytes.indexOf('data') + 4)
      writeFileSync(file, bytes)
      const [honest, lying] = [await read(SAMPLE_CALL_PATH), await read(file)]
      expect(lying.durationSeconds).to.equal(17.5)
      expect(lying.peaks).to.deep.equal(honest.peaks)
    })

    it('each channel of a stereo call has peaks, in the order of the channels', async () => {
      const { peaks, durationSeconds } = await read(SAMPLE_CALL_PATH)
      expect(peaks).to.have.lengthOf(2)
      const loudest = (channel: number, from: number, to: number) => {
        const indexAt = (second: number) => Math.floor((second / durationSeconds) * peaks![channel]!.length)
        return Math.max(...peaks![channel]!.slice(indexAt(from), indexAt(to)))
      }
      // The first channel speaks from 0.6 s, the second from 3.6 s.
      expect(loudest(0, 0.6, 3)).to.be.greaterThan(30)
      expect(loudest(1, 0.6, 3)).to.be.lessThan(5)
      expect(loudest(1, 4, 8)).to.be.greaterThan(30)
      expect(loudest(0, 4, 8)).to.be.lessThan(5)
    })
  })
})
