/** Measures the CTC decoders of the recognizer on one core, with the reference cases of src/recognizer/fixtures. */
import { join } from 'node:path'
import { CtcBeamSearch } from '../src/recognizer/decoders/ctc/beam-search.ts'
import { decodeCtcGreedily } from '../src/recognizer/decoders/ctc/greedy.ts'
import { openNgramLanguageModel } from '../src/recognizer/kenlm/model.ts'
import {
  RECOGNIZER_FIXTURES_FOLDER,
  loadRecognizerFixture,
  loadRecognizerFixtureMatrix,
} from '../src/test/asr-fixtures.ts'
import { measureMs } from './support.ts'

const FRAME_SECONDS = 0.03
const TOKEN_COUNT = 35
/** On a comparable core, pyctcdecode with width 200 needs this many seconds per second of audio. */
const ORIGINAL_SECONDS = 0.031
const ROUNDS = 3

const { cases, lmFiles } = loadRecognizerFixture<{ cases: { file: string }[]; lmFiles: { probing: string } }>(
  'decode/index.json',
)
const matrices = cases.map(({ file }) => loadRecognizerFixtureMatrix('decode', file))
const audioSeconds = matrices.reduce((sum, { length }) => sum + (length / TOKEN_COUNT) * FRAME_SECONDS, 0)
const model = openNgramLanguageModel(join(RECOGNIZER_FIXTURES_FOLDER, lmFiles.probing))
const createBeamDecoder = (beamWidth: number) => {
  const search = new CtcBeamSearch(model, { beamWidth })
  return (matrix: Float32Array) => search.decode(matrix)
}
const decoders = {
  greedy: decodeCtcGreedily,
  'beam 50': createBeamDecoder(50),
  'beam 200': createBeamDecoder(200),
  'beam 400': createBeamDecoder(400),
}
for (const [decoder, decode] of Object.entries(decoders)) {
  let bestMs = Infinity
  for (let round = 0; round < ROUNDS; round++)
    bestMs = Math.min(bestMs, await measureMs(async () => matrices.forEach((matrix) => decode(matrix))))
  const secondsPerAudioSecond = (bestMs / 1000 / audioSeconds).toFixed(5)
  console.log(
    `${decoder}: ${secondsPerAudioSecond} seconds per second of audio, the original at width 200 ${ORIGINAL_SECONDS}`,
  )
}
process.exit()
