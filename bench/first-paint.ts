/** Measures the first paint of pages in a real browser with the calls of a large company, and the bytes of each page. */
import type { Page } from 'playwright-core'
import { launchBrowser, openPanelWindow, startCompany } from './company.ts'
import { connectToDatabase } from './database.ts'
import { openOwnerSession, computePercentile, reportFigure } from './support.ts'

const WARM_UP_ROUNDS = 3
const MAX_FIRST_PAINT_MS = 500
const MAX_HTML_KB = 15
const MAX_ASSETS_KB = 60
const PAGE_PATHS = [
  '/',
  '/recordings',
  '/recordings?sort=score&order=asc',
  '/recordings?q=заказ',
  '/reviews',
  '/upload',
  '/queues',
  '/analytics/weekly',
  '/analytics/sales',
  '/analytics/quality',
  '/analytics/load',
  '/rule-sets',
  '/people',
  '/notifications',
  '/views',
  '/playlists',
  '/audit',
  '/system',
]

const callCount = Number(process.argv[3] ?? 100_000)
const rounds = Number(process.argv[4] ?? 20)
const { stack, call } = await startCompany(callCount)
const db = await connectToDatabase(stack.config.DATABASE_URL)
const { rows: playlists } = await db.query<{ id: string }>('SELECT id FROM playlists LIMIT 1')
await db.end()
const { url } = await stack.startPanel()
const browser = await launchBrowser()
const page = await openPanelWindow(browser, url, (await openOwnerSession(stack)).cookie)
for (const path of [...PAGE_PATHS, `/recordings/${call}`, `/playlists/${playlists[0]!.id}`])
  await measurePath(page, path)
await browser.close()
await stack.stop()
process.exit()

async function measurePath(page: Page, path: string): Promise<void> {
  const label = path.replace(/[0-9a-f-]{36}/, '{id}')
  const { html, assets } = await measureBytes(page, path)
  reportFigure(`${label}: HTML`, html, { atMost: MAX_HTML_KB }, ' kB')
  reportFigure(`${label}: assets`, assets, { atMost: MAX_ASSETS_KB }, ' kB')
  const times: number[] = []
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    await page.goto(url + path, { waitUntil: 'load' })
    const ms = await measureFirstPaint(page)
    if (round >= 0) times.push(ms)
  }
  reportFigure(`${label}: first paint, p95`, computePercentile(times, 0.95), { atMost: MAX_FIRST_PAINT_MS }, ' ms')
}

/** Returns the milliseconds from the start of the navigation to the first contentful paint. */
async function measureFirstPaint(page: Page): Promise<number> {
  const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  return (await paint.jsonValue()) as number
}

/** Returns the kilobytes that the browser transfers with an empty cache, of the page and of everything that it loads. */
async function measureBytes(page: Page, path: string): Promise<{ html: number; assets: number }> {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Network.enable')
  await protocol.send('Network.clearBrowserCache')
  const documents = new Set<string>()
  const bytes = { html: 0, assets: 0 }
  protocol.on('Network.responseReceived', ({ requestId, type }) => type === 'Document' && documents.add(requestId))
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes[documents.has(requestId) ? 'html' : 'assets'] += encodedDataLength / 1000
  })
  await page.goto(url + path, { waitUntil: 'networkidle' })
  await protocol.detach()
  return bytes
}
