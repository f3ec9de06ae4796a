import { LanguageModelError } from './error.ts'
import type { Memory } from './memory.ts'

const MAGIC = 'mmap lm http://kheafield.com/code '
const MAGIC_BYTES = 56
const SANITY_WORDS = [0, 0x3f800000, 0xbf000000, 1, 0xffffffff, 0, 1, 0]
const FIXED_BYTES = 108

/** Kinds of tables, by the number in the file. */
const KINDS = [
  'probing',
  'probing with rest costs',
  'trie',
  'quantised trie',
  'trie with pointer array',
  'quantised trie with pointer array',
] as const

/** The header of a binary language model (KenLM format version 5). */
export interface Header {
  order: number
  /** Size of the hash tables in relation to their entries. */
  multiplier: number
  kind: (typeof KINDS)[number]
  hashed: boolean
  restCosts: boolean
  quantised: boolean
  pointerArrays: boolean
  /** Whether the words themselves follow the tables. */
  hasWords: boolean
  /** Number of n-grams of each length, from 1 to the order. */
  counts: number[]
  /** Where the vocabulary begins, in bytes. */
  size: number
}

/** Reads the header of a binary model. @throws LanguageModelError if it is not a complete version 5 */
export function readHeader(memory: Memory): Header {
  checkMagic(memory)
  if (memory.size < FIXED_BYTES) throw truncated(memory.size, FIXED_BYTES, 'header')
  if (SANITY_WORDS.some((word, i) => memory.word(MAGIC_BYTES / 4 + i) !== (word | 0))) {
    throw new LanguageModelError('it was written on a machine of another kind (byte order or number format)')
  }
  const order = memory.word(22) & 255
  if (order < 2) throw new LanguageModelError(`its header is damaged: order ${order}, at least 2 is expected`)
  const type = memory.word(24) >>> 0
  const kind = KINDS[type]
  if (!kind) throw new LanguageModelError(`it holds tables of unknown type ${type}`)
  const hashed = type <= 1
  const searchVersion = memory.word(26) >>> 0
  if (searchVersion !== (hashed ? 0 : 1)) {
    throw new LanguageModelError(`its tables (${kind}) have the unknown version ${searchVersion}`)
  }
  const size = Math.ceil((FIXED_BYTES + 8 * order) / 8) * 8
  if (memory.size < size) throw truncated(memory.size, size, 'header')
  return {
    order,
    multiplier: readMultiplier(memory, hashed),
    kind,
    hashed,
    restCosts: type === 1,
    quantised: type === 3 || type === 5,
    pointerArrays: type >= 4,
    hasWords: (memory.word(25) & 255) !== 0,
    counts: readCounts(memory, order),
    size,
  }
}

export function truncated(size: number, needed: number, part: string): LanguageModelError {
  return new LanguageModelError(
    `the file is truncated: it has ${size} bytes and ends inside its ${part}, at least ${needed} are needed`,
  )
}

/** Whether the file begins like a binary model of any version, even if it is too short. */
function checkMagic(memory: Memory): void {
  const start = readText(memory, Math.min(MAGIC_BYTES, memory.size))
  if (memory.size < MAGIC_BYTES && `${MAGIC}format version 5\n`.startsWith(start.replace(/\0+$/, ''))) {
    throw truncated(memory.size, FIXED_BYTES, 'header')
  }
  if (!start.startsWith(MAGIC)) {
    throw new LanguageModelError('it is no KenLM language model (neither a binary one nor ARPA text)')
  }
  const rest = start.slice(MAGIC.length)
  if (rest.startsWith('incomplete')) {
    throw new LanguageModelError('it is unfinished: the program that was building it stopped before the end')
  }
  const version = /^format version (\d+)\n/.exec(rest)?.[1]
  if (version !== '5') {
    throw new LanguageModelError(`its format has version ${version ?? 'unknown'}; only version 5 can be read`)
  }
}

/** The first `length` bytes as text, one character per byte. */
export function readText(memory: Memory, length: number): string {
  const codes = Array.from({ length }, (_, i) => memory.bits(i * 8, 8))
  return String.fromCharCode(...codes)
}

function readMultiplier(memory: Memory, hashed: boolean): number {
  const multiplier = new Float32Array(new Int32Array([memory.word(23)]).buffer)[0]!
  // Negated, so that NaN is rejected too.
  if (hashed && !(multiplier > 1 && multiplier < 1e6)) {
    throw new LanguageModelError(`its header is damaged: table multiplier ${multiplier}`)
  }
  return multiplier
}

function readCounts(memory: Memory, order: number): number[] {
  const counts = Array.from({ length: order }, (_, i) => memory.long(FIXED_BYTES / 4 + 2 * i))
  const bad = counts.findIndex((count, i) => count > 2 ** 48 || (i === 0 && (count < 1 || count > 2 ** 31 - 2)))
  if (bad >= 0) {
    throw new LanguageModelError(`its header is damaged: ${counts[bad]} n-grams of length ${bad + 1}`)
  }
  return counts
}

/** Assigns consecutive parts of a file and checks that each is inside it. */
export class Layout {
  constructor(
    private readonly memory: Memory,
    /** Start of the next part, in bytes. */
    public at: number,
  ) {}

  /** Returns the start of the next `bytes` bytes. @throws LanguageModelError if the file ends before them */
  take(bytes: number, part: string): number {
    const start = this.at
    this.at += bytes
    if (this.at > this.memory.size) throw truncated(this.memory.size, this.at, part)
    return start
  }
}
