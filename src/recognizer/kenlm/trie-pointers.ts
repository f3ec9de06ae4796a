import { LanguageModelError } from './error.ts'
import type { KenlmModelHeader, ModelFileLayout } from './header.ts'
import type { KenlmModelMemory } from './memory.ts'

/** Returns the number of significant bits of a whole number: 0 for 0, 9 for 322. */
export function countSignificantBits(value: number): number {
  const high = Math.floor(value / 2 ** 32)
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value)
}

/**
 * Pointers from an n-gram to the rows that extend it. Types 4 and 5 store the upper bits separately in a sorted array of row
 * numbers.
 */
export class TriePointers {
  /** Upper bits of the last pointer. */
  private upper = 0

  constructor(
    private readonly memory: KenlmModelMemory,
    /** Number of pointer bits in a row. */
    readonly inlineBits: number,
    /** The maximum number of bits moved from the rows to the array, as the writing program was configured. */
    readonly maxChopped = 0,
    private readonly array = 0,
    private readonly arrayLength = 0,
  ) {}

  /**
   * Returns the first row that extends row `row`. Its lower bits start at bit `at` of the file. Also stores the upper bits for the
   * following call to `end()`.
   */
  begin(at: number, row: number): number {
    if (this.arrayLength > 0) this.upper = this.findUpper(row)
    return this.join(at)
  }

  /** Returns the first row that extends row `row`, the successor of the row in `begin()`. The extensions of that row end there. */
  end(at: number, row: number): number {
    // Neighbours almost always share their upper bits, so this loop avoids another binary search.
    while (this.upper + 1 < this.arrayLength && this.valueAt(this.upper + 1) <= row) this.upper++
    return this.join(at)
  }

  private join(at: number): number {
    return this.upper * 2 ** this.inlineBits + this.memory.wideBits(at, this.inlineBits)
  }

  /** Returns the index of the last array value that does not exceed `row`. The first value of the array is 0. */
  private findUpper(row: number): number {
    let low = 0
    let high = this.arrayLength
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.valueAt(middle) <= row) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  private valueAt(index: number): number {
    return this.memory.long(this.array + 2 * index)
  }
}

/**
 * Parses the pointers of the n-grams of `length` words.
 * @param first the pointers of length 2, whose maximum number of chopped bits applies to all lengths; undefined for length 2
 */
export function parseTriePointers(
  memory: KenlmModelMemory,
  header: KenlmModelHeader,
  length: number,
  layout: ModelFileLayout,
  first: TriePointers | undefined,
): TriePointers {
  const next = header.counts[length]!
  const needed = countSignificantBits(next)
  if (!header.pointerArrays) return new TriePointers(memory, needed)
  const part = `pointer array of ${length}-grams`
  const maxChopped = first?.maxChopped ?? readMaxChopped(memory, layout, part)
  const inlineBits = needed - chooseChop(next, header.counts[length - 1]! + 1, needed, maxChopped)
  const arrayLength = Math.floor(next / 2 ** inlineBits) + 1
  const start = layout.take(8 * (1 + arrayLength) + 7, part)
  // The values are aligned to 8 bytes within the file.
  const array = (Math.ceil(start / 8) * 8 + 8) / 4
  return new TriePointers(memory, inlineBits, maxChopped, array, arrayLength)
}

function readMaxChopped(memory: KenlmModelMemory, layout: ModelFileLayout, part: string): number {
  const start = layout.at
  layout.take(2, part)
  layout.at = start
  const version = memory.bits(start * 8, 8)
  if (version !== 0) throw new LanguageModelError(`its pointer arrays have the unknown version ${version}`)
  return memory.bits(start * 8 + 8, 8)
}

/** Returns the smallest number of chopped bits that minimizes the total size of array and rows. */
function chooseChop(next: number, rows: number, needed: number, maxChopped: number): number {
  let best = 0
  let smallest = Infinity
  for (let chop = 0; chop <= Math.min(needed, maxChopped); chop++) {
    const size = Math.floor(next / 2 ** (needed - chop)) * 64 - rows * chop
    if (size < smallest) {
      smallest = size
      best = chop
    }
  }
  return best
}
