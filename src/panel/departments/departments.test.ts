import { expect } from 'chai'
import { startTestPanel, type Browser, type TestPanel } from '../start-panel.test.ts'

describe('panel: the funnels of a department', () => {
  let app: TestPanel
  let olga: Browser
  let id: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.olgasBrowser()
    id = (await app.olga.post('/v1/departments', { name: 'Sales' })).json.id
  })
  after(() => app.stop())
  afterEach(() => app.db.query('DELETE FROM crm_funnels'))

  const send = (path: string, fields: Record<string, string>, headers = {}) =>
    olga.send(path, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Sales', managers: '', ...fields }),
      headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
    })
  const funnels = async (): Promise<number[]> => (await app.olga.get(`/v1/departments/${id}`)).json.funnels
  const fieldOf = (text: string) => /<input type="text" id="f-funnels" name="funnels" value="([^"]*)"/.exec(text)?.[1]
  const faultOf = (text: string) => /id="f-funnels-error">([^<]*)</.exec(text)?.[1]

  it('are typed as numbers while none has been read of the CRM, and taken back as such', async () => {
    expect(fieldOf((await olga.open('/departments/new')).text)).to.equal('')
    const typed = await send(`/departments/${id}`, { withFunnels: 'typed', funnels: ' 5, 0;7  5 ' })
    expect(typed.status).to.equal(303)
    expect(await funnels()).to.deep.equal([0, 5, 7])
    expect(fieldOf((await olga.open(`/departments/${id}`)).text)).to.equal('0, 5, 7')
    await send(`/departments/${id}`, { withFunnels: 'typed', funnels: '' })
    expect(await funnels()).to.deep.equal([])
    await send('/departments/new', { name: 'Support', withFunnels: 'typed', funnels: '3' })
    const { items } = (await app.olga.get('/v1/departments')).json
    expect(items.find(({ name }: { name: string }) => name === 'Support').funnels).to.deep.equal([3])
  })

  it('what is typed and no number of a funnel is named beside the field, with what else is wrong, and kept', async () => {
    const given = { name: '', withFunnels: 'typed', funnels: '0, five, -1, 99999999999' }
    for (const path of ['/departments/new', `/departments/${id}`]) {
      const { status, text } = await send(path, given)
      expect([status, fieldOf(text)], path).to.deep.equal([400, given.funnels])
      expect(faultOf(text)).to.equal(
        'No number of a funnel: five, -1, 99999999999. Whole numbers from 0 on, separated by commas.',
      )
      expect(text).to.contain('id="f-name-error"')
    }
    const russian = await send('/departments/new', given, { 'Accept-Language': 'ru' })
    expect(faultOf(russian.text)).to.match(/^Не номер воронки: five, -1, 99999999999\. [А-я]/)
  })

  it('are chosen by name once they have been read, with those that were typed before', async () => {
    await send(`/departments/${id}`, { withFunnels: 'typed', funnels: '7' })
    await app.db.query(`INSERT INTO crm_funnels (id, name) VALUES (0, 'General')`)
    const { text } = await olga.open(`/departments/${id}`)
    expect(fieldOf(text)).to.equal(undefined)
    expect(text)
      .to.match(/value="0"[^>]*>[\s\S]*General \(0\)/)
      .and.match(/value="7"[^>]* checked/)
    await send(`/departments/${id}`, { withFunnels: 'chosen', funnels: '0' })
    expect(await funnels()).to.deep.equal([0])
  })
})
