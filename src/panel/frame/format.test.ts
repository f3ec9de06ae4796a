import { expect } from 'chai'
import { createPanelLanguages } from '../words.ts'
import type { LanguageFormats } from './format.ts'
import { formatAudioLengthEn, formatAudioLengthRu } from './words/grammar.ts'

describe('panel: short formats', () => {
  const [en, ru] = createPanelLanguages('Europe/Minsk').map(({ format }) => format) as [
    LanguageFormats,
    LanguageFormats,
  ]

  it('a short day shows its year only if it is not the current one', () => {
    const year = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Minsk', year: 'numeric' }).format(new Date())
    expect([en, ru].map((format) => format.shortDay(`${year}-05-07`))).to.deep.equal(['7 May', '7 мая'])
    expect([en, ru].map((format) => format.shortDay('2019-05-07'))).to.deep.equal(['7 May 2019', '07.05.2019'])
  })

  it('a range of days names the same month and year only once', () => {
    expect(en.days('2026-11-09', '2026-11-15')).to.equal('9–15 Nov 2026')
    expect(ru.days('2026-11-09', '2026-11-15')).to.equal('9–15 нояб. 2026')
    expect(en.days('2026-03-30', '2026-04-05')).to.equal('30 Mar – 5 Apr 2026')
  })

  it('audio under half a minute is less than a minute, and no audio is none', () => {
    expect([0, 10, 100, 11_100].map(formatAudioLengthEn)).to.deep.equal([
      '0 min',
      'less than 1 min',
      '2 min',
      '3 h 5 min',
    ])
    expect(formatAudioLengthRu(10)).to.equal('меньше минуты')
  })

  it('phones of Belarus and Russia are grouped; others stay unchanged', () => {
    expect(en.phone('+375291234567')).to.equal('+375 29 123-45-67')
    expect(en.phone('+79162345678')).to.equal('+7 916 234-56-78')
    for (const other of ['+37529123456', '+3752912345678', '+48221234567', '80291234567', 'hidden', '', null])
      expect(en.phone(other)).to.equal(other)
  })

  it('whole amounts have no decimals, and small amounts keep theirs', () => {
    expect([43_960, 12.5, 0.0016].map((amount) => en.money(amount, 'BYN'))).to.deep.equal([
      '43,960 BYN', '12.50 BYN', '0.0016 BYN',
    ]) // prettier-ignore
  })
})
