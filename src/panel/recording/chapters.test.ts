import { expect } from 'chai'
import { buildCallChapters, type LabelPosition } from './chapters.ts'
import { groupRowsIntoTurns } from './turns.ts'

/** Builds rows of ten seconds. @param pauses seconds of silence before a row, by row number */
function makeTalk(count: number, pauses: Record<number, number> = {}) {
  let time = 0
  return Array.from({ length: count }, (_, row) => {
    time += pauses[row] ?? 0
    const start = time
    time += 10
    return { start, end: time, channel: row % 2, text: `row ${row}` }
  })
}

function divide(segments: ReturnType<typeof makeTalk>, places: LabelPosition[] = [], duration: number | null = null) {
  return buildCallChapters(segments, groupRowsIntoTurns(segments, true), places, duration)
}
const listTitles = (...args: Parameters<typeof divide>) =>
  divide(...args).map(({ label, pauseSeconds, from }) => `${label ?? pauseSeconds ?? 'start'} ${from}`)

describe('panel: chapters of a call', () => {
  it('a chapter begins where a label was found', () => {
    const places = [
      { name: 'Price', row: 20 },
      { name: 'Delivery', row: 50 },
    ]
    expect(listTitles(makeTalk(80), places)).to.deep.equal(['start 0', 'Price 20', 'Delivery 50'])
  })

  it('chapters begin after long pauses, and the longest pause takes precedence', () => {
    // Rows 40 and 43 are too close for two chapters, so the longer pause wins.
    expect(listTitles(makeTalk(80, { 20: 12, 40: 20, 43: 30, 60: 5 }))).to.deep.equal(['start 0', '12 20', '30 43'])
  })

  it('chapters prefer a label to a pause', () => {
    expect(listTitles(makeTalk(80, { 42: 20 }), [{ name: 'Price', row: 40 }])).to.deep.equal(['start 0', 'Price 40'])
  })

  it('chapters have no gaps, and each one lists all of its labels', () => {
    const places = [
      { name: 'Price', row: 20 },
      { name: 'Discount', row: 22 },
      { name: 'Price', row: 23 },
    ]
    const [first, second] = divide(makeTalk(80), places, 805)
    expect(first).to.include({ from: 0, to: 20, start: 0, end: 200 })
    expect(second).to.include({ from: 20, to: 80, start: 200, end: 805 })
    expect(second!.labels).to.deep.equal(['Price', 'Discount'])
  })

  it('a repeated label does not begin another chapter', () => {
    const places = [20, 40, 60].map((row) => ({ name: 'Price', row }))
    expect(listTitles(makeTalk(80), places)).to.deep.equal(['start 0', 'Price 20'])
  })

  it('a chapter begins with the turn in which its label was found', () => {
    const talk = makeTalk(80).map((row, n) => ({ ...row, channel: Math.floor(n / 4) % 2 }))
    expect(listTitles(talk, [{ name: 'Price', row: 22 }])).to.deep.equal(['start 0', 'Price 20'])
  })

  it('a call has at most twelve chapters', () => {
    const places = Array.from({ length: 1000 }, (_, row) => ({ name: `Label ${row}`, row }))
    expect(divide(makeTalk(1000), places)).to.have.length.within(8, 12)
  })

  it('calls of up to ten minutes, or without labels and pauses, have no chapters', () => {
    expect(divide(makeTalk(60), [{ name: 'Price', row: 20 }])).to.deep.equal([])
    expect(divide(makeTalk(80))).to.deep.equal([])
    expect(divide([], [], 900)).to.deep.equal([])
  })
})
