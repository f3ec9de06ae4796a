/** Measures the CTC decoders of the recognizer on one core, with the reference cases of src/recognizer/fixtures. */
import { join } from 'node:path'
import { BeamSearch } from '../src/recognizer/decoders/ctc/beam-search.ts'
import { decodeGreedy } from '../src/recognizer/decoders/ctc/greedy.ts'
import { openLanguageModel } from '../src/recognizer/kenlm/model.ts'
import { FIXTURES_FOLDER, loadFixture, loadFixtureMatrix } from '../src/test/asr-fixtures.ts'
import { measureMs } from './support.ts'

const FRAME_SECONDS = 0.03
const TOKEN_COUNT = 35
/** On a comparable core, pyctcdecode with width 200 needs this many seconds per second of audio. */
const ORIGINAL_SECONDS = 0.031
const ROUNDS = 3

const { cases, lmFiles } = loadFixture<{ cases: { file: string }[]; lmFiles: { probing: string } }>('decode/index.json')
const matrices = cases.map(({ file }) => loadFixtureMatrix('decode', file))
const audioSeconds = matrices.reduce((sum, { length }) => sum + (length / TOKEN_COUNT) * FRAME_SECONDS, 0)
const model = openLanguageModel(join(FIXTURES_FOLDER, lmFiles.probing))
const createBeamDecoder = (beamWidth: number) => {
  const search = new BeamSearch(model, { beamWidth })
  return (matrix: Float32Array) => search.decode(matrix)
}
const decoders = {
  greedy: decodeGreedy,
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
