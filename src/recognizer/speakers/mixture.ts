import { CEPSTRUM_SIZE as SIZE } from './features.ts'

const LOG_2PI = Math.log(2 * Math.PI)
const MIN_VARIANCE = 0.05
/** Variance of a component without frames. It counts as much as this number of frames. */
const PRIOR = { variance: 0.3, frames: 8 }
const MIN_POSTERIOR = 1e-4

/** A Gaussian mixture model of cepstra, with diagonal covariances. */
export class CepstrumMixtureModel {
  private readonly means: Float64Array
  private readonly precisions: Float64Array
  /** Natural log of each component's weight and normalization. */
  private readonly constants: Float64Array
  private readonly posteriors: Float64Array

  /** @param frames indices of frames, of which random ones become the first means */
  constructor(
    private readonly components: number,
    private readonly cepstra: Float32Array,
    frames: Int32Array,
    random: () => number,
  ) {
    this.means = new Float64Array(components * SIZE)
    this.precisions = new Float64Array(components * SIZE).fill(1)
    this.constants = new Float64Array(components).fill(-Math.log(components) - (SIZE * LOG_2PI) / 2)
    this.posteriors = new Float64Array(components)
    for (let k = 0; k < components; k++) {
      const at = frames[Math.floor(random() * frames.length)]! * SIZE
      this.means.set(cepstra.subarray(at, at + SIZE), k * SIZE)
    }
  }

  /** Returns the natural log-likelihood of a frame. Also stores the posterior of each component in `posteriors`. */
  score(frame: number): number {
    const { means, precisions, constants, posteriors, cepstra } = this
    let max = -Infinity
    for (let k = 0; k < constants.length; k++) {
      let distance = 0
      for (let d = 0, at = frame * SIZE, own = k * SIZE; d < SIZE; d++, at++, own++) {
        const difference = cepstra[at]! - means[own]!
        distance += difference * difference * precisions[own]!
      }
      const value = constants[k]! - distance / 2
      posteriors[k] = value
      if (value > max) max = value
    }
    let sum = 0
    for (let k = 0; k < posteriors.length; k++) sum += posteriors[k] = Math.exp(posteriors[k]! - max)
    for (let k = 0; k < posteriors.length; k++) posteriors[k]! /= sum
    return max + Math.log(sum)
  }

  /** Fits the model to frames in rounds of expectation-maximization (Dempster, Laird and Rubin 1977). */
  train(frames: Int32Array, rounds: number): void {
    for (let round = 0; round < rounds; round++) this.maximize(frames)
  }

  private maximize(frames: Int32Array): void {
    const { components, cepstra, posteriors } = this
    const counts = new Float64Array(components)
    const sums = new Float64Array(components * SIZE)
    const squares = new Float64Array(components * SIZE)
    for (const frame of frames) {
      this.score(frame)
      for (let k = 0; k < components; k++) {
        const share = posteriors[k]!
        if (share < MIN_POSTERIOR) continue
        counts[k]! += share
        for (let d = 0, at = frame * SIZE, own = k * SIZE; d < SIZE; d++, at++, own++) {
          const weighted = share * cepstra[at]!
          sums[own]! += weighted
          squares[own]! += weighted * cepstra[at]!
        }
      }
    }
    for (let k = 0; k < components; k++) {
      const count = counts[k]! + 1e-3
      let constant = Math.log((counts[k]! + 1) / (frames.length + components)) - (SIZE * LOG_2PI) / 2
      for (let own = k * SIZE; own < (k + 1) * SIZE; own++) {
        const mean = sums[own]! / count
        const scatter = squares[own]! - count * mean * mean
        const variance = (scatter + PRIOR.frames * PRIOR.variance) / (count + PRIOR.frames)
        this.means[own] = mean
        this.precisions[own] = 1 / Math.max(MIN_VARIANCE, variance)
        constant += Math.log(this.precisions[own]!) / 2
      }
      this.constants[k] = constant
    }
  }
}
