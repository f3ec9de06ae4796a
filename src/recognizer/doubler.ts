/** Samples on both sides of the middle that a new sample is made of. */
const SIDE = 16
/** Of the window (Kaiser) that the ideal filter is seen through. */
const BETA = 9
/** Fewer samples have no room for what is mirrored at their ends. */
export const SHORTEST_DOUBLED = 2 * SIDE + 2
const ONE = 32_768

/**
 * Doubles the rate of sound as libswresample does by default (libswresample/resample.c): every second sample is one that was
 * there, less a 32,768th of it; between two stands what a low pass of 32 samples makes of those around. Sums have 32 bits, the
 * ends are mirrored.
 */
export class Doubler {
  private readonly channels: number
  /** Samples that those to come are still made of, channels interleaved. */
  private held = new Int16Array(0)
  private started = false

  constructor(channels: number) {
    this.channels = channels
  }

  /** Takes samples, channels interleaved; returns as many new ones as can be told. */
  add(samples: Int16Array): Int16Array {
    let all = joined(this.held, samples)
    if (!this.started) {
      if (all.length < SHORTEST_DOUBLED * this.channels) {
        this.held = all
        return new Int16Array(0)
      }
      all = joined(this.mirrored(all, 1, SIDE), all)
      this.started = true
    }
    return this.double(all)
  }

  /** Returns the last ones; none of a sound that was too short. */
  end(): Int16Array {
    if (!this.started) return new Int16Array(0)
    const last = this.held.length / this.channels
    return this.double(joined(this.held, this.mirrored(this.held, last - SIDE, last)))
  }

  /** The frames from one to before another, the other way round. */
  private mirrored(samples: Int16Array, from: number, to: number): Int16Array {
    const { channels } = this
    const turned = new Int16Array((to - from) * channels)
    for (let frame = from; frame < to; frame++) {
      turned.set(samples.subarray(frame * channels, (frame + 1) * channels), (to - 1 - frame) * channels)
    }
    return turned
  }

  /** Doubles all frames that have enough others in front and behind, and holds what is needed for the next. */
  private double(samples: Int16Array): Int16Array {
    const { channels } = this
    const first = (SIDE - 1) * channels
    const end = samples.length - SIDE * channels
    const doubled = new Int16Array(Math.max(0, 2 * (end - first)))
    for (let at = first, to = 0; at < end; at += channels, to += channels) {
      for (let channel = at; channel < at + channels; channel++, to++) {
        doubled[to] = (samples[channel]! * (ONE - 1) + ONE / 2) >> 15
        let sum = ONE / 2
        for (let n = 0, before = channel, behind = channel + channels; n < SIDE; n++) {
          sum = (sum + Math.imul(FILTER[n]!, samples[before]! + samples[behind]!)) | 0
          before -= channels
          behind += channels
        }
        doubled[to + channels] = Math.max(-ONE, Math.min(ONE - 1, sum >> 15))
      }
    }
    this.held = samples.slice(end - first)
    return doubled
  }
}

/** One half of the filter, from the middle on, in whole 32,768ths. */
const FILTER = Int32Array.from({ length: SIDE }, (_, n) => {
  const distance = n + 0.5
  const ideal = Math.sin(Math.PI * distance) / (Math.PI * distance)
  return Math.round((ONE * ideal * bessel(BETA * Math.sqrt(1 - (distance / SIDE) ** 2))) / bessel(BETA))
})

/** The modified Bessel function of the first kind and order 0, by its power series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1]
  for (let n = 1; term > sum * Number.EPSILON; n++) {
    term *= (x / 2 / n) ** 2
    sum += term
  }
  return sum
}

function joined(a: Int16Array, b: Int16Array): Int16Array<ArrayBuffer> {
  const both = new Int16Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
