import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { parseZip, parseCsv } from '../../test/file-formats.ts'
import { startTestApp } from '../../test/server.ts'

describe('exports for spreadsheets', () => {
  it('an export for spreadsheets marks ids, phones and fractions as text', async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api' })
    try {
      await insertCalls(app, [
        { phone: '80291234567', manager: '2-3', externalCallId: '00123', text: '1E5', duration: 17.5 },
      ])
      const wanted = ["'80291234567", "'2-3", "'00123", "'1E5", "'17.5"]
      const csv = await app.ida.get('/v1/transcripts/export?format=csv&spreadsheet=true')
      expect(parseCsv(csv.text)[1]).to.include.members(wanted)
      const plain = await app.ida.get('/v1/transcripts/export?format=csv')
      expect(parseCsv(plain.text)[1]).to.include.members(wanted.map((cell) => cell.slice(1)))
      const zip = await fetch(`${app.url}/v1/transcripts/export?spreadsheet=true`, { headers: app.ida.headers })
      const [, index] = parseZip(Buffer.from(await zip.arrayBuffer())).at(-1)!
      expect(parseCsv(index.replace(/^\ufeff/, ''))[1]).to.include.members(wanted.filter((cell) => cell !== "'1E5"))
      expect((await app.ida.get('/v1/transcripts/export?spreadsheet=5')).status).to.equal(400)
    } finally {
      await app.stop()
    }
  })
})
