import type { AudioStats, TranscriptSegment } from './contract.ts'

/** A channel is silent if no sample exceeds this level (-60 dB). */
const MAX_SILENT_LEVEL = 33
/** Samples above this level (-40 dB) are audible. */
const MIN_AUDIBLE_LEVEL = 330
/** Samples above this level are clipped or nearly clipped. */
const MIN_EXTREME_LEVEL = 31_800
/** Listeners hear distortion if one audible sample in a thousand is clipped. Well recorded speech has almost none. */
const MIN_CLIPPED_SHARE = 0.001

/** Measures the loudness of each channel to detect silent and clipped recordings. */
export class ChannelLoudnessStats {
  private readonly channels: { loudest: number; audible: number; extreme: number }[]

  constructor(channels: number) {
    this.channels = Array.from({ length: channels }, () => ({ loudest: 0, audible: 0, extreme: 0 }))
  }

  /** @param samples interleaved 16-bit samples of all channels */
  add(samples: Int16Array): void {
    for (const [channel, stats] of this.channels.entries()) {
      let { loudest, audible, extreme } = stats
      for (let i = channel; i < samples.length; i += this.channels.length) {
        const level = Math.abs(samples[i]!)
        if (level > loudest) loudest = level
        if (level > MIN_AUDIBLE_LEVEL) audible++
        if (level > MIN_EXTREME_LEVEL) extreme++
      }
      this.channels[channel] = { loudest, audible, extreme }
    }
  }

  /**
   * Returns the measurements of all channels. With identical channels, both get the speech of the recognized one.
   * @param speech seconds of speech in each recognized channel, in the order of `sources`
   * @param sources numbers of the recognized channels
   */
  summarize(speech: number[], sources: number[]): AudioStats {
    const channels = this.channels.length
    const identical = channels === 2 && sources.length === 1
    const speechSeconds = this.channels.map((_, channel) => {
      const seconds = speech[identical ? 0 : sources.indexOf(channel)] ?? 0
      return Math.round(seconds * 10) / 10
    })
    const silent = this.channels.map(({ loudest }) => loudest <= MAX_SILENT_LEVEL)
    const clipped = this.channels.some(({ extreme, audible }) => extreme > audible * MIN_CLIPPED_SHARE)
    return { channels, speechSeconds, silent, identical, clipped }
  }
}

/** Returns the total length of the segments on each channel, in seconds. */
export const sumSpeechSeconds = (segments: TranscriptSegment[], channels: number): number[] =>
  Array.from({ length: channels }, (_, number) =>
    segments.reduce((sum, { start, end, channel }) => sum + (channel === number ? end - start : 0), 0),
  )
