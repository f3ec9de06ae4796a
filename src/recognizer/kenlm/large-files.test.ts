import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openNgramLanguageModel } from './model.ts'

const WORDS = ['<s>', '</s>', 'да', 'нет', 'тариф', 'рубль']
const MASK_64 = 2n ** 64n - 1n

/** Computes MurmurHash64A with seed 0, directly from its definition. */
function hashMurmur(word: string): bigint {
  const multiplier = 0xc6a4a7935bd1e995n
  const bytes = Buffer.from(word)
  let hash = (BigInt(bytes.length) * multiplier) & MASK_64
  let at = 0
  for (; at + 8 <= bytes.length; at += 8) {
    let block = (bytes.readBigUInt64LE(at) * multiplier) & MASK_64
    block = ((block ^ (block >> 47n)) * multiplier) & MASK_64
    hash = ((hash ^ block) * multiplier) & MASK_64
  }
  if (at < bytes.length) {
    const rest = Buffer.alloc(8)
    bytes.copy(rest, 0, at)
    hash = ((hash ^ rest.readBigUInt64LE()) * multiplier) & MASK_64
  }
  hash = ((hash ^ (hash >> 47n)) * multiplier) & MASK_64
  return hash ^ (hash >> 47n)
}

/** A sparse file, in which only written parts occupy disk space. */
class SparseFile {
  private readonly file: number

  constructor(path: string) {
    this.file = openSync(path, 'w')
  }

  write(at: number, bytes: Uint8Array): void {
    writeSync(this.file, bytes, 0, bytes.length, at)
  }

  /** Writes the header of a model of order 2 without words. */
  header(type: number, words: number, pairs: number): void {
    const bytes = Buffer.alloc(128)
    bytes.write('mmap lm http://kheafield.com/code format version 5\n')
    ;[0, 1, -0.5].forEach((value, i) => bytes.writeFloatLE(value, 56 + 4 * i))
    ;[1, 0xffffffff, 0, 1].forEach((value, i) => bytes.writeUInt32LE(value, 68 + 4 * i))
    bytes[88] = 2
    bytes.writeFloatLE(1.5, 92)
    bytes.writeUInt32LE(type, 96)
    bytes.writeUInt32LE(type > 1 ? 1 : 0, 104)
    bytes.writeBigUInt64LE(BigInt(words), 108)
    bytes.writeBigUInt64LE(BigInt(pairs), 116)
    this.write(0, bytes)
  }

  close(size: number): void {
    ftruncateSync(this.file, size)
    closeSync(this.file)
  }
}

/** Returns the log10 probability of a pair of words. Each pair has a different one. */
const computePairProbability = (older: number, newer: number) => -(older + 16 * newer) / 256

function encodeFloat32(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer)
}

/** Returns the slot of a key by linear probing and adds it to the used slots in `taken`. */
function putSlot(key: bigint, buckets: number, taken: Set<number>): number {
  let slot = Number(key % BigInt(buckets))
  while (taken.has(slot)) slot = (slot + 1) % buckets
  taken.add(slot)
  return slot
}

/**
 * Writes a probing model with an entry for each pair of words and room for `pairs` entries.
 * @returns the offsets of the entries in the file
 */
function writeProbing(path: string, pairs: number): number[] {
  const file = new SparseFile(path)
  const words = WORDS.length + 1
  file.header(0, words, pairs)
  const vocabularyBuckets = Math.max(words + 1, Math.floor(words * 1.5))
  const taken = new Set<number>()
  WORDS.forEach((word, i) => {
    const entry = Buffer.alloc(12)
    entry.writeBigUInt64LE(hashMurmur(word))
    entry.writeUInt32LE(i + 1, 8)
    file.write(128 + 8 + 12 * putSlot(hashMurmur(word), vocabularyBuckets, taken), entry)
  })
  const unigrams = 128 + 8 + 12 * vocabularyBuckets
  for (let id = 0; id < words; id++) file.write(unigrams + 8 * id, encodeFloat32(8, -1))
  const table = unigrams + 8 * (words + 1)
  const buckets = Math.floor(pairs * 1.5)
  const takenPairs = new Set<number>()
  const offsets: number[] = []
  for (let older = 1; older < words; older++) {
    for (let newer = 1; newer < words; newer++) {
      const key = ((BigInt(newer) * 8978948897894561157n) ^ (BigInt(older + 1) * 17894857484156487943n)) & MASK_64
      const entry = Buffer.alloc(12)
      entry.writeBigUInt64LE(key)
      entry.set(encodeFloat32(computePairProbability(older, newer)), 8)
      offsets.push(table + 12 * putSlot(key, buckets, takenPairs))
      file.write(offsets.at(-1)!, entry)
    }
  }
  file.close(table + 12 * buckets)
  return offsets
}

/**
 * Writes a trie model in which each newest word has `apart` rows. All are zeros except the last one, which has the only pair.
 * @returns the ids of the words
 */
function writeTrie(path: string, apart: number): Map<string, number> {
  const file = new SparseFile(path)
  const words = WORDS.length + 1
  file.header(2, words, apart * words)
  const sorted = WORDS.toSorted((a, b) => (hashMurmur(a) < hashMurmur(b) ? -1 : 1))
  file.write(128, new Uint8Array(BigUint64Array.from([BigInt(sorted.length), ...sorted.map(hashMurmur)]).buffer))
  const unigrams = 128 + 8 + 8 * words
  const rows = unigrams + 16 * (words + 2)
  for (let id = 0; id <= words; id++) {
    file.write(unigrams + 16 * id, encodeFloat32(-8, -1))
    file.write(unigrams + 16 * id + 8, new Uint8Array(BigUint64Array.from([BigInt(id * apart)]).buffer))
  }
  for (let newer = 1; newer < words; newer++) {
    const bit = ((newer + 1) * apart - 1) * ROW_BITS
    const row = Buffer.alloc(8)
    const probability =
      Buffer.from(encodeFloat32(computePairProbability(OLDER_WORDS, newer))).readUInt32LE() & 0x7fffffff
    row.writeBigUInt64LE(((BigInt(probability) << 3n) | BigInt(OLDER_WORDS)) << BigInt(bit % 8))
    file.write(rows + Math.floor(bit / 8), row)
  }
  file.close(rows + Math.floor(((apart * words + 1) * ROW_BITS + 7) / 8) + 8)
  return new Map(sorted.map((word, i) => [word, i + 1]))
}
/** 3 bits for the id of the older word and 31 bits for the probability. */
const ROW_BITS = 34
/** The older word of all pairs in the trie. */
const OLDER_WORDS = 5

describe('language models of more than 4 GB', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'kenlm-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('a language model finds every pair of words in hash tables of 9 GB', () => {
    const path = join(folder, 'probing.bin')
    const offsets = writeProbing(path, 500_000_000)
    expect(offsets.filter((offset) => offset > 2 ** 32).length).to.be.above(5)
    const model = openNgramLanguageModel(path)
    const contexts = model.createContexts(3)
    model.beginAnywhere(contexts, 1)
    for (const [i, older] of WORDS.entries()) {
      for (const [k, newer] of WORDS.entries()) {
        model.score(contexts, 1, model.wordId(older), 0)
        const score = model.score(contexts, 0, model.wordId(newer), 2)
        expect([score, model.foundLength]).to.deep.equal([computePairProbability(i + 1, k + 1), 2])
      }
    }
    model.close()
  })

  it('a language model finds pairs of words in a trie of 12 GB', () => {
    const path = join(folder, 'trie.bin')
    const ids = writeTrie(path, 400_000_000)
    const model = openNgramLanguageModel(path)
    const contexts = model.createContexts(3)
    model.beginAnywhere(contexts, 1)
    model.score(contexts, 1, OLDER_WORDS, 0)
    for (const [word, id] of ids) {
      expect(model.wordId(word)).to.equal(id)
      expect([model.score(contexts, 0, id, 2), model.foundLength], word).to.deep.equal([
        computePairProbability(OLDER_WORDS, id),
        2,
      ])
    }
    model.close()
  })
})
