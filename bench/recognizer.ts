/** The recognizer's CTC decoders on one core, with the reference cases of src/recognizer/fixtures. */
import { join } from 'node:path'
import { BeamSearch } from '../src/recognizer/decoders/ctc/beam-search.ts'
import { decodeGreedily } from '../src/recognizer/decoders/ctc/greedy.ts'
import { openModel } from '../src/recognizer/kenlm/model.ts'
import { FIXTURES, fixture, fixtureMatrix } from '../src/test/asr-fixtures.ts'
import { timed } from './support.ts'

const FRAME_SECONDS = 0.03
const COLUMNS = 35
/** Seconds per second of audio that pyctcdecode needs at width 200 on a comparable core. */
const ORIGINAL = 0.031
const ROUNDS = 3

const { cases, lmFiles } = fixture<{ cases: { file: string }[]; lmFiles: { probing: string } }>('decode/index.json')
const matrices = cases.map(({ file }) => fixtureMatrix('decode', file))
const audioSeconds = matrices.reduce((sum, { length }) => sum + (length / COLUMNS) * FRAME_SECONDS, 0)
const model = openModel(join(FIXTURES, lmFiles.probing))
const beam = (beamWidth: number) => {
  const search = new BeamSearch(model, { beamWidth })
  return (matrix: Float32Array) => search.decode(matrix)
}
const decoders = { greedy: decodeGreedily, 'beam 50': beam(50), 'beam 200': beam(200), 'beam 400': beam(400) }
for (const [decoder, decode] of Object.entries(decoders)) {
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++)
    best = Math.min(best, await timed(async () => matrices.forEach((matrix) => decode(matrix))))
  const seconds = (best / 1000 / audioSeconds).toFixed(5)
  console.log(`${decoder}: ${seconds} seconds per second of audio, the original at width 200 ${ORIGINAL}`)
}
process.exit()
