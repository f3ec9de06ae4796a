import { expect } from 'chai'
import { clampAudioSpan } from './time-span.ts'

describe('clampAudioSpan()', () => {
  it('clampAudioSpan() returns a span within the audio that is not empty', () => {
    const cases: [start: number, end: number, clamped: [number, number]][] = [
      [1.234, 2.345, [1.23, 2.35]],
      [3, 3, [3, 3.01]],
      [3.001, 3.004, [3, 3.01]],
      [17.2, 17.53, [17.2, 17.5]],
      [17.5, 17.53, [17.49, 17.5]],
      [18, 19, [17.49, 17.5]],
      [-0.3, 0.2, [0, 0.2]],
      [5, 4, [5, 5.01]],
    ]
    for (const [start, end, [from, to]] of cases) {
      expect(clampAudioSpan(start, end, 17.5)).to.deep.equal({ start: from, end: to })
    }
  })
})
