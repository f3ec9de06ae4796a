import { expect } from 'chai'
import {
  RECOGNIZER_FIXTURES_FOLDER,
  loadRecognizerFixture,
  loadRecognizerFixtureMatrix,
} from '../../../test/asr-fixtures.ts'
import { SeededRandom } from '../../../test/seeded-random.ts'
import { openNgramLanguageModel } from '../../kenlm/model.ts'
import { traceFrame, type BeamFrameTrace } from '../../../test/beam-trace.ts'
import { CtcBeamSearch, type ScoredDecodedText } from './beam-search.ts'
import { TopScoreSelector } from './top-score-selector.ts'
import { decodeCtcGreedily } from './greedy.ts'
import { normaliseLogProbabilities } from './normalise.ts'
import { IntegerPairIds } from './pair-ids.ts'
import { runReferenceBeamSearch } from '../../../test/exhaustive-search.ts'
import type { BeamSearchSettings } from './settings.ts'

type ScoredText = [text: string, acoustic: number, total: number]

interface DecodeCase {
  id: string
  file: string
  greedy: string
  beam: Record<string, string>
  beamNoLm: string
  top?: Record<string, ScoredText[]>
  variants?: { settings: Record<string, number | boolean>; text: string; logit: number; lm: number }[]
}

interface BeamTrace {
  id: string
  lm: string
  frames: (Partial<BeamFrameTrace> & { final?: true })[]
}

const TOLERANCE = 0.001
const SETTING_NAMES: Record<string, keyof BeamSearchSettings> = {
  beam_width: 'beamWidth',
  beam_prune_logp: 'beamPruneLogp',
  token_min_logp: 'tokenMinLogp',
  unk_score_offset: 'unknownOffset',
  lm_score_boundary: 'scoreBoundary',
}

const { cases, lmFiles } = loadRecognizerFixture<{ cases: DecodeCase[]; lmFiles: Record<string, string> }>(
  'decode/index.json',
)
const openFixtureModel = (name: string) => openNgramLanguageModel(`${RECOGNIZER_FIXTURES_FOLDER}/${lmFiles[name]}`)

function expectScores(where: string, got: ScoredText[], expected: ScoredText[]): void {
  expect(
    got.map(([text]) => text),
    where,
  ).to.deep.equal(expected.map(([text]) => text))
  expected.forEach(([, acoustic, total], i) => {
    expect(got[i]![1], where).to.be.closeTo(acoustic, TOLERANCE)
    expect(got[i]![2], where).to.be.closeTo(total, TOLERANCE)
  })
}

function findBestTexts(search: CtcBeamSearch, matrix: Float32Array, most: number): ScoredText[] {
  return search.search(matrix, most).map(({ text, acoustic, total }): ScoredText => [text, acoustic, total])
}

/** Creates frames of random logits that favour few letters, the space and the blank, so that words form. */
function randomMatrix(random: SeededRandom, frames: number, peak: number): Float32Array {
  const tokens = [0, 4, 5, 14, 19, 33, 33, 34, 34]
  const matrix = new Float32Array(frames * 35)
  for (let row = 0; row < frames; row++) {
    for (let token = 0; token < 35; token++) matrix[row * 35 + token] = -6 + 3 * random.number()
    for (const token of tokens) if (random.chance(0.6)) matrix[row * 35 + token]! += peak * random.number()
  }
  return matrix
}

describe('CTC greedy decoder', () => {
  it('greedy decoding returns the texts of the reference', () => {
    for (const { id, file, greedy } of cases)
      expect(decodeCtcGreedily(loadRecognizerFixtureMatrix('decode', file)), id).to.equal(greedy)
  })

  it('greedy decoding returns no text for no frames', () => {
    expect(decodeCtcGreedily(new Float32Array(0))).to.equal('')
  })
})

describe('CTC beam search', () => {
  for (const name of ['noLm', ...Object.keys(lmFiles)]) {
    it(`beam search returns the texts and scores of pyctcdecode: ${name}`, () => {
      const search = new CtcBeamSearch(name === 'noLm' ? undefined : openFixtureModel(name))
      for (const { id, file, beam, beamNoLm, top } of cases) {
        const matrix = loadRecognizerFixtureMatrix('decode', file)
        expect(search.decode(matrix), id).to.equal(name === 'noLm' ? beamNoLm : beam[name])
        if (top?.[name]) expectScores(id, findBestTexts(search, matrix, 5), top[name])
      }
    })
  }

  it('beam search with other settings returns the results of pyctcdecode', () => {
    const probing = openFixtureModel('probing')
    for (const { id, file, variants = [] } of cases) {
      for (const { settings, text, logit, lm } of variants) {
        const named = Object.entries(settings).map(([name, value]) => [SETTING_NAMES[name] ?? name, value])
        const search = new CtcBeamSearch(probing, Object.fromEntries(named) as Partial<BeamSearchSettings>)
        expectScores(
          `${id} ${JSON.stringify(settings)}`,
          findBestTexts(search, loadRecognizerFixtureMatrix('decode', file), 1),
          [[text, logit, lm]],
        )
      }
    }
  })

  for (const { id, lm, frames } of loadRecognizerFixture<BeamTrace[]>('decode/trace.json')) {
    it(`beam search keeps the same beams as pyctcdecode in every frame: ${id}`, () => {
      const traced: BeamFrameTrace[] = []
      const search = new CtcBeamSearch(openFixtureModel(lm))
      search.search(loadRecognizerFixtureMatrix('decode', `${id}.bin`), 1, (frame) =>
        traced.push(traceFrame(search, frame)),
      )
      const expected = frames.filter(({ final }) => !final)
      expect(traced.length).to.equal(expected.length)
      expected.forEach(({ best: beams, ...numbers }, i) => {
        expect(traced[i], `frame ${i}`).to.include.keys(Object.keys(numbers))
        const { best: got, ...gotNumbers } = traced[i]!
        expect(gotNumbers, `frame ${i}`).to.deep.equal(numbers)
        const scored = (all: BeamFrameTrace['best']) =>
          all.map(([...beam]): ScoredText => [beam.slice(0, 3).join('|'), beam[3], beam[4]])
        expectScores(`frame ${i}`, scored(got), scored(beams!))
      })
    })
  }

  for (const name of ['noLm', 'probing', 'ru2-trie', 'arpa-with-words']) {
    it(`beam search equals a simple implementation on random words and noise: ${name}`, () => {
      const random = new SeededRandom(23)
      const used = name === 'noLm' ? undefined : openFixtureModel(name)
      for (let round = 0; round < 12; round++) {
        const settings = { beamWidth: [3, 20, 60][round % 3]!, scoreBoundary: round % 4 !== 1 }
        const matrix = randomMatrix(random, 30, 2 + 6 * random.number())
        const expected = runReferenceBeamSearch(used, matrix, settings)
        const got = new CtcBeamSearch(used, settings).search(matrix, Infinity)
        expect(got.length).to.equal(expected.length)
        const scored = (all: ScoredDecodedText[]) =>
          all.map(({ text, acoustic, total }): ScoredText => [text, acoustic, total])
        expectScores(`round ${round}`, scored(got), scored(expected))
      }
    })
  }

  it('beam search returns no text for no frames', () => {
    expect(new CtcBeamSearch().decode(new Float32Array(0))).to.equal('')
    expect(new CtcBeamSearch(openFixtureModel('trie')).decode(new Float32Array(0))).to.equal('')
  })

  it('a beam search object returns the same result after other utterances', () => {
    const search = new CtcBeamSearch(openFixtureModel('trie'))
    const matrix = loadRecognizerFixtureMatrix('decode', cases[0]!.file)
    const first = search.search(matrix, 5)
    for (const { file } of cases.slice(1, 6)) search.decode(loadRecognizerFixtureMatrix('decode', file))
    expect(search.search(matrix, 5)).to.deep.equal(first)
  })

  it('beam search returns a text for invalid numbers', () => {
    const search = new CtcBeamSearch(openFixtureModel('probing'))
    for (const value of [NaN, Infinity, -Infinity, 0, 1e38]) {
      expect(search.decode(new Float32Array(70).fill(value)), String(value)).to.be.a('string')
    }
  })

  it('beam search decodes 20 seconds of noise', () => {
    const random = new SeededRandom(5)
    const matrix = Float32Array.from({ length: 667 * 35 }, () => -4 * random.number())
    expect(new CtcBeamSearch(openFixtureModel('probing')).decode(matrix)).to.be.a('string')
  })

  it('beam search rejects incomplete rows and a width below 1', () => {
    expect(() => new CtcBeamSearch().decode(new Float32Array(34))).to.throw(RangeError)
    expect(() => new CtcBeamSearch(undefined, { beamWidth: 0 })).to.throw(RangeError)
  })
})

describe('normalization of logits', () => {
  it('rows whose sums average 1 are treated as probabilities', () => {
    const into = new Float32Array(35)
    normaliseLogProbabilities(new Float32Array(35).fill(0).fill(0.25, 0, 4), into)
    expect(into[0]).to.be.closeTo(Math.log(0.25), 1e-6)
    expect(into[4]).to.equal(Math.fround(Math.log(1e-15)))
  })

  it('raw logits are normalized and stay at or above ln 1e-15', () => {
    const into = new Float32Array(35)
    const logits = new Float32Array(35).fill(-Infinity)
    logits[3] = 5
    logits[4] = 5
    normaliseLogProbabilities(logits, into)
    expect(into[3]).to.be.closeTo(-Math.LN2, 1e-6)
    expect(into[0]).to.equal(Math.fround(Math.log(1e-15)))
  })
})

describe('score selector', () => {
  it('the score selector sorts stably in descending order, up to limit and count', () => {
    const random = new SeededRandom(7)
    const chooser = new TopScoreSelector(300)
    for (let round = 0; round < 500; round++) {
      const count = random.integer(300)
      const most = 1 + random.integer(60)
      // Only 20 different values, so that many scores are equal.
      const scores = Float64Array.from({ length: count }, () => -random.integer(20))
      const expected = [...scores.keys()].filter((i) => scores[i]! >= -12).sort((a, b) => scores[b]! - scores[a]!)
      expect(chooser.choose(scores, count, -12, most)).to.equal(expected.length)
      const chosen = Math.min(most, expected.length)
      expect([...chooser.order.subarray(0, chosen)]).to.deep.equal(expected.slice(0, most))
    }
  })
})

describe('pair numbering', () => {
  it('every pair of integers gets a number in order of arrival, also after growing', () => {
    const pairs = new IntegerPairIds(4)
    for (const _ of [1, 2]) {
      for (let i = 0; i < 1000; i++) expect(pairs.id(i % 30, Math.floor(i / 30))).to.equal(i)
    }
    expect(pairs.size).to.equal(1000)
    pairs.clear()
    expect(pairs.id(5, 5)).to.equal(0)
  })
})
