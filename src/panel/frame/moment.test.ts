import { expect } from 'chai'
import { parseMoment } from './moment.ts'

describe('moments of a call', () => {
  it('a moment can be written with hours, with minutes or in seconds', () => {
    expect(['6:57', '6:57.5', '1:06:57', '417,5', '0'].map(parseMoment)).to.deep.equal([417, 417.5, 4017, 417.5, 0])
    expect(['', 'x', '1:2:3:4', '-1', '1:', ':1'].map(parseMoment)).to.deep.equal([null, null, null, null, null, null])
  })
})
