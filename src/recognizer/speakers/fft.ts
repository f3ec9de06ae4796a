/** Fast Fourier transform of a fixed size, a power of two (iterative radix 2, Cooley and Tukey 1965). */
export class Fft {
  private readonly cos: Float64Array
  private readonly sin: Float64Array
  private readonly reversed: Uint16Array

  constructor(readonly size: number) {
    this.cos = Float64Array.from({ length: size / 2 }, (_, n) => Math.cos((2 * Math.PI * n) / size))
    this.sin = Float64Array.from({ length: size / 2 }, (_, n) => Math.sin((2 * Math.PI * n) / size))
    this.reversed = new Uint16Array(size)
    for (let n = 1; n < size; n++) this.reversed[n] = (this.reversed[n >> 1]! >> 1) | (n & 1 ? size >> 1 : 0)
  }

  /** Replaces a complex signal of `size` values by its forward transform, without scaling. */
  transform(real: Float64Array, imaginary: Float64Array): void {
    this.reorder(real)
    this.reorder(imaginary)
    for (let half = 1; half < this.size; half *= 2) this.combine(real, imaginary, half)
  }

  private reorder(values: Float64Array): void {
    for (let n = 0; n < this.size; n++) {
      const other = this.reversed[n]!
      if (other > n) [values[n], values[other]] = [values[other]!, values[n]!]
    }
  }

  private combine(real: Float64Array, imaginary: Float64Array, half: number): void {
    const step = this.size / (2 * half)
    for (let n = 0; n < half; n++) {
      const [cos, sin] = [this.cos[n * step]!, this.sin[n * step]!]
      for (let at = n; at < this.size; at += 2 * half) {
        const re = real[at + half]! * cos + imaginary[at + half]! * sin
        const im = imaginary[at + half]! * cos - real[at + half]! * sin
        real[at + half] = real[at]! - re
        imaginary[at + half] = imaginary[at]! - im
        real[at]! += re
        imaginary[at]! += im
      }
    }
  }
}
