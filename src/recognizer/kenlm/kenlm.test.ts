import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { measureMemoryAfterGc } from '../../test/memory.ts'
import { RECOGNIZER_FIXTURES_FOLDER, loadRecognizerFixture } from '../../test/asr-fixtures.ts'
import { SeededRandom } from '../../test/seeded-random.ts'
import { LanguageModelError } from './error.ts'
import { hashMurmur64, NgramHashKey } from './hash.ts'
import { openNgramLanguageModel } from './model.ts'
import { computeFirstHashSlot } from './probing.ts'
import { scoreSentenceWithModel, type NgramSentenceScore, type NgramWordScore } from './sentence.ts'

interface ExpectedScores {
  sentences: string[]
  hashes: [word: string, hash: string][]
  models: {
    file: string
    sameAs?: string
    scores?: { words: NgramWordScore[]; total: number; totalNoBosNoEos: number }[]
  }[]
}

const BINARY_KINDS = [
  'probing',
  'restprobing',
  'probing-p2.25-nowords',
  'trie',
  'trie-q8b8',
  'trie-a22',
  'trie-a22-q8b8',
]
const modelPath = (kind: string) => `${RECOGNIZER_FIXTURES_FOLDER}/lm/ru5.${kind}.bin`

let folder: string
before(() => (folder = mkdtempSync(join(tmpdir(), 'kenlm-'))))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a model file, opens it and returns the error message. */
function catchMessage(bytes: Uint8Array | string): string {
  const path = join(folder, 'refused.bin')
  writeFileSync(path, bytes)
  try {
    openNgramLanguageModel(path).close()
  } catch (error) {
    expect(error).to.be.instanceOf(LanguageModelError)
    return (error as Error).message
  }
  return 'opened'
}

function changeBytes(kind: string, at: number, ...bytes: number[]): Uint8Array {
  const copy = new Uint8Array(readFileSync(modelPath(kind)))
  copy.set(bytes, at)
  return copy
}

describe('language model scores', () => {
  for (const family of ['ru5', 'ru2']) {
    const { sentences, models } = loadRecognizerFixture<ExpectedScores>('scores', `${family}.json`)
    for (const { file: path, scores, sameAs } of models) {
      it(`language model scores equal those of KenLM bit for bit: ${path}`, () => {
        const expected = scores ?? models.find((other) => other.file === sameAs)!.scores!
        const model = openNgramLanguageModel(join(RECOGNIZER_FIXTURES_FOLDER, path))
        sentences.forEach((sentence, i) => {
          const { words, total, totalNoBosNoEos } = expected[i]!
          expect(scoreSentenceWithModel(model, sentence), sentence).to.deep.equal({
            words,
            total,
          } satisfies NgramSentenceScore)
          expect(scoreSentenceWithModel(model, sentence, false).total, sentence).to.equal(totalNoBosNoEos)
        })
        model.close()
      })
    }
  }

  it('the empty word is unknown in every kind of file', () => {
    for (const kind of BINARY_KINDS) expect(openNgramLanguageModel(modelPath(kind)).wordId(''), kind).to.equal(0)
  })

  it('sentences are split only at ASCII white space', () => {
    const model = openNgramLanguageModel(modelPath('trie'))
    expect(scoreSentenceWithModel(model, ' \tда\v\f\r\nнет ').words.length).to.equal(3)
    expect(scoreSentenceWithModel(model, 'да\u00a0нет').words.length).to.equal(2)
  })

  it('an open language model needs hardly any heap', () => {
    const before = measureMemoryAfterGc()
    const models = Array.from({ length: 20 }, () => openNgramLanguageModel(modelPath('probing-p2.25-nowords')))
    scoreSentenceWithModel(models[0]!, 'да')
    const after = measureMemoryAfterGc()
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    expect(grown).to.be.below(2 * 2 ** 20)
    for (const model of models) model.close()
  })
})

describe('64-bit keys', () => {
  it('the hash of a word equals that of KenLM', () => {
    const key = new NgramHashKey()
    for (const [word, hash] of loadRecognizerFixture<ExpectedScores>('scores/ru5.json').hashes) {
      const bytes = new TextEncoder().encode(word)
      hashMurmur64(bytes, bytes.length, key)
      expect(BigInt.asUintN(64, (BigInt(key.hi) << 32n) | BigInt(key.lo >>> 0)), word).to.equal(BigInt(hash))
    }
  })

  it('64-bit keys multiply and divide exactly', () => {
    const random = new SeededRandom(3)
    const half = () => random.integer(2 ** 32) | 0
    const big = (hi: number, lo: number) => BigInt.asUintN(64, (BigInt(hi) << 32n) | BigInt(lo >>> 0))
    const key = new NgramHashKey()
    for (let i = 0; i < 20_000; i++) {
      const [a, b, c, d] = [half(), half(), half(), half()]
      key.set(a, b)
      key.multiply(c, d)
      expect(big(key.hi, key.lo)).to.equal(BigInt.asUintN(64, big(a, b) * big(c, d)))
      const buckets = 2 + random.integer(2 ** (1 + (i % 36)))
      expect(BigInt(computeFirstHashSlot(key, buckets))).to.equal(big(key.hi, key.lo) % BigInt(buckets))
    }
  })
})

describe('opening language models', () => {
  it('a language model that is truncated anywhere is rejected', () => {
    for (const kind of BINARY_KINDS) {
      const complete = readFileSync(modelPath(kind))
      const cuts = [
        ...[0, 1, 20, 55, 56, 87, 88, 107, 108, 151].keys(),
        152,
        160,
        complete.length - 1,
        complete.length - 12,
      ]
      for (let at = 211; at < complete.length; at += 1511) cuts.push(at)
      for (const cut of cuts) {
        const message = catchMessage(complete.subarray(0, cut))
        expect(message, `${kind} cut at ${cut}`).to.match(cut === 0 ? /is empty/ : /is truncated: it has \d+ bytes/)
      }
    }
  })

  it('the error names the problem of a foreign, unfinished, newer or damaged model', () => {
    expect(catchMessage('RIFF'.padEnd(4000, 'x'))).to.match(/is no KenLM language model/)
    const magic = 'mmap lm http://kheafield.com/code '
    expect(catchMessage(`${magic}incomplete\n`.padEnd(400, '\0'))).to.match(/unfinished/)
    expect(catchMessage(`${magic}format version 6\n`.padEnd(400, '\0'))).to.match(/version 6; only version 5/)
    expect(catchMessage(changeBytes('trie', 60, 0, 0, 0x80, 0x40))).to.match(/machine of another kind/)
    expect(catchMessage(changeBytes('trie', 88, 1))).to.match(/order 1/)
    expect(catchMessage(changeBytes('trie', 96, 9))).to.match(/unknown type 9/)
    expect(catchMessage(changeBytes('trie', 104, 7))).to.match(/unknown version 7/)
    expect(catchMessage(changeBytes('probing', 92, 0, 0, 0xc0, 0x7f))).to.match(/multiplier NaN/)
    expect(catchMessage(changeBytes('probing', 120, 255, 255, 255, 255, 255, 255))).to.match(/damaged|truncated/)
    expect(catchMessage(changeBytes('probing', 116, 255, 255, 255, 127))).to.match(/truncated/)
    expect(catchMessage(changeBytes('trie-q8b8', 152 + 8 + 8 * 322, 3))).to.match(
      /quantised values have the unknown version 3/,
    )
    expect(catchMessage(changeBytes('trie-a22', 152 + 8 + 8 * 322 + 16 * 324, 1))).to.match(
      /pointer arrays have the unknown version/,
    )
  })

  it('the error names a missing language model, and rejects a folder', () => {
    const missing = join(folder, 'missing.bin')
    expect(() => openNgramLanguageModel(missing)).to.throw(LanguageModelError, missing)
    expect(() => openNgramLanguageModel(folder)).to.throw(LanguageModelError, 'it is not a file')
  })

  it('damaged tables of a language model do not crash the process', () => {
    const random = new SeededRandom(11)
    const path = join(folder, 'damaged.bin')
    const { sentences } = loadRecognizerFixture<ExpectedScores>('scores/ru5.json')
    for (const kind of BINARY_KINDS) {
      for (let round = 0; round < 30; round++) {
        const bytes = new Uint8Array(readFileSync(modelPath(kind)))
        for (let i = 0; i < 300; i++) bytes[160 + random.integer(bytes.length - 160)] = random.integer(256)
        writeFileSync(path, bytes)
        try {
          const model = openNgramLanguageModel(path)
          for (const sentence of sentences.slice(0, 20)) scoreSentenceWithModel(model, sentence)
          model.close()
        } catch (error) {
          expect(error).to.be.instanceOf(LanguageModelError)
        }
      }
    }
  })

  it('a closed language model returns id 0 and does not crash', () => {
    const path = join(folder, 'closed.bin')
    copyFileSync(modelPath('probing'), path)
    const model = openNgramLanguageModel(path)
    model.close()
    expect(model.wordId('да')).to.equal(0)
  })
})

describe('ARPA text', () => {
  const head = '\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\t-0.5\n-1\tда\t-0.2\n\n\\2-grams:\n'

  it('ARPA text is detected by its start and provides its words', () => {
    const path = join(folder, 'small.bin')
    writeFileSync(path, `\n${head}-0.25\t<s> да\n\n\\end\\\n`)
    const model = openNgramLanguageModel(path)
    expect([...model.words!]).to.deep.equal(['<s>', 'да'])
    expect(scoreSentenceWithModel(model, 'да').words[0]).to.deep.equal([-0.25, 2, false])
    expect(openNgramLanguageModel(modelPath('trie')).words).to.equal(undefined)
  })

  it('the error for invalid ARPA text has the line number', () => {
    expect(catchMessage(`${head}-0.25\t<s> нет\n\n\\end\\\n`)).to.match(/line 11: нет is not among the single words/)
    expect(catchMessage(`${head}0.25\t<s> да\n\n\\end\\\n`)).to.match(/line 11: no 2-gram with its log10 probability/)
    expect(catchMessage(`${head}-0.25\t<s> да\n`)).to.match(/line \d+: the text ends too early/)
    expect(catchMessage(head.replace('1=3', '1=2'))).to.match(/line \d+: /)
  })
})
