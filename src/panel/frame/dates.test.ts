import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseDay } from './dates.ts'
import type { LanguageFormats } from './format.ts'
import { createPanelLanguages } from '../words.ts'

describe('panel: date and time fields', () => {
  const [en, ru] = createPanelLanguages('Europe/Moscow').map(({ format }) => format) as [
    LanguageFormats,
    LanguageFormats,
  ]

  it('days and times are parsed in both languages, with a 24-hour clock', () => {
    const days: [written: string, read: string][] = [
      ['21.11.2026', '2026-11-21'],
      ['1.3.2026', '2026-03-01'],
      ['21/11/2026', '2026-11-21'],
      ['21 Nov 2026', '2026-11-21'],
      ['1 September 2026', '2026-09-01'],
      ['21 ноября 2026', '2026-11-21'],
      ['3 Мая 2026 г.', '2026-05-03'],
      ['2026-11-21', '2026-11-21'],
      ['21.11.2026 9:05', '2026-11-21T09:05'],
      ['21 Nov 2026, 23:59:07', '2026-11-21T23:59:07'],
      ['2026-11-21T14:30', '2026-11-21T14:30'],
    ]
    for (const [written, read] of days) expect(parseDay(written), written).to.equal(read)
  })

  it('a text that is no valid day stays as it was typed', () => {
    const invalidTexts =
      '30.02.2026|21.13.2026|21 Foo 2026|21.11.26|21.11.2026 24:00|21.11.2026 2 PM|11-21-2026|x|'.split('|')
    for (const text of [...invalidTexts, '1 '.repeat(10_000)]) expect(parseDay(text)).to.equal(text)
  })

  it('a day formatted in either language is parsed to the same day', () => {
    const inputs = ['2026-09-01', '2026-05-03T09:05', '2026-05-03T09:05:07', '2026-02-30', 'x']
    expect(inputs.map((text) => en.field(text))).to.deep.equal([
      '1 Sept 2026', '3 May 2026 09:05', '3 May 2026 09:05:07', '2026-02-30', 'x',
    ]) // prettier-ignore
    expect(inputs.map((text) => ru.field(text))).to.deep.equal([
      '01.09.2026', '03.05.2026 09:05', '03.05.2026 09:05:07', '2026-02-30', 'x',
    ]) // prettier-ignore
    for (const format of [en, ru]) {
      for (let month = 1; month <= 12; month++) {
        const day = `2026-${String(month).padStart(2, '0')}-21`
        expect(parseDay(format.field(day))).to.equal(day)
      }
    }
  })

  it('no page uses date fields of the browser, which follow the browser’s language', async () => {
    const native = /type[=:]\s*\\?["']?(?:date|datetime-local|time|month|week)\b/
    for (const folder of ['views', 'public']) {
      for (const name of await readdir(folder, { recursive: true })) {
        if (!/\.(eta|js)$/.test(name)) continue
        expect(await readFile(join(folder, name), 'utf8'), name).not.to.match(native)
      }
    }
  })
})
