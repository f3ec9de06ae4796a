import { expect } from 'chai'
import { groupRowsIntoTurns, MAX_TRANSCRIPT_PART_ROWS, splitIntoTranscriptParts } from './turns.ts'

const makeRow = (start: number, end: number, channel = 0) => ({ start, end, channel, text: 'hello' })
const listRanges = (ranges: { from: number; to: number }[]) => ranges.map(({ from, to }) => `${from}-${to}`)

describe('panel: turns of a transcript', () => {
  it('consecutive rows of one speaker form one turn', () => {
    const rows = [makeRow(0, 2), makeRow(2, 4), makeRow(4, 6, 1), makeRow(6, 8)]
    expect(listRanges(groupRowsIntoTurns(rows, true))).to.deep.equal(['0-2', '2-3', '3-4'])
  })

  it('each row is a turn if the speakers are unknown', () => {
    expect(groupRowsIntoTurns([makeRow(0, 2), makeRow(2, 4)], false)).to.have.length(2)
  })

  it('a pause of eight seconds ends a turn', () => {
    expect(groupRowsIntoTurns([makeRow(0, 2), makeRow(9.9, 12)], true)).to.have.length(1)
    expect(groupRowsIntoTurns([makeRow(0, 2), makeRow(10, 12)], true)).to.have.length(2)
  })

  it('a turn lasts at most one minute', () => {
    const rows = Array.from({ length: 30 }, (_, n) => makeRow(n * 5, n * 5 + 5))
    expect(listRanges(groupRowsIntoTurns(rows, true))).to.deep.equal(['0-12', '12-24', '24-30'])
  })

  it('a range that starts with a turn has the same turns as the whole transcript', () => {
    const rows = Array.from({ length: 100 }, (_, n) => makeRow(n * 5, n * 5 + 5, Number(n % 7 > 3)))
    const turns = groupRowsIntoTurns(rows, true)
    const { from } = turns[9]!
    expect(groupRowsIntoTurns(rows, true, { from, to: 100 })).to.deep.equal(turns.slice(9))
  })
})

describe('panel: parts of a transcript', () => {
  const turns = Array.from({ length: 100 }, (_, n) => ({ from: n * 4, to: n * 4 + 4 }))

  it('a part of a transcript has at most 150 rows and ends with a turn', () => {
    expect(listRanges(splitIntoTranscriptParts(turns, []))).to.deep.equal(['0-148', '148-296', '296-400'])
    expect(MAX_TRANSCRIPT_PART_ROWS).to.equal(150)
  })

  it('a part of a transcript does not cross chapters', () => {
    const chapters = [
      { from: 0, to: 200 },
      { from: 200, to: 400 },
    ]
    expect(listRanges(splitIntoTranscriptParts(turns, chapters))).to.deep.equal([
      '0-148',
      '148-200',
      '200-348',
      '348-400',
    ])
  })
})
