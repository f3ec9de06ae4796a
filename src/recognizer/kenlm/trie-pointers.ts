import { LanguageModelError } from './error.ts'
import type { ModelHeader, FileLayout } from './header.ts'
import type { ModelMemory } from './memory.ts'

/** Number of bits of a whole number: 0 for 0, 9 for 322. */
export function countBits(value: number): number {
  const high = Math.floor(value / 2 ** 32)
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value)
}

/** Pointers to longer n-grams; types 4 and 5 store the upper bits as a sorted array of rows. */
export class TriePointers {
  /** Upper bits of the last pointer. */
  private upper = 0

  constructor(
    private readonly memory: ModelMemory,
    /** Bits in the row. */
    readonly inlineBits: number,
    /** The maximum of chopped bits, as configured by the program that wrote the file. */
    readonly maxChopped = 0,
    private readonly array = 0,
    private readonly arrayLength = 0,
  ) {}

  /** The pointer of row `row`, with its lower bits from bit `at` on: the first row that extends it. */
  begin(at: number, row: number): number {
    if (this.arrayLength > 0) this.upper = this.findUpper(row)
    return this.join(at)
  }

  /** The same for the row after the one of the last `begin`: where that one's rows end. */
  end(at: number, row: number): number {
    // Neighbours almost always share their upper bits, so this avoids another search.
    while (this.upper + 1 < this.arrayLength && this.valueAt(this.upper + 1) <= row) this.upper++
    return this.join(at)
  }

  private join(at: number): number {
    return this.upper * 2 ** this.inlineBits + this.memory.wideBits(at, this.inlineBits)
  }

  /** Number of array values not above `row`, less the first one, which is 0. */
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

/** Reads the pointer array of `length` words, if the model has one; only the first has the number of chopped bits. */
export function readPointers(
  memory: ModelMemory,
  header: ModelHeader,
  length: number,
  layout: FileLayout,
  first: TriePointers | undefined,
): TriePointers {
  const next = header.counts[length]!
  const needed = countBits(next)
  if (!header.pointerArrays) return new TriePointers(memory, needed)
  const part = `pointer array of ${length}-grams`
  const maxChopped = first?.maxChopped ?? readMaxChopped(memory, layout, part)
  const inlineBits = needed - chooseChop(next, header.counts[length - 1]! + 1, needed, maxChopped)
  const arrayLength = Math.floor(next / 2 ** inlineBits) + 1
  const start = layout.take(8 * (1 + arrayLength) + 7, part)
  // The values are aligned within the file, whatever precedes them.
  const array = (Math.ceil(start / 8) * 8 + 8) / 4
  return new TriePointers(memory, inlineBits, maxChopped, array, arrayLength)
}

function readMaxChopped(memory: ModelMemory, layout: FileLayout, part: string): number {
  const start = layout.at
  layout.take(2, part)
  layout.at = start
  const version = memory.bits(start * 8, 8)
  if (version !== 0) throw new LanguageModelError(`its pointer arrays have the unknown version ${version}`)
  return memory.bits(start * 8 + 8, 8)
}

/** The number of chopped bits that minimises array and rows, in bits; the smallest such number. */
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
