import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { parseZip, parseCsv } from '../../test/file-formats.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('GET /v1/transcripts/export?format=zip', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('a zip contains all texts in order and a line of each in index.csv', async () => {
    const textOf = (n: number) => (n % 9 === 0 ? '' : `${n} слово `.repeat(n % 7 === 0 ? 20_000 : n))
    const texts = Array.from({ length: 60 }, (_, n) => textOf(n))
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString()
    const callIds = await insertCalls(
      app,
      texts.map((text, n) => ({ at: at(n), text })),
    )
    const response = await fetch(`${app.url}/v1/transcripts/export`, { headers: app.ida.headers })
    const entries = parseZip(Buffer.from(await response.arrayBuffer()))
    const index = entries.pop()!
    expect(entries.map(([name]) => name.slice(-40, -4))).to.deep.equal(callIds)
    expect(entries.map(([, text]) => text)).to.deep.equal(texts.map((text) => (text ? `${text}\n` : '')))
    const [, ...lines] = parseCsv(index[1].replace(/^\ufeff/, ''))
    expect(lines.map(([file]) => file)).to.deep.equal(entries.map(([name]) => name))
  })
})
