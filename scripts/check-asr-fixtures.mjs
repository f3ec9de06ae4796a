/**
 * Compares the language model reader, the decoders and the splitter with a folder of reference answers:
 *
 *   node scripts/check-asr-fixtures.mjs FOLDER
 *
 * Prints the compared cases and every difference; exits with 1 if there is a difference.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const TOLERANCE = 0.001
const MAX_SHOWN = 10

const folder = process.argv[2]
if (!folder) {
  process.stderr.write('Usage: node scripts/check-asr-fixtures.mjs FOLDER\n')
  process.exit(2)
}
const {
  openNgramLanguageModel,
  scoreSentenceWithModel,
  CtcBeamSearch,
  decodeCtcGreedily,
  AcousticPhraseSplitter,
  computePhraseTimes,
  hashMurmur64,
  NgramHashKey,
  traceFrame,
} = await loadSources()

const counts = {}
const differences = []
checkScores()
checkSearches()
checkTrace()
checkSplitter()
checkPipeline()
printReport()

/** Bundles the sources and imports them. The bundle must be in the repository to find its packages. */
async function loadSources() {
  const out = mkdtempSync('dist-check-')
  try {
    const outfile = join(out, 'sources.mjs')
    const contents = [
      "export * from './src/recognizer/kenlm/model.ts'",
      "export * from './src/recognizer/kenlm/hash.ts'",
      "export * from './src/recognizer/kenlm/sentence.ts'",
      "export * from './src/recognizer/decoders/ctc/beam-search.ts'",
      "export * from './src/recognizer/decoders/ctc/greedy.ts'",
      "export * from './src/recognizer/phrase-splitter.ts'",
      "export * from './src/test/beam-trace.ts'",
    ].join('\n')
    const common = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'warning' }
    await build({ ...common, stdin: { contents, resolveDir: process.cwd() }, outfile })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(out, { recursive: true })
  }
}

function loadJson(...path) {
  return JSON.parse(readFileSync(join(folder, ...path), 'utf8'))
}

function loadMatrix(...path) {
  const bytes = readFileSync(join(folder, ...path))
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

function compare(kind, where, actual, expected, tolerance = 0) {
  counts[kind] = (counts[kind] ?? 0) + 1
  const same =
    typeof expected === 'number'
      ? Math.abs(actual - expected) <= tolerance
      : JSON.stringify(actual) === JSON.stringify(expected)
  if (!same) differences.push(`${kind}, ${where}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}

function checkScores() {
  for (const name of ['ru5', 'ru2', 'en3', 'syn4', 'ru3', 'ru4', 'ru6']) {
    if (!existsSync(join(folder, 'scores', `${name}.json`))) continue
    const { sentences, hashes, models } = loadJson('scores', `${name}.json`)
    for (const [word, hash] of hashes) compare('word hash', word, hashWord(word), hash)
    for (const { file, scores, sameAs } of models) {
      const expected = scores ?? models.find((model) => model.file === sameAs).scores
      const model = openNgramLanguageModel(join(folder, file))
      sentences.forEach((sentence, i) => checkSentence(model, `${file} "${sentence}"`, sentence, expected[i]))
      model.close()
    }
  }
}

function checkSentence(model, where, sentence, expected) {
  const { words, total } = scoreSentenceWithModel(model, sentence)
  compare('sentence length', where, words.length, expected.words.length)
  words.forEach(([log10, length, oov], i) => {
    compare('word score', where, log10, expected.words[i][0])
    compare('n-gram length and unknown word', where, [length, oov], expected.words[i].slice(1))
  })
  compare('sentence total', where, total, expected.total)
  compare(
    'sentence total without marks',
    where,
    scoreSentenceWithModel(model, sentence, false).total,
    expected.totalNoBosNoEos,
  )
}

function hashWord(word) {
  const bytes = new TextEncoder().encode(word)
  const key = new NgramHashKey()
  hashMurmur64(bytes, bytes.length, key)
  const hex = (half) => (half >>> 0).toString(16).padStart(8, '0')
  return `0x${hex(key.hi)}${hex(key.lo)}`
}

function checkSearches() {
  const { cases, lmFiles } = loadJson('decode', 'index.json')
  const searches = { noLm: new CtcBeamSearch() }
  for (const [name, file] of Object.entries(lmFiles))
    searches[name] = new CtcBeamSearch(openNgramLanguageModel(join(folder, file)))
  const probing = openNgramLanguageModel(join(folder, lmFiles.probing))
  for (const one of cases) {
    const rows = loadMatrix('decode', one.file)
    compare('greedy text', one.id, decodeCtcGreedily(rows), one.greedy)
    for (const [name, search] of Object.entries(searches)) {
      const results = search.search(rows, 5)
      compare('beam text', `${one.id} ${name}`, results[0].text, name === 'noLm' ? one.beamNoLm : one.beam[name])
      if (one.top?.[name]) checkResults(`${one.id} ${name}`, results, one.top[name])
    }
    for (const { settings, text, logit, lm } of one.variants ?? []) {
      const [result] = new CtcBeamSearch(probing, convertSettings(settings)).search(rows, 1)
      checkResults(`${one.id} ${JSON.stringify(settings)}`, [result], [[text, logit, lm]])
    }
  }
}

function checkResults(where, results, expected) {
  compare('number of best results', where, Math.min(results.length, 5), expected.length)
  expected.forEach(([text, acoustic, total], i) => {
    compare('one of the best texts', where, results[i]?.text, text)
    compare('acoustic score', where, results[i]?.acoustic, acoustic, TOLERANCE)
    compare('total score', where, results[i]?.total, total, TOLERANCE)
  })
}

function convertSettings(settings) {
  const names = {
    beam_width: 'beamWidth',
    beam_prune_logp: 'beamPruneLogp',
    token_min_logp: 'tokenMinLogp',
    unk_score_offset: 'unknownOffset',
    lm_score_boundary: 'scoreBoundary',
  }
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [names[name] ?? name, value]))
}

function checkTrace() {
  if (!existsSync(join(folder, 'decode', 'trace.json'))) return
  const { cases, lmFiles } = loadJson('decode', 'index.json')
  for (const { id, lm, text, frames } of loadJson('decode', 'trace.json')) {
    const search = new CtcBeamSearch(openNgramLanguageModel(join(folder, lmFiles[lm])))
    const actual = []
    const rows = loadMatrix('decode', cases.find((one) => one.id === id).file)
    const results = search.search(rows, 200, (frame) => actual.push(traceFrame(search, frame)))
    compare('traced text', id, results[0].text, text)
    const end = frames.find((frame) => frame.final)
    compare('trace: end', id, results.length, end.afterWidth)
    end.best.forEach(([endText, , , acoustic, total], i) => {
      compare('trace: end', id, results[i].text, endText)
      compare('trace: end', id, results[i].acoustic, acoustic, TOLERANCE)
      compare('trace: end', id, results[i].total, total, TOLERANCE)
    })
    const expected = frames.filter((frame) => frame.tokens)
    compare('traced frames', id, actual.length, expected.length)
    expected.forEach(({ best, ...numbers }, i) => {
      for (const [name, value] of Object.entries(numbers))
        compare(`trace: ${name}`, `${id} frame ${i}`, actual[i][name], value)
      best.forEach((beam, k) => {
        compare('trace: beam', `${id} frame ${i}`, actual[i].best[k].slice(0, 3), beam.slice(0, 3))
        compare('trace: acoustic', `${id} frame ${i}`, actual[i].best[k][3], beam[3], TOLERANCE)
        compare('trace: total', `${id} frame ${i}`, actual[i].best[k][4], beam[4], TOLERANCE)
      })
    })
  }
}

/** Feeds a stream to a splitter ten frames at a time; calls back after every chunk. */
function feedStream(rows, afterChunk) {
  const splitter = new AcousticPhraseSplitter()
  const step = 10 * 35
  for (let at = 0; at < rows.length; at += step) {
    afterChunk(splitter.push(rows.subarray(at, at + step), at + step >= rows.length), splitter, at / step)
  }
}

function checkSplitter() {
  for (const one of loadJson('splitter', 'index.json')) {
    const phrases = []
    const states = []
    feedStream(loadMatrix('splitter', one.file), (complete, splitter, chunk) => {
      for (const phrase of complete) phrases.push(describePhrase(phrase, chunk))
      states.push([splitter.offset, splitter.rowCount])
    })
    compare('splitter states', one.name, states, one.state_after_chunk)
    compare('number of phrases', one.name, phrases.length, one.phrases.length)
    one.phrases.forEach((expected, i) => compare('phrase', `${one.name} ${i}`, phrases[i], expected))
  }
}

function describePhrase(phrase, chunk) {
  const { start, end, firstRow, rows } = phrase
  const [startTime, endTime] = computePhraseTimes(phrase)
  return {
    start_frame: start,
    end_frame: end,
    chunk,
    slice_rows: rows.length / 35,
    slice_first_frame: firstRow,
    sha256: createHash('sha256')
      .update(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength))
      .digest('hex'),
    first_row: [0, 1, 2, 3, 4, 5, 33, 34].map((column) => rows[column]).filter((value) => value !== undefined),
    start_time: startTime,
    end_time: endTime,
  }
}

function checkPipeline() {
  const { lmFiles } = loadJson('decode', 'index.json')
  const decoders = { greedy: decodeCtcGreedily }
  for (const name of ['probing', 'trie-a22-q8b8']) {
    const search = new CtcBeamSearch(openNgramLanguageModel(join(folder, lmFiles[name])))
    decoders[name] = (rows) => search.decode(rows)
  }
  for (const one of loadJson('pipeline', 'index.json')) {
    for (const [name, decode] of Object.entries(decoders)) {
      const phrases = []
      feedStream(loadMatrix('pipeline', one.file), (complete, _, chunk) => {
        for (const phrase of complete) {
          const [start_time, end_time] = computePhraseTimes(phrase)
          phrases.push({ text: decode(phrase.rows), start_time, end_time, chunk })
        }
      })
      compare('number of pipeline phrases', one.id, phrases.length, one[name].length)
      one[name].forEach((expected, i) => compare('pipeline phrase', `${one.id} ${name}`, phrases[i], expected))
    }
  }
}

function printReport() {
  for (const [kind, count] of Object.entries(counts)) process.stdout.write(`${String(count).padStart(8)}  ${kind}\n`)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  process.stdout.write(`${total} comparisons, ${differences.length} differences\n`)
  for (const difference of differences.slice(0, MAX_SHOWN)) process.stdout.write(`  ${difference}\n`)
  process.exitCode = differences.length > 0 ? 1 : 0
}
