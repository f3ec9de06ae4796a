import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { insertCalls } from '../test/calls.ts'
import { describeInBrowser } from '../test/browser.ts'
import { startTestPanel, type TestPanel } from '../test/panel.ts'

const SAMPLE_WORDS = 'Good afternoon, I would like to know when my order comes; the driver has not called yet.'.split(
  ' ',
)

describeInBrowser('panel: page weight', (chrome) => {
  let app: TestPanel
  let cookie: string

  before(async () => {
    app = await startTestPanel()
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    // Each text is different, so that compression cannot shrink repetitions.
    await insertCalls(
      app,
      Array.from({ length: 120 }, (_, n) => ({
        text: Array.from(
          { length: 60 },
          (_, i) => `${SAMPLE_WORDS[(i * 7 + n * 3 + n * i) % SAMPLE_WORDS.length]}${(n * i) % 17}`,
        ).join(' '),
        manager: `Manager ${n % 15} of the shop`,
        phone: `+37529${1_000_000 + n * 7919}`,
        direction: n % 2 ? 'INBOUND' : 'OUTBOUND',
        at: new Date(Date.UTC(2026, n % 12, 1 + (n % 28), n % 24)).toISOString(),
        duration: n * 3,
      })),
    )
  })
  after(() => app.stop())

  /** Measures all requests of a page as the browser counts them: headers and compressed bodies, in bytes. */
  async function measurePage(address: string): Promise<{ bytes: number; files: Set<string> }> {
    const page: Page = await chrome.open(`${app.panelUrl}/login`, { cookie })
    const protocol = await page.context().newCDPSession(page)
    await protocol.send('Network.enable')
    await protocol.send('Network.clearBrowserCache')
    const names = new Map<string, string>()
    let bytes = 0
    protocol.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url))
    protocol.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await page.goto(app.panelUrl + address, { waitUntil: 'networkidle' })
    return { bytes, files: new Set([...names.values()].map((url) => new URL(url).pathname.split('/').at(-1)!)) }
  }

  it('the list of calls transfers at most 100 KB, with 25 or 100 calls', async () => {
    for (const size of [25, 100]) {
      const { bytes, files } = await measurePage(`/recordings?pageSize=${size}`)
      expect([...files]).to.include.members(['recordings', 'panel.css', 'htmx.js', 'panel.js', 'recordings.js'])
      expect(bytes, `${size} a page`).to.be.within(20_000, 100_000)
    }
  })
})
