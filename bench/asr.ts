/**
 * What reading the language model and decoding cost, on one core:
 *
 *   npm run bench:asr [FOLDER]
 *
 * FOLDER (or FIXTURES_ASR) holds reference cases; without it the few of this repository serve.
 * The original, pyctcdecode, needs 0.031 seconds per second of sound at width 200 on a comparable core.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BeamSearch } from '../src/recognizer/decoders/ctc/beam-search.ts'
import { decodeGreedily } from '../src/recognizer/decoders/ctc/greedy.ts'
import { openModel, type LanguageModel } from '../src/recognizer/kenlm/model.ts'

const FRAME_SECONDS = 0.03
const COLUMNS = 35
const ORIGINAL = 0.031
const WIDTHS = [50, 100, 200, 400]
const ROUNDS = 3
const SCORED_WORDS = 2_000_000

/** Node shows its garbage collector only when asked to. */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

interface Case {
  id: string
  file: string
  kind: string
  level: number | null
}

const folder = process.argv[2] ?? process.env.FIXTURES_ASR ?? 'src/recognizer/fixtures'
const { cases, lmFiles } = JSON.parse(readFileSync(join(folder, 'decode/index.json'), 'utf8')) as {
  cases: Case[]
  lmFiles: Record<string, string>
}
const matrices = new Map(cases.map((one) => [one.id, readMatrix(join(folder, 'decode', one.file))]))

benchMemory()
benchReader()
benchDecoders()

function readMatrix(path: string): Float32Array {
  const bytes = readFileSync(path)
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

function open(name: string): LanguageModel {
  return openModel(join(folder, lmFiles[name]!))
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Heap and other memory of ours, in MB; the mapped file is the system's page cache. */
function memoryUsed(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

function benchMemory(): void {
  const before = memoryUsed()
  const model = open('probing')
  const opened = memoryUsed() - before
  const search = new BeamSearch(model)
  for (const matrix of matrices.values()) search.decode(matrix)
  const decoded = memoryUsed() - before
  print(`Memory of ours: the model ${opened.toFixed(2)} MB, with a search after all cases ${decoded.toFixed(1)} MB`)
  model.close()
}

function benchReader(): void {
  print('\nWord scores per second, warm: the texts of all cases as one, by word id and by the bytes of the word')
  for (const name of Object.keys(lmFiles).filter((name) => name !== 'arpa-with-words')) {
    const model = open(name)
    const words = wordsOfCases(model)
    const ids = Int32Array.from(words, (bytes) => model.wordIdOfBytes(bytes, bytes.length))
    const known = scoresPerSecond(model, (i) => ids[i % ids.length]!)
    const looked = scoresPerSecond(model, (i) => {
      const bytes = words[i % words.length]!
      return model.wordIdOfBytes(bytes, bytes.length)
    })
    print(
      `  ${name.padEnd(24)}${[known, looked].map((rate) => Math.round(rate).toLocaleString('en').padStart(14)).join('')}`,
    )
    model.close()
  }
}

/** The words of all cases, one text after the other, in UTF-8. */
function wordsOfCases(model: LanguageModel): Uint8Array[] {
  const search = new BeamSearch(model)
  const texts = [...matrices.values()].map((matrix) => search.decode(matrix))
  return texts.flatMap((text) => text.split(' ').map((word) => new TextEncoder().encode(word)))
}

function scoresPerSecond(model: LanguageModel, wordAt: (i: number) => number): number {
  const contexts = model.contexts(2)
  let seconds = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    model.beginSentence(contexts, 0)
    for (let i = 0; i < SCORED_WORDS; i++) model.score(contexts, i & 1, wordAt(i), 1 - (i & 1))
    seconds = Math.min(seconds, (performance.now() - start) / 1000)
  }
  return SCORED_WORDS / seconds
}

function benchDecoders(): void {
  const groups = new Map<string, string[]>([['all', idsOf(() => true)]])
  for (const level of [0, 1, 2, 3, 4])
    groups.set(
      `level ${level}`,
      idsOf((one) => one.level === level),
    )
  groups.set(
    'noise',
    idsOf((one) => one.kind.includes('noise')),
  )
  print('\nSeconds per second of sound, best of three runs, and the share of the original at width 200')
  print(`  ${''.padEnd(26)}${[...groups.keys()].map((name) => name.padStart(10)).join('')}${'share'.padStart(8)}`)
  benchRow('greedy', groups, decodeGreedily)
  const model = open('probing')
  for (const width of WIDTHS) {
    const search = new BeamSearch(model, { beamWidth: width })
    benchRow(`beam ${width}, probing`, groups, (matrix) => search.decode(matrix), width === 200)
  }
  for (const name of ['trie-a22-q8b8', 'arpa-with-words'].filter((name) => lmFiles[name])) {
    const search = new BeamSearch(open(name))
    benchRow(`beam 200, ${name}`, groups, (matrix) => search.decode(matrix))
  }
  const search = new BeamSearch()
  benchRow('beam 200, no model', groups, (matrix) => search.decode(matrix))
}

function idsOf(wanted: (one: Case) => boolean): string[] {
  return cases.filter(wanted).map(({ id }) => id)
}

function benchRow(
  name: string,
  groups: Map<string, string[]>,
  decode: (matrix: Float32Array) => string,
  compared = false,
): void {
  const times = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [id, matrix] of matrices) {
      const start = performance.now()
      decode(matrix)
      times.set(id, Math.min(times.get(id) ?? Infinity, (performance.now() - start) / 1000))
    }
  }
  const costs = [...groups.values()].map((ids) => {
    const spent = ids.reduce((sum, id) => sum + times.get(id)!, 0)
    const sound = ids.reduce((sum, id) => sum + (matrices.get(id)!.length / COLUMNS) * FRAME_SECONDS, 0)
    return spent / sound
  })
  const share = compared ? `${((costs[0]! / ORIGINAL) * 100).toFixed(1)} %` : ''
  print(`  ${name.padEnd(26)}${costs.map((cost) => cost.toFixed(5).padStart(10)).join('')}${share.padStart(8)}`)
}
