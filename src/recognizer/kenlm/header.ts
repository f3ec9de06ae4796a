import { LanguageModelError } from './error.ts'
import type { KenlmModelMemory } from './memory.ts'

const MAGIC = 'mmap lm http://kheafield.com/code '
const MAGIC_BYTES = 56
const SANITY_WORDS = [0, 0x3f800000, 0xbf000000, 1, 0xffffffff, 0, 1, 0]
const FIXED_HEADER_BYTES = 108

/** Kinds of tables. The index is the type number in the file. */
const TABLE_KINDS = [
  'probing',
  'probing with rest costs',
  'trie',
  'quantised trie',
  'trie with pointer array',
  'quantised trie with pointer array',
] as const

/** The header of a binary language model in format version 5 of KenLM. */
export interface KenlmModelHeader {
  order: number
  /** Number of slots per entry of the hash tables. */
  multiplier: number
  kind: (typeof TABLE_KINDS)[number]
  hashed: boolean
  restCosts: boolean
  quantised: boolean
  pointerArrays: boolean
  /** True if the file contains the words after the tables. */
  hasWords: boolean
  /** Number of n-grams of each length, from 1 to the order. */
  counts: number[]
  /** Size of the header in bytes. The vocabulary starts there. */
  size: number
}

/**
 * Parses the header of a binary model.
 * @throws LanguageModelError if the header is damaged, incomplete, not of version 5 or from an incompatible machine
 */
export function parseKenlmHeader(memory: KenlmModelMemory): KenlmModelHeader {
  checkMagic(memory)
  if (memory.size < FIXED_HEADER_BYTES) throw truncatedModelError(memory.size, FIXED_HEADER_BYTES, 'header')
  if (SANITY_WORDS.some((word, i) => memory.word(MAGIC_BYTES / 4 + i) !== (word | 0))) {
    throw new LanguageModelError('it was written on a machine of another kind (byte order or number format)')
  }
  const order = memory.word(22) & 255
  if (order < 2) throw new LanguageModelError(`its header is damaged: order ${order}, at least 2 is expected`)
  const type = memory.word(24) >>> 0
  const kind = TABLE_KINDS[type]
  if (!kind) throw new LanguageModelError(`it holds tables of unknown type ${type}`)
  const hashed = type <= 1
  const searchVersion = memory.word(26) >>> 0
  if (searchVersion !== (hashed ? 0 : 1)) {
    throw new LanguageModelError(`its tables (${kind}) have the unknown version ${searchVersion}`)
  }
  const size = Math.ceil((FIXED_HEADER_BYTES + 8 * order) / 8) * 8
  if (memory.size < size) throw truncatedModelError(memory.size, size, 'header')
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

/**
 * Creates the error for a file that ends too early.
 * @param size the size of the file in bytes
 * @param needed the minimum number of bytes
 * @param part the part in which the file ends
 */
export function truncatedModelError(size: number, needed: number, part: string): LanguageModelError {
  return new LanguageModelError(
    `the file is truncated: it has ${size} bytes and ends inside its ${part}, at least ${needed} are needed`,
  )
}

/**
 * Checks that the file starts like a binary model of version 5.
 * @throws LanguageModelError that names the difference
 */
function checkMagic(memory: KenlmModelMemory): void {
  const start = readLeadingAscii(memory, Math.min(MAGIC_BYTES, memory.size))
  if (memory.size < MAGIC_BYTES && `${MAGIC}format version 5\n`.startsWith(start.replace(/\0+$/, ''))) {
    throw truncatedModelError(memory.size, FIXED_HEADER_BYTES, 'header')
  }
  if (!start.startsWith(MAGIC)) {
    throw new LanguageModelError('it is no KenLM language model (neither a binary one nor ARPA text)')
  }
  const afterMagic = start.slice(MAGIC.length)
  if (afterMagic.startsWith('incomplete')) {
    throw new LanguageModelError('it is unfinished: the program that was building it stopped before the end')
  }
  const version = /^format version (\d+)\n/.exec(afterMagic)?.[1]
  if (version !== '5') {
    throw new LanguageModelError(`its format has version ${version ?? 'unknown'}; only version 5 can be read`)
  }
}

/** Reads the first `length` bytes as text with one character per byte. */
export function readLeadingAscii(memory: KenlmModelMemory, length: number): string {
  const codes = Array.from({ length }, (_, i) => memory.bits(i * 8, 8))
  return String.fromCharCode(...codes)
}

function readMultiplier(memory: KenlmModelMemory, hashed: boolean): number {
  const multiplier = new Float32Array(new Int32Array([memory.word(23)]).buffer)[0]!
  // The condition is negated, so that it rejects NaN too.
  if (hashed && !(multiplier > 1 && multiplier < 1e6)) {
    throw new LanguageModelError(`its header is damaged: table multiplier ${multiplier}`)
  }
  return multiplier
}

function readCounts(memory: KenlmModelMemory, order: number): number[] {
  const counts = Array.from({ length: order }, (_, i) => memory.long(FIXED_HEADER_BYTES / 4 + 2 * i))
  const invalid = counts.findIndex((count, i) => count > 2 ** 48 || (i === 0 && (count < 1 || count > 2 ** 31 - 2)))
  if (invalid >= 0) {
    throw new LanguageModelError(`its header is damaged: ${counts[invalid]} n-grams of length ${invalid + 1}`)
  }
  return counts
}

/** Locates the consecutive parts of a file and checks that each part is inside the file. */
export class ModelFileLayout {
  constructor(
    private readonly memory: KenlmModelMemory,
    /** Offset of the next part in bytes. */
    public at: number,
  ) {}

  /**
   * Returns the start of the next part in bytes.
   * @throws LanguageModelError if the file ends before the part does
   */
  take(bytes: number, part: string): number {
    const start = this.at
    this.at += bytes
    if (this.at > this.memory.size) throw truncatedModelError(this.memory.size, this.at, part)
    return start
  }
}
