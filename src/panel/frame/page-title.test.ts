import { expect } from 'chai'
import { createSampleData, buildPageAddresses, type SampleIds } from '../every-page.test.ts'
import { formatPageTitle } from './page-title.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: page titles and times', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let ids: SampleIds
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
    ids = await createSampleData(app)
  })
  after(() => app.stop())

  const titleAt = async (path: string) => /<title>(.*?) · [^·]*<\/title>/.exec((await olga.open(path)).text)![1]

  it('the title of a page names its filters, and the heading stays the same', async () => {
    expect(await titleAt('/recordings')).to.equal('Calls')
    expect(await titleAt('/recordings?q=password')).to.equal('password · Calls')
    expect(await titleAt('/recordings?q=a&manager=Anna&direction=INBOUND')).to.equal(
      'a, Direction: Incoming, Manager: Anna · Calls',
    )
    expect((await olga.open('/recordings?q=password')).text).to.contain('<h1>Calls</h1>')
    expect(await titleAt(`/recordings/${ids.done}?q=delivery`)).to.match(/^delivery · \+375 29 123-45-67, /)
    expect(await titleAt(`/analytics/load?from=2026-03-01&to=2026-03-07&department=${ids.department}`)).to.equal(
      'Sales, 1 Mar 2026 – 7 Mar 2026 · Call volume',
    )
    expect(await titleAt('/analytics/load?manager=Anna')).to.equal('Anna · Call volume')
    expect(await titleAt('/analytics/load')).to.equal('Call volume')
  })

  it('the titles of People and Audit log name their filters', async () => {
    expect(await titleAt('/people')).to.equal('People')
    expect(await titleAt(`/people?q=han&role=head&department=${ids.department}&active=true`)).to.equal(
      'han, department head, Sales, With access · People',
    )
    expect((await olga.open('/people?q=han')).text).to.contain('<h1>People</h1>')
    expect(await titleAt('/audit')).to.equal('Audit log')
    expect(await titleAt('/audit?kind=reads')).to.equal('Reads · Audit log')
    expect(await titleAt(`/audit?person=${ids.hanna}&action=audio.read&from=2026-03-01&to=2026-03-07`)).to.equal(
      'Hanna, listened to a recording, 1 Mar 2026 – 7 Mar 2026 · Audit log',
    )
    expect(await titleAt(`/audit?object=${ids.department}`)).to.equal('Sales · Audit log')
    expect((await olga.open('/audit?kind=reads')).text).to.contain('<h1>Audit log</h1>')
  })

  it('a page title cuts long filters without splitting a character', () => {
    expect(formatPageTitle('Calls', ['😀'.repeat(100)])).to.equal(`${'😀'.repeat(80)}… · Calls`)
  })

  it('every time on a page has a title with exact time and zone', async () => {
    let times = 0
    for (const path of Object.values(buildPageAddresses(ids)).flat()) {
      for (const [tag] of (await olga.open(path)).text.matchAll(/<time\b[^>]*>/g)) {
        expect(tag, path).to.match(/title="\d+ [A-Z][a-z]+ \d{4}(?:, \d\d:\d\d:\d\d)? \([A-Z][a-z]+\/[A-Z][a-z]+\)"/)
        times++
      }
    }
    expect(times).to.be.above(20)
  })
})
