import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { BeamSearch } from './decoders/ctc/beam-search.ts'
import { decodeGreedily } from './decoders/ctc/greedy.ts'
import { FIXTURES, fixture, fixtureMatrix, inChunks } from '../test/asr-fixtures.ts'
import { openModel } from './kenlm/model.ts'
import { PhraseSplitter, phraseTimes, type Phrase } from './splitter.ts'

interface Stream {
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

interface Timed {
  text: string
  start_time: number
  end_time: number
  chunk: number
}

/** Rows with speech (true) or without (false). */
function rows(speech: boolean[]): Float32Array {
  const matrix = new Float32Array(speech.length * 35).fill(-20)
  speech.forEach((speaks, i) => (matrix[i * 35 + (speaks ? 0 : 34)] = 0))
  return matrix
}

const spoken = (count: number) => Array.from({ length: count }, () => true)
const quiet = (count: number) => Array.from({ length: count }, () => false)
const frames = (phrases: Phrase[]) => phrases.map(({ start, end }) => [start, end])

describe('phrase splitter', () => {
  for (const { name, file, phrases: expected, state_after_chunk: states } of fixture<Stream[]>('splitter/index.json')) {
    it(`gives the phrases, rows, times and states of the reference: ${name}`, () => {
      const splitter = new PhraseSplitter()
      const phrases: Stream['phrases'] = []
      const got: [number, number][] = []
      inChunks(fixtureMatrix('splitter', file), (chunk, index, last) => {
        for (const phrase of splitter.push(chunk, last)) {
          const [start_time, end_time] = phraseTimes(phrase)
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
        got.push([splitter.offset, splitter.kept])
      })
      const comparable = expected.map(
        ({ first_row: _first, ...phrase }: Stream['phrases'][number] & { first_row?: unknown }) => phrase,
      )
      expect(phrases).to.deep.equal(comparable)
      expect(got).to.deep.equal(states)
    })
  }

  for (const decoder of ['greedy', 'probing', 'trie-a22-q8b8'] as const) {
    it(`gives texts and times of a stream as the reference does: ${decoder}`, () => {
      const [stream] = fixture<({ file: string } & Record<typeof decoder, Timed[]>)[]>('pipeline/index.json')
      const search = decoder === 'greedy' ? undefined : new BeamSearch(openModel(`${FIXTURES}/lm/ru5.${decoder}.bin`))
      const splitter = new PhraseSplitter()
      const phrases: Timed[] = []
      inChunks(fixtureMatrix('pipeline', stream!.file), (chunk, index, last) => {
        for (const phrase of splitter.push(chunk, last)) {
          const text = search ? search.decode(phrase.rows) : decodeGreedily(phrase.rows)
          const [start_time, end_time] = phraseTimes(phrase)
          phrases.push({ text, start_time, end_time, chunk: index })
        }
      })
      expect(phrases).to.deep.equal(stream![decoder])
    })
  }

  it('ends a phrase at the twentieth quiet frame', () => {
    const splitter = new PhraseSplitter()
    expect(splitter.push(rows([...spoken(5), ...quiet(19)]), false)).to.deep.equal([])
    expect(frames(splitter.push(rows(quiet(1)), false))).to.deep.equal([[0, 5]])
  })

  it('gives an empty phrase when a pause follows an exact cut in the same call', () => {
    const splitter = new PhraseSplitter()
    const phrases = splitter.push(rows([...spoken(4000), ...quiet(20)]), false)
    expect(frames(phrases)).to.deep.equal([
      [0, 2000],
      [2000, 4000],
      [4000, 4000],
    ])
    expect(phrases[2]!.rows.length / 35).to.equal(6)
    expect([splitter.offset, splitter.kept]).to.deep.equal([4017, 3])
  })

  it('cuts a long phrase at once, though it is not finished, and goes on without rows before it', () => {
    const splitter = new PhraseSplitter()
    const [phrase] = splitter.push(rows(spoken(2001)), false)
    expect([phrase!.start, phrase!.end, phrase!.rows.length / 35]).to.deep.equal([0, 2000, 2001])
    const [next] = splitter.push(rows(spoken(9)), true)
    expect([next!.start, next!.end, next!.firstRow]).to.deep.equal([2000, 2010, 2000])
  })

  it('gives the same phrases whatever the size of the chunks', () => {
    const matrix = fixtureMatrix('splitter', 'open-s06.bin')
    const all = new PhraseSplitter().push(matrix, true)
    for (const size of [1, 7, 50]) {
      const splitter = new PhraseSplitter()
      const phrases: Phrase[] = []
      for (let at = 0; at < matrix.length; at += size * 35) {
        phrases.push(...splitter.push(matrix.subarray(at, at + size * 35), at + size * 35 >= matrix.length))
      }
      expect(frames(phrases), `${size} frames`).to.deep.equal(frames(all))
    }
  })

  it('ends a stream without rows', () => {
    expect(new PhraseSplitter().push(new Float32Array(0), true)).to.deep.equal([])
  })

  it('never gives a time below zero or an end before its start', () => {
    expect(phraseTimes({ start: 0, end: 0 })).to.deep.equal([0, 0])
    expect(phraseTimes({ start: 10, end: 40 })).to.deep.equal([0, 0.57])
    expect(phraseTimes({ start: 0, end: 90 })).to.deep.equal([0, 2.07])
  })

  it('refuses rows that are not whole', () => {
    expect(() => new PhraseSplitter().push(new Float32Array(36), true)).to.throw(RangeError)
  })
})
