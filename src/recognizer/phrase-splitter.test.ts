import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { CtcBeamSearch } from './decoders/ctc/beam-search.ts'
import { decodeCtcGreedily } from './decoders/ctc/greedy.ts'
import {
  RECOGNIZER_FIXTURES_FOLDER,
  loadRecognizerFixture,
  loadRecognizerFixtureMatrix,
  forEachFrameChunk,
} from '../test/asr-fixtures.ts'
import { openNgramLanguageModel } from './kenlm/model.ts'
import { AcousticPhraseSplitter, computePhraseTimes, type AcousticPhrase } from './phrase-splitter.ts'

interface StreamFixture {
  name: string
  file: string
  phrases: {
    start_frame: number
    end_frame: number
    chunk: number
    slice_rows: number
    slice_first_frame: number
    sha256: string
    start_time: number
    end_time: number
  }[]
  state_after_chunk: [number, number][]
}

interface TimedPhrase {
  text: string
  start_time: number
  end_time: number
  chunk: number
}

/** Creates rows with speech for true and without speech for false. */
function createRows(speech: boolean[]): Float32Array {
  const matrix = new Float32Array(speech.length * 35).fill(-20)
  speech.forEach((speaks, i) => (matrix[i * 35 + (speaks ? 0 : 34)] = 0))
  return matrix
}

const speechFrames = (count: number) => Array.from({ length: count }, () => true)
const quietFrames = (count: number) => Array.from({ length: count }, () => false)
const toSpans = (phrases: AcousticPhrase[]) => phrases.map(({ start, end }) => [start, end])

describe('phrase splitter', () => {
  for (const { name, file, phrases: expected, state_after_chunk: states } of loadRecognizerFixture<StreamFixture[]>(
    'splitter/index.json',
  )) {
    it(`the splitter returns the phrases, rows, times and states of the reference: ${name}`, () => {
      const splitter = new AcousticPhraseSplitter()
      const phrases: StreamFixture['phrases'] = []
      const got: [number, number][] = []
      forEachFrameChunk(loadRecognizerFixtureMatrix('splitter', file), (chunk, index, last) => {
        for (const phrase of splitter.push(chunk, last)) {
          const [start_time, end_time] = computePhraseTimes(phrase)
          phrases.push({
            start_frame: phrase.start,
            end_frame: phrase.end,
            chunk: index,
            slice_rows: phrase.rows.length / 35,
            slice_first_frame: phrase.firstRow,
            sha256: createHash('sha256').update(new Uint8Array(phrase.rows.buffer)).digest('hex'),
            start_time,
            end_time,
          })
        }
        got.push([splitter.offset, splitter.rowCount])
      })
      const comparable = expected.map(
        ({ first_row: _first, ...phrase }: StreamFixture['phrases'][number] & { first_row?: unknown }) => phrase,
      )
      expect(phrases).to.deep.equal(comparable)
      expect(got).to.deep.equal(states)
    })
  }

  for (const decoder of ['greedy', 'probing', 'trie-a22-q8b8'] as const) {
    it(`the texts and times of a stream equal those of the reference: ${decoder}`, () => {
      const [stream] =
        loadRecognizerFixture<({ file: string } & Record<typeof decoder, TimedPhrase[]>)[]>('pipeline/index.json')
      const search =
        decoder === 'greedy'
          ? undefined
          : new CtcBeamSearch(openNgramLanguageModel(`${RECOGNIZER_FIXTURES_FOLDER}/lm/ru5.${decoder}.bin`))
      const splitter = new AcousticPhraseSplitter()
      const phrases: TimedPhrase[] = []
      forEachFrameChunk(loadRecognizerFixtureMatrix('pipeline', stream!.file), (chunk, index, last) => {
        for (const phrase of splitter.push(chunk, last)) {
          const text = search ? search.decode(phrase.rows) : decodeCtcGreedily(phrase.rows)
          const [start_time, end_time] = computePhraseTimes(phrase)
          phrases.push({ text, start_time, end_time, chunk: index })
        }
      })
      expect(phrases).to.deep.equal(stream![decoder])
    })
  }

  it('the splitter ends a phrase at the twentieth quiet frame', () => {
    const splitter = new AcousticPhraseSplitter()
    expect(splitter.push(createRows([...speechFrames(5), ...quietFrames(19)]), false)).to.deep.equal([])
    expect(toSpans(splitter.push(createRows(quietFrames(1)), false))).to.deep.equal([[0, 5]])
  })

  it('the splitter returns an empty phrase if a pause follows an exact cut', () => {
    const splitter = new AcousticPhraseSplitter()
    const phrases = splitter.push(createRows([...speechFrames(4000), ...quietFrames(20)]), false)
    expect(toSpans(phrases)).to.deep.equal([
      [0, 2000],
      [2000, 4000],
      [4000, 4000],
    ])
    expect(phrases[2]!.rows.length / 35).to.equal(6)
    expect([splitter.offset, splitter.rowCount]).to.deep.equal([4017, 3])
  })

  it('the splitter cuts a long phrase at the maximum length before it ends', () => {
    const splitter = new AcousticPhraseSplitter()
    const [phrase] = splitter.push(createRows(speechFrames(2001)), false)
    expect([phrase!.start, phrase!.end, phrase!.rows.length / 35]).to.deep.equal([0, 2000, 2001])
    const [next] = splitter.push(createRows(speechFrames(9)), true)
    expect([next!.start, next!.end, next!.firstRow]).to.deep.equal([2000, 2010, 2000])
  })

  it('the splitter finds the same phrases for any chunk size', () => {
    const matrix = loadRecognizerFixtureMatrix('splitter', 'open-s06.bin')
    const all = new AcousticPhraseSplitter().push(matrix, true)
    for (const size of [1, 7, 50]) {
      const splitter = new AcousticPhraseSplitter()
      const phrases: AcousticPhrase[] = []
      for (let at = 0; at < matrix.length; at += size * 35) {
        phrases.push(...splitter.push(matrix.subarray(at, at + size * 35), at + size * 35 >= matrix.length))
      }
      expect(toSpans(phrases), `${size} frames`).to.deep.equal(toSpans(all))
    }
  })

  it('the splitter accepts a stream without rows', () => {
    expect(new AcousticPhraseSplitter().push(new Float32Array(0), true)).to.deep.equal([])
  })

  it('phrase times are never negative, and the end is never before the start', () => {
    expect(computePhraseTimes({ start: 0, end: 0 })).to.deep.equal([0, 0])
    expect(computePhraseTimes({ start: 10, end: 40 })).to.deep.equal([0, 0.57])
    expect(computePhraseTimes({ start: 0, end: 90 })).to.deep.equal([0, 2.07])
  })

  it('the splitter rejects an incomplete row', () => {
    expect(() => new AcousticPhraseSplitter().push(new Float32Array(36), true)).to.throw(RangeError)
  })
})
