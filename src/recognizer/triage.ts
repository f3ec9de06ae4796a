import type { AudioFacts } from './contract.ts'

/** 16-bit samples that never go beyond this (-60 dB) are a line on which nobody is. */
const SILENT = 33
/** What is louder than this (-40 dB) counts as sound … */
const SOUND = 330
/** … and what is beyond this was cut off, or is about to be. */
const EXTREME = 31_800
/** Speech that was recorded well has next to no such samples; one in a thousand is heard as distortion. */
const CLIPPED_SHARE = 0.001

/** What the audio of a file's channels is like, taken down while it streams by. */
export class Triage {
  private readonly loudest: number[]
  private readonly sounding: number[]
  private readonly extreme: number[]

  constructor(channels: number) {
    const zeros = () => Array.from({ length: channels }, () => 0)
    this.loudest = zeros()
    this.sounding = zeros()
    this.extreme = zeros()
  }

  add(samples: Int16Array): void {
    const channels = this.loudest.length
    for (let channel = 0; channel < channels; channel++) {
      let [loudest, sounding, extreme] = [this.loudest[channel]!, 0, 0]
      for (let i = channel; i < samples.length; i += channels) {
        const sample = samples[i]!
        const height = sample < 0 ? -sample : sample
        if (height > loudest) loudest = height
        if (height > SOUND) sounding++
        if (height > EXTREME) extreme++
      }
      this.loudest[channel] = loudest
      this.sounding[channel]! += sounding
      this.extreme[channel]! += extreme
    }
  }

  /** @param recognised seconds of speech of the channels that were recognised; @param sources which ones those are */
  facts(recognised: number[], sources: number[]): AudioFacts {
    const channels = this.loudest.length
    const identical = channels === 2 && sources.length === 1
    const speechSeconds = this.loudest.map((_, channel) => {
      const seconds = recognised[identical ? 0 : sources.indexOf(channel)] ?? 0
      return Math.round(seconds * 10) / 10
    })
    const silent = this.loudest.map((loudest) => loudest <= SILENT)
    const clipped = this.extreme.some((count, channel) => count > this.sounding[channel]! * CLIPPED_SHARE)
    return { channels, speechSeconds, silent, identical, clipped }
  }
}
