/** Selects the best scores in descending order without allocating. Equal scores keep their order. */
export class TopScoreSelector {
  /** Indexes of the selected scores, best first. Valid after `choose`. */
  order: Int32Array
  private spare: Int32Array
  private readonly values: Float64Array

  constructor(capacity: number) {
    this.order = new Int32Array(capacity)
    this.spare = new Int32Array(capacity)
    this.values = new Float64Array(capacity)
  }

  /**
   * Selects up to `maxCount` scores that are at least `limit`.
   * @returns how many scores are at least `limit`, including those not selected
   */
  choose(scores: Float64Array, count: number, limit: number, maxCount: number): number {
    const { order, values } = this
    let above = 0
    for (let i = 0; i < count; i++) {
      const score = scores[i]!
      if (score >= limit) {
        values[above] = score
        order[above++] = i
      }
    }
    if (above > maxCount) this.keep(scores, above, maxCount)
    this.sort(scores, Math.min(above, maxCount))
    return above
  }

  /** Keeps the `maxCount` best of the first `count` indexes. Of equal scores, the first ones stay. */
  private keep(scores: Float64Array, count: number, maxCount: number): void {
    const { order } = this
    const last = this.nthLargest(count, maxCount)
    let better = 0
    for (let i = 0; i < count; i++) if (scores[order[i]!]! > last) better++
    let equals = maxCount - better
    let written = 0
    for (let i = 0; i < count; i++) {
      const score = scores[order[i]!]!
      if (score > last || (score === last && equals-- > 0)) order[written++] = order[i]!
    }
  }

  /** Returns the `n`th largest of the first `count` values. Hoare's selection algorithm, which reorders the values. */
  private nthLargest(count: number, n: number): number {
    const { values } = this
    let low = 0
    let high = count - 1
    while (low < high) {
      const pivot = values[(low + high) >>> 1]!
      let i = low
      let j = high
      while (i <= j) {
        while (values[i]! > pivot) i++
        while (values[j]! < pivot) j--
        if (i > j) break
        const value = values[i]!
        values[i++] = values[j]!
        values[j--] = value
      }
      if (n - 1 <= j) high = j
      else if (n - 1 >= i) low = i
      else break
    }
    return values[n - 1]!
  }

  /** Sorts the first `count` indexes with merge sort, because it is stable and needs no new arrays. */
  private sort(scores: Float64Array, count: number): void {
    for (let width = 1; width < count; width *= 2) {
      for (let start = 0; start < count; start += 2 * width) {
        this.merge(scores, start, Math.min(start + width, count), Math.min(start + 2 * width, count))
      }
      const sorted = this.spare
      this.spare = this.order
      this.order = sorted
    }
  }

  private merge(scores: Float64Array, start: number, middle: number, end: number): void {
    const { order, spare } = this
    let left = start
    let right = middle
    for (let to = start; to < end; to++) {
      const takeLeft = left < middle && (right >= end || scores[order[left]!]! >= scores[order[right]!]!)
      spare[to] = order[takeLeft ? left++ : right++]!
    }
  }
}
