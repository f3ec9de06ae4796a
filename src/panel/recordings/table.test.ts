import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import type { Language } from '../frame/i18n.ts'
import { createPanelLanguages } from '../words.ts'
import { formatCallTableCsv } from './table.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const [en, ru] = createPanelLanguages('Europe/Minsk') as [Language, Language]

const CALL = {
  id: '0197f2a0-0000-7000-8000-000000000000',
  callStartedAt: '2026-09-01T11:30:05.000Z',
  createdAt: '2026-09-02T00:00:00.000Z',
  direction: 'INBOUND',
  phoneNumber: '+375 29 1',
  managerName: '=cmd|x',
  department: { id: 'x', name: 'Sales' },
  durationSeconds: 252.9,
  score: 87.4,
  source: 'upload',
  externalCallId: null,
  fileName: 'a "b".wav',
  transcript: { text: 'Hello;\nhow are you?' },
}

async function* splitChunks(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function written(calls: object[], language = en, size = 64 * 1024): Promise<string> {
  const lines = calls.map((call) => `${JSON.stringify(call)}\n`).join('')
  const parts: Buffer[] = []
  for await (const part of formatCallTableCsv(
    splitChunks(lines, size),
    language,
    'https://calls.example',
    'Europe/Minsk',
  ))
    parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

describe('panel: the table of calls for people', () => {
  it('has words and local times of the language, a link to each call, and no cell that starts a formula', async () => {
    expect((await written([CALL])).split('\r\n')).to.deep.equal([
      '\ufeff"Call (Europe/Minsk)","Direction","Phone","Manager","Department","Duration","Score","Source","Call ID","File","Link","Transcript"',
      `"2026-09-01 14:30","incoming","'+375 29 1","'=cmd|x","Sales","0:04:12",87,"upload",,"a ""b"".wav","https://calls.example/recordings/${CALL.id}","Hello;\nhow are you?"`,
      '',
    ])
    const russian = await written([CALL], ru)
    expect(russian.split('\r\n')[0]).to.equal(
      '\ufeff"Время звонка (Europe/Minsk)";"Направление";"Телефон";"Менеджер";"Отдел";"Длительность";"Оценка";"Источник";"ID звонка";"Файл";"Ссылка";"Расшифровка"',
    )
    expect(russian).to.contain('"01.09.2026 14:30";"входящий";"\'+375 29 1"').and.contain('"0:04:12";87;"загрузка";;')
  })

  it('reads lines however they are cut into pieces, and leaves empty what is not known', async () => {
    const bare = { id: CALL.id, createdAt: '2026-09-02T00:00:00.000Z', source: 'crm', transcript: null }
    const none = { direction: null, phoneNumber: null, managerName: null, department: null, durationSeconds: null }
    const calls = [CALL, { ...bare, ...none, score: null, externalCallId: null, fileName: null, callStartedAt: null }]
    const expected = await written(calls)
    for (const size of [1, 7, 100]) expect(await written(calls, en, size)).to.equal(expected)
    expect(expected).to.contain(`"2026-09-02 03:00",,,,,,,"CRM",,,"https://calls.example/recordings/${CALL.id}",""\r\n`)
  })

  it('cuts a text that no cell of a spreadsheet takes, and says where the rest is', async () => {
    const text = `${'я'.repeat(31_999)}😀${'я'.repeat(5000)}`
    const [, line] = (await written([{ ...CALL, transcript: { text } }])).split('\r\n')
    expect(line).to.match(
      /я\ufffd?… The full transcript is on the page of the call: https:\/\/calls\.example\/recordings\/[\w-]+"$/,
    )
    expect(/"(я[^"]*)"$/.exec(line!)![1]!.length).to.be.lessThan(32_767)
  })

  it('writes 100,000 calls and holds no more of them than one piece', async () => {
    const line = `${JSON.stringify(CALL)}\n`
    const piece = Buffer.from(line.repeat(100))
    let sentCount = 0
    async function* generateChunks() {
      for (let n = 0; n < 1000; n++) {
        sentCount += 100
        yield piece
      }
    }
    let written = -1 // the header line is not a call
    for await (const part of formatCallTableCsv(generateChunks(), en, 'https://calls.example', 'Europe/Minsk')) {
      written += part.toString().split('\r\n').length - 1
      expect(sentCount - written).to.be.lessThan(101)
    }
    expect(written).to.equal(100_000)
  })

  describe('as the panel sends it', () => {
    let app: TestPanel
    let olga: PanelBrowser
    before(async () => {
      app = await startTestPanel()
      olga = await app.openOwnerBrowser()
    })
    after(() => app.stop())

    it('holds what is selected, or what the filters choose, in the language of the person, and the API’s stays', async () => {
      const calls = [{ manager: 'Anna', text: 'first' }, { manager: 'Anna', text: 'second' }, { manager: 'Max' }]
      const [one] = await insertCalls(app, calls)
      const selected = await olga.open(`/recordings/export?format=table&id=${one}`)
      expect(selected.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(selected.headers.get('content-disposition')).to.match(
        /^attachment; filename="calls-\d{4}-\d\d-\d\d\.csv"$/,
      )
      expect(selected.headers.get('x-transcripts-exported')).to.equal('1')
      expect(selected.text).to.contain(`"${app.panelUrl}/recordings/${one}","first"`)
      expect(selected.text.trim().split('\r\n')).to.have.length(2)
      await app.olga.patch('/v1/auth/me', { language: 'ru' })
      const filtered = await olga.open('/recordings/export?manager=Anna&format=table')
      expect(filtered.text.trim().split('\r\n')).to.have.length(3)
      expect(filtered.text).to.contain('"Менеджер"')
      expect(filtered.headers.get('content-disposition')).to.contain("filename*=UTF-8''%D0%97")
      expect((await olga.open('/recordings')).text).to.contain('format=table" download>Таблица')
      expect((await olga.open('/recordings/export?format=csv')).text).to.contain('"callStartedAt"')
    })

    it('is refused as the export is: without the right, and with invalid filters', async () => {
      expect((await olga.open('/recordings/export?format=table&dateFrom=x')).status).to.equal(400)
      const nobody = await app.browser().open('/recordings/export?format=table')
      expect(nobody.headers.get('location')).to.contain('/login')
    })
  })
})
