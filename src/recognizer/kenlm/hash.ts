/** A 64-bit integer in two 32-bit halves, because BigInt allocates memory in each operation. */
export class NgramHashKey {
  lo = 0
  hi = 0

  set(hi: number, lo: number): void {
    this.hi = hi | 0
    this.lo = lo | 0
  }

  xor(hi: number, lo: number): void {
    this.hi ^= hi
    this.lo ^= lo
  }

  /** Multiplies by hi × 2^32 + lo, modulo 2^64. */
  multiply(hi: number, lo: number): void {
    const a = this.lo & 0xffff
    const b = this.lo >>> 16
    const c = lo & 0xffff
    const d = lo >>> 16
    const low = Math.imul(a, c) >>> 0
    const inner = (Math.imul(b, c) >>> 0) + (low >>> 16)
    const outer = (Math.imul(a, d) >>> 0) + (inner & 0xffff)
    const carry = (Math.imul(b, d) >>> 0) + (inner >>> 16) + (outer >>> 16)
    this.hi = (carry + Math.imul(this.hi, lo) + Math.imul(this.lo, hi)) | 0
    this.lo = Math.imul(this.lo, lo)
  }

  /** Computes x ^= x >>> 47 on all 64 bits. The shift leaves only bits of the upper half, so only the lower half changes. */
  foldHigh(): void {
    this.lo ^= this.hi >>> 15
  }
}

const MURMUR_HI = 0xc6a4a793
const MURMUR_LO = 0x5bd1e995
const blockKey = new NgramHashKey()

/**
 * Computes MurmurHash64A (Austin Appleby, public domain) with seed 0.
 * @param length the number of bytes to hash
 * @param into receives the hash
 */
export function hashMurmur64(bytes: Uint8Array, length: number, into: NgramHashKey): void {
  into.set(0, length)
  into.multiply(MURMUR_HI, MURMUR_LO)
  const blockBytes = length - (length % 8)
  for (let at = 0; at < blockBytes; at += 8) {
    blockKey.set(readLittleEndian(bytes, at + 4, 4), readLittleEndian(bytes, at, 4))
    blockKey.multiply(MURMUR_HI, MURMUR_LO)
    blockKey.foldHigh()
    blockKey.multiply(MURMUR_HI, MURMUR_LO)
    into.xor(blockKey.hi, blockKey.lo)
    into.multiply(MURMUR_HI, MURMUR_LO)
  }
  const remainingBytes = length - blockBytes
  if (remainingBytes > 0) {
    into.xor(
      readLittleEndian(bytes, blockBytes + 4, remainingBytes - 4),
      readLittleEndian(bytes, blockBytes, Math.min(4, remainingBytes)),
    )
    into.multiply(MURMUR_HI, MURMUR_LO)
  }
  into.foldHigh()
  into.multiply(MURMUR_HI, MURMUR_LO)
  into.foldHigh()
}

/** Returns `count` bytes from offset `at` as an integer. Returns 0 if `count` is not positive. */
function readLittleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = 0; i < count; i++) value |= bytes[at + i]! << (8 * i)
  return value
}

/** Extends the key of an n-gram by an older word. The multipliers are those of the KenLM format. */
export function extendNgramKey(key: NgramHashKey, word: number): void {
  key.multiply(0x7c9ba273, 0x3b63f585)
  olderKey.set(0, word + 1)
  olderKey.multiply(0xf8574e12, 0x21634907)
  key.xor(olderKey.hi, olderKey.lo)
}
const olderKey = new NgramHashKey()
