import { shouldYield, yieldToEventLoop } from '../../platform/lib/yielder.ts'
import { Fft } from './fft.ts'

/** Frames per second. */
export const VOICE_FRAME_RATE = 50
/** A window has at least two pitch periods of a low voice. */
const WINDOW_SECONDS = 0.032
/** The band of a telephone line, in Hz. */
const BAND = { from: 130, to: 3700 }
/** Number of mel filters in this band. */
export const MEL_FILTER_COUNT = 28
/** Number of cepstral coefficients per frame, without the first one, which is the level of the frame. */
export const CEPSTRUM_SIZE = 18
/** Filter levels are stored in steps of half a decibel above this level. */
const MIN_LEVEL_DB = -110
const STEPS_PER_DB = 2
/** Pitch range in Hz. Pitch is stored in steps of a quarter of a semitone: 1 is the lowest, 0 is unvoiced. */
const PITCH = { from: 70, to: 400, stepsPerOctave: 48 }
/** The least normalized autocorrelation of a voiced frame. */
const MIN_PERIODICITY = 0.5

/** The features of a channel. Frame n begins at n / VOICE_FRAME_RATE seconds. */
export interface VoiceFeatures {
  frameCount: number
  /** MEL_FILTER_COUNT quantized levels per frame. */
  levels: Uint8Array
  /** Quantized pitch of each frame, 0 if unvoiced. */
  pitches: Uint8Array
}

/**
 * Computes the features of the first `seconds` of a channel. They need 29 bytes per frame.
 * @throws the reason of `signal` if it is aborted
 */
export async function extractFeatures(
  { samples, sampleRate }: { samples: AsyncIterable<Float32Array> | Iterable<Float32Array>; sampleRate: number },
  seconds: number,
  signal: AbortSignal,
): Promise<VoiceFeatures> {
  const extractor = new FeatureExtractor(sampleRate, Math.ceil(seconds * VOICE_FRAME_RATE))
  for await (const block of samples) {
    signal.throwIfAborted()
    for (let at = 0; at < block.length; at += sampleRate) {
      extractor.push(block.subarray(at, at + sampleRate))
      if (shouldYield()) await yieldToEventLoop()
    }
  }
  signal.throwIfAborted()
  return extractor.features
}

class FeatureExtractor {
  readonly features: VoiceFeatures
  private readonly hop: number
  private readonly fft: Fft
  private readonly window: Float64Array
  private readonly filters: MelFilter[]
  private readonly samples: Float32Array
  private filled = 0
  private readonly real: Float64Array
  private readonly imaginary: Float64Array
  private readonly power: Float64Array
  private readonly lags: { from: number; to: number }

  constructor(
    private readonly sampleRate: number,
    private readonly maxFrames: number,
  ) {
    const size = WINDOW_SECONDS * sampleRate
    this.hop = sampleRate / VOICE_FRAME_RATE
    this.fft = new Fft(size)
    // Hann window.
    this.window = Float64Array.from({ length: size }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (n + 0.5)) / size))
    this.filters = createMelFilters(size, sampleRate)
    this.samples = new Float32Array(size)
    this.real = new Float64Array(size)
    this.imaginary = new Float64Array(size)
    this.power = new Float64Array(size)
    this.lags = { from: Math.floor(sampleRate / PITCH.to), to: Math.ceil(sampleRate / PITCH.from) }
    this.features = {
      frameCount: 0,
      levels: new Uint8Array(maxFrames * MEL_FILTER_COUNT),
      pitches: new Uint8Array(maxFrames),
    }
  }

  push(block: Float32Array): void {
    for (let at = 0; at < block.length && this.features.frameCount < this.maxFrames;) {
      const count = Math.min(block.length - at, this.samples.length - this.filled)
      this.samples.set(block.subarray(at, at + count), this.filled)
      this.filled += count
      at += count
      if (this.filled < this.samples.length) return
      this.addFrame()
      this.samples.copyWithin(0, this.hop)
      this.filled -= this.hop
    }
  }

  private addFrame(): void {
    const { size } = this.fft
    for (let n = 0; n < size; n++) this.real[n] = this.samples[n]! * this.window[n]!
    this.imaginary.fill(0)
    this.fft.transform(this.real, this.imaginary)
    for (let n = 0; n < size; n++) this.power[n] = this.real[n]! ** 2 + this.imaginary[n]! ** 2
    const frame = this.features.frameCount++
    for (const [number, filter] of this.filters.entries())
      this.features.levels[frame * MEL_FILTER_COUNT + number] = quantizeLevel(filter.apply(this.power) / size)
    this.features.pitches[frame] = this.findPitch()
  }

  /** Returns the quantized pitch with the highest autocorrelation, which is the Fourier transform of the power spectrum. */
  private findPitch(): number {
    this.real.set(this.power)
    this.imaginary.fill(0)
    this.fft.transform(this.real, this.imaginary)
    const { from, to } = this.lags
    let best = from
    for (let lag = from; lag < to; lag++) if (this.correlation(lag) > this.correlation(best)) best = lag
    if (best === from || this.correlation(best) < MIN_PERIODICITY * this.correlation(0)) return 0
    return Math.round(1 + PITCH.stepsPerOctave * Math.log2(this.sampleRate / best / PITCH.from))
  }

  /**
   * Returns the autocorrelation divided by that of the Hann window (Boersma 1993, equation 8). It is approximate, because the
   * transform wraps around at the end of the window.
   */
  private correlation(lag: number): number {
    const share = lag / this.fft.size
    return (
      this.real[lag]! /
      ((1 - share) * (2 / 3 + Math.cos(2 * Math.PI * share) / 3) + Math.sin(2 * Math.PI * share) / (2 * Math.PI))
    )
  }
}

const quantizeLevel = (power: number): number =>
  Math.max(0, Math.min(255, Math.round((10 * Math.log10(power + 1e-12) - MIN_LEVEL_DB) * STEPS_PER_DB)))

/** A triangular filter over bins of a spectrum. */
class MelFilter {
  constructor(
    private readonly first: number,
    private readonly weights: Float64Array,
  ) {}

  apply(power: Float64Array): number {
    let sum = 0
    for (let n = 0; n < this.weights.length; n++) sum += this.weights[n]! * power[this.first + n]!
    return sum
  }
}

const toMel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700)
const fromMel = (mel: number): number => 700 * (10 ** (mel / 2595) - 1)

function createMelFilters(size: number, sampleRate: number): MelFilter[] {
  const [low, high] = [toMel(BAND.from), toMel(BAND.to)]
  const edges = Array.from({ length: MEL_FILTER_COUNT + 2 }, (_, n) =>
    (fromMel(low + ((high - low) * n) / (MEL_FILTER_COUNT + 1)) * size) / sampleRate) // prettier-ignore
  return edges.slice(1, -1).map((centre, n) => {
    // Widen narrow filters to a bin on each side, so that each filter includes a bin.
    const left = Math.min(edges[n]!, centre - 1)
    const right = Math.max(edges[n + 2]!, centre + 1)
    const first = Math.ceil(left)
    const weights = Float64Array.from({ length: Math.floor(right) - first + 1 }, (_, k) => {
      const bin = first + k
      return bin <= centre ? (bin - left) / (centre - left) : (right - bin) / (right - centre)
    })
    return new MelFilter(first, weights)
  })
}

/** The matrix of the orthonormal discrete cosine transform (DCT-II), without its first row. */
const COSINES = Float64Array.from({ length: CEPSTRUM_SIZE * MEL_FILTER_COUNT }, (_, n) => {
  const [row, column] = [Math.floor(n / MEL_FILTER_COUNT) + 1, n % MEL_FILTER_COUNT]
  return Math.sqrt(2 / MEL_FILTER_COUNT) * Math.cos((Math.PI * row * (column + 0.5)) / MEL_FILTER_COUNT)
})

/** Writes the mel-frequency cepstral coefficients of a frame to `to` from index `at` (Davis and Mermelstein 1980). */
export function computeCepstrum({ levels }: VoiceFeatures, frame: number, to: Float32Array, at: number): void {
  for (let row = 0; row < CEPSTRUM_SIZE; row++) {
    let sum = 0
    for (let n = 0; n < MEL_FILTER_COUNT; n++)
      sum += COSINES[row * MEL_FILTER_COUNT + n]! * levels[frame * MEL_FILTER_COUNT + n]!
    to[at + row] = sum / STEPS_PER_DB / 4
  }
}

/** Power of each quantized level. */
const POWERS = Float64Array.from({ length: 256 }, (_, level) => 10 ** ((level / STEPS_PER_DB + MIN_LEVEL_DB) / 10))

/** Returns the level of each frame in decibels: the summed power of all filters. */
export function computeLevels({ levels, frameCount }: VoiceFeatures): Float32Array {
  return Float32Array.from({ length: frameCount }, (_, frame) => {
    let power = 0
    for (let n = 0; n < MEL_FILTER_COUNT; n++) power += POWERS[levels[frame * MEL_FILTER_COUNT + n]!]!
    return 10 * Math.log10(power)
  })
}
