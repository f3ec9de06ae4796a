const OPPOSITE_CORRELATION = -0.5

/** Mixes channels into their mean. Inverts a channel in opposite phase to those before it, because they would cancel out. */
export class ChannelMixer {
  /** For each channel: the sum of products with the mix of the previous channels, its energy, and the energy of that mix. */
  private readonly sums: { product: number; own: number; mix: number }[]

  constructor(private readonly channels: number) {
    this.sums = Array.from({ length: channels }, () => ({ product: 0, own: 0, mix: 0 }))
  }

  mix(samples: Int16Array): Int16Array {
    const { channels } = this
    const sum = new Int32Array(samples.length / channels)
    for (let channel = 0; channel < channels; channel++) {
      const sign = this.isOpposite(samples, channel, sum) ? -1 : 1
      for (let frame = 0; frame < sum.length; frame++) sum[frame]! += sign * samples[frame * channels + channel]!
    }
    return Int16Array.from(sum, (value) => Math.round(value / channels))
  }

  private isOpposite(samples: Int16Array, channel: number, sum: Int32Array): boolean {
    let [product, own, mix] = [0, 0, 0]
    for (let frame = 0; frame < sum.length; frame++) {
      const sample = samples[frame * this.channels + channel]!
      product += sample * sum[frame]!
      own += sample * sample
      mix += sum[frame]! * sum[frame]!
    }
    const sums = this.sums[channel]!
    sums.product += product
    sums.own += own
    sums.mix += mix
    return sums.product < OPPOSITE_CORRELATION * Math.sqrt(sums.own * sums.mix)
  }
}
