import { expect } from 'chai'
import { parseCsv } from '../../test/file-formats.ts'
import { formatCsvLines, type CsvCell } from './csv.ts'

describe('csvLines', () => {
  it('CSV quotes texts, but not numbers, and leaves empty cells empty', () => {
    const long = `${'слово '.repeat(50)}"`
    expect(formatCsvLines([['a', 'b "c"', -1.5, null, undefined, ''], [long]]).toString()).to.equal(
      `"a","b ""c""",-1.5,,,""\r\n"${long}""\r\n`,
    )
    expect(formatCsvLines([['a', 'b']], { bom: true, separator: ';' }).toString()).to.equal('\ufeff"a";"b"\r\n')
  })

  it('CSV prefixes an apostrophe only to text that looks like a formula', () => {
    const formulas = ['=1', '+1', '-1', '@A1', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠A1']
    const others = ['1=1', '，1', '１', 'ё=1', ' =1', '\n=1', "'=1"]
    for (const cell of formulas) expect(parseCsv(formatCsvLines([[cell]]).toString())[0]![0]).to.equal(`'${cell}`)
    for (const cell of others) expect(parseCsv(formatCsvLines([[cell]]).toString())[0]![0]).to.equal(cell)
  })

  it('CSV for spreadsheets also protects text that looks like a number or date', () => {
    const changed = [
      '375291234567', '00123', '1701234567.100', '9912140633506421', '1E5', '1e-5', '2-3', '1/2', '3.4.2026', 'MAR1', 'May 5',
      '5 мая', '12 дек. 2026', '10:30', '10:30 PM', '50%', '$5', '5 руб', '1 000', '1\u00a0000', ' 7', '(5)', '１２３', '2026-03-01',
    ] // prettier-ignore
    const kept = [
      'Anna',
      'call 1.mp3',
      'SU-204',
      'room 5',
      '5 звонков',
      'A1',
      '0197f2a0-0000-7000-8000-00000000000a',
      '...',
      '',
    ]
    const cells = (line: CsvCell[], spreadsheet: boolean) =>
      parseCsv(formatCsvLines([line], { spreadsheet }).toString())[0]
    expect(cells([...changed, ...kept], true)).to.deep.equal([...changed.map((cell) => `'${cell}`), ...kept])
    expect(cells(changed, false)).to.deep.equal(changed)
    expect(formatCsvLines([['=1', 12, 17.5, { value: '0:04:12' }]], { spreadsheet: true }).toString()).to.equal(
      `"'=1",12,17.5,"0:04:12"\r\n`,
    )
  })
})
