import { closeSync, fstatSync, openSync } from 'node:fs'
import koffi from 'koffi'
import { LanguageModelError } from './error.ts'

const PROT_READ = 1
const MAP_SHARED = 1
const MAP_FAILED = 0xffffffffffffffffn

/** A view of 4 GiB or more aborts the process, so we access a file through windows of 2 GiB. */
const WINDOW_BYTES = 2 ** 31
const WINDOW_WORDS = WINDOW_BYTES / 4

/**
 * The bytes of a model as little-endian 32-bit integers. Reads beyond the end return 0, so that damaged pointers cannot crash the
 * process.
 */
export class KenlmModelMemory {
  private first: Int32Array

  constructor(
    /** Size of the file in bytes. */
    readonly size: number,
    private windows: Int32Array[],
  ) {
    this.first = windows[0] ?? new Int32Array(0)
  }

  /** Returns the 32-bit integer at byte `index` × 4. */
  word(index: number): number {
    if (index < this.first.length) return this.first[index]!
    const window = Math.floor(index / WINDOW_WORDS)
    return this.windows[window]?.[index - window * WINDOW_WORDS] ?? 0
  }

  /** Returns the unsigned 64-bit integer at byte `index` × 4. It is exact up to 2^53. */
  long(index: number): number {
    return (this.word(index) >>> 0) + (this.word(index + 1) >>> 0) * 2 ** 32
  }

  /** Returns `width` bits (1 to 32) from bit `at` of the file. The result is signed if `width` is 32. */
  bits(at: number, width: number): number {
    const index = Math.floor(at / 32)
    const shift = at - index * 32
    let value = this.word(index) >>> shift
    if (shift + width > 32) value |= this.word(index + 1) << (32 - shift)
    return width === 32 ? value : value & ((1 << width) - 1)
  }

  /** Returns `width` bits (0 to 57) from bit `at` of the file as an unsigned number. */
  wideBits(at: number, width: number): number {
    if (width === 0) return 0
    if (width <= 32) return this.bits(at, width) >>> 0
    return (this.bits(at, 32) >>> 0) + (this.bits(at + 32, width - 32) >>> 0) * 2 ** 32
  }

  /** Drops the contents, so that all later reads return 0. */
  drop(): void {
    this.windows = []
    this.first = new Int32Array(0)
  }
}

interface MappedFile {
  memory: KenlmModelMemory
  close(): void
}

/**
 * Maps a file into memory. If the file is truncated while it is mapped, later reads crash the process.
 * @throws LanguageModelError if the path is no regular file, or the file is empty or cannot be mapped
 * @throws Error if the file cannot be opened
 */
export function mapKenlmFileToMemory(path: string): MappedFile {
  const file = openSync(path, 'r')
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new LanguageModelError('it is not a file')
    if (stat.size === 0) throw new LanguageModelError('the file is empty')
    const address = loadSystemCalls().mmap(null, stat.size, PROT_READ, MAP_SHARED, file, 0)
    if (address === MAP_FAILED) {
      throw new LanguageModelError(`the system cannot map the file into memory (error ${koffi.errno()})`)
    }
    const memory = new KenlmModelMemory(stat.size, createWindows(address, stat.size))
    const close = () => {
      memory.drop()
      loadSystemCalls().munmap(address, stat.size)
    }
    return { memory, close }
  } finally {
    closeSync(file)
  }
}

function createWindows(address: bigint, size: number): Int32Array[] {
  // The last 32-bit word can extend beyond the end of the file. The rest of its memory page reads as zeros.
  const readable = Math.ceil(size / 4) * 4
  const windows: Int32Array[] = []
  for (let at = 0; at < readable; at += WINDOW_BYTES) {
    windows.push(new Int32Array(koffi.view(address + BigInt(at), Math.min(WINDOW_BYTES, readable - at))))
  }
  return windows
}

interface SystemCalls {
  mmap(address: null, length: number, protection: number, flags: number, file: number, offset: number): bigint
  munmap(address: bigint, length: number): number
}

let systemCalls: SystemCalls | undefined

function loadSystemCalls(): SystemCalls {
  if (!systemCalls) {
    const library = koffi.load(null)
    systemCalls = {
      mmap: library.func(
        'void *mmap(void *address, size_t length, int protection, int flags, int file, int64_t offset)',
      ),
      munmap: library.func('int munmap(void *address, size_t length)'),
    }
  }
  return systemCalls
}
