import { expect } from 'chai'
import { ChannelLoudnessStats } from './channel-stats.ts'

const SECONDS = 2
const RATE = 8000
const createTone = (height: number) =>
  Int16Array.from({ length: SECONDS * RATE }, (_, n) => Math.max(-32_768, Math.min(32_767, height * Math.sin(n / 9))))

/** Feeds the channels in blocks of an odd number of frames and returns their statistics. */
function summarizeChannels(
  channels: Int16Array[],
  sources = channels.map((_, number) => number),
  seconds = [1.04, 0.5],
) {
  const width = channels.length
  const interleaved = Int16Array.from({ length: channels[0]!.length * width }, (_, n) => {
    return channels[n % width]![Math.floor(n / width)]!
  })
  const stats = new ChannelLoudnessStats(width)
  for (let at = 0; at < interleaved.length; at += 333 * width) stats.add(interleaved.subarray(at, at + 333 * width))
  return stats.summarize(seconds.slice(0, sources.length), sources)
}

describe('channel statistics', () => {
  it('the statistics have seconds of speech and treat faint line noise as silence', () => {
    expect(summarizeChannels([createTone(9000), createTone(20)])).to.deep.equal({
      channels: 2, speechSeconds: [1, 0.5], silent: [false, true], identical: false, clipped: false,
    }) // prettier-ignore
    expect(summarizeChannels([createTone(40)]).silent).to.deep.equal([false])
  })

  it('identical channels both get the speech of the recognized one', () => {
    expect(summarizeChannels([createTone(9000), createTone(9000)], [1])).to.deep.equal({
      channels: 2, speechSeconds: [1, 1], silent: [false, false], identical: true, clipped: false,
    }) // prettier-ignore
  })

  it('the statistics distinguish clipped audio from loud audio', () => {
    expect(summarizeChannels([createTone(31_000)]).clipped).to.equal(false)
    expect(summarizeChannels([createTone(60_000)]).clipped).to.equal(true)
    expect(summarizeChannels([createTone(9000), createTone(60_000)]).clipped).to.equal(true)
  })
})
