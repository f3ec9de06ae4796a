import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: search suggestions', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
    await insertCalls(app, [{ text: 'Доставка завтра', direction: 'INBOUND' }])
  })
  after(() => app.stop())

  const open = async (q: string, headers = {}) =>
    (await olga.open(`/recordings?${new URLSearchParams({ q, direction: 'INBOUND' }).toString()}`, headers)).text

  it('an empty search result links to a similar query with the same filters', async () => {
    const text = await open('достувка "завтра"')
    expect(text).to.contain('Did you mean:')
    const [, address] = /class="suggestions">[^<]*<a href="([^"]*)"><bdi>доставка &quot;завтра&quot;</.exec(text)!
    const query = new URL(address!.replaceAll('&amp;', '&'), 'http://panel').searchParams
    expect(Object.fromEntries(query)).to.deep.equal({ q: 'доставка "завтра"', direction: 'INBOUND' })
    const found = (await olga.open(address!.replaceAll('&amp;', '&'))).text
    expect(found).to.contain('<b>1</b> call').and.not.contain('class="suggestions"')
    expect(await open('достувка', { 'Accept-Language': 'ru' })).to.contain('Возможно, вы искали:')
  })

  it('no query is suggested without a similar word', async () => {
    expect(await open('электробритва'))
      .to.contain('No calls found')
      .and.not.contain('class="suggestions"')
  })
})
