import { expect } from 'chai'
import { isPhoneNumberLike, parseCallFileName } from './file-name.ts'

const MANAGERS = ['Анна Ковалёва', 'Ivan Petrov', 'Ольга']

describe('panel: call fields from file names', () => {
  const all = { managerName: 'Иван Сидоров', phoneNumber: '+375291234567', direction: 'INBOUND' }
  for (const [name, read] of Object.entries({
    '2026-11-01_14-30_+375291234567_Иван_Сидоров_in.wav': { ...all, callStartedAt: '2026-11-01T14:30' },
    '20261101-143005_375291234567_out.mp3': {
      phoneNumber: '375291234567',
      direction: 'OUTBOUND',
      callStartedAt: '2026-11-01T14:30:05',
    },
    'C:\\calls\\01.11.2026 14.30.05 анна ковалева (исх).wav': {
      managerName: 'Анна Ковалёва',
      direction: 'OUTBOUND',
      callStartedAt: '2026-11-01T14:30:05',
    },
    'in_Ivan Petrov_+375 (29) 123-45-67.amr': {
      managerName: 'Ivan Petrov',
      phoneNumber: '+375291234567',
      direction: 'INBOUND',
    },
    'Ольга 2026-02-30 10-00.wav': { managerName: 'Ольга' },
    'Call_Recording_1730471400_12.wav': {},
    'audio.ogg': {},
    '.wav': {},
  })) {
    it(`the file name ${name} is parsed into call fields`, () => {
      expect(parseCallFileName(name, MANAGERS)).to.deep.equal(read)
    })
  }

  it('phone numbers in common formats are accepted, and other text is not', () => {
    for (const phone of ['+375291234567', '8 (029) 123-45-67', '103', '555-12-12 доб. 12', '+1 202 555 0143 x5']) {
      expect(isPhoneNumberLike(phone), phone).to.equal(true)
    }
    for (const text of ['abc', 'Иван', '12', '+', '375 abc 29']) expect(isPhoneNumberLike(text), text).to.equal(false)
  })

  it('long file names are parsed within 50 ms', () => {
    const costMs = () => {
      const before = process.cpuUsage()
      for (const piece of ['2026-11-01', '+1 ', '- ', 'Иван_', '((((', '1234567890'])
        parseCallFileName(piece.repeat(30), MANAGERS)
      return process.cpuUsage(before).user / 1000
    }
    // Uses the minimum of three runs, because garbage collection of earlier tests can slow a run down.
    expect(Math.min(costMs(), costMs(), costMs())).to.be.lessThan(50)
  })
})
