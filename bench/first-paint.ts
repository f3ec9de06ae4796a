/** Measures the first paint of pages in a real browser with the calls of a large company, and the bytes of each page. */
import { execFileSync } from 'node:child_process'
import { chromium, type Page } from 'playwright-core'
import type { Config } from '../src/platform/config/config.ts'
import { createDataSource, poolOf } from '../src/platform/db/db.ts'
import { storeWeeklyReports } from '../src/reports/weekly/store-reports.ts'
import { connectToDatabase, runSqlFile, seedCompany } from './database.ts'
import {
  BENCH_OWNER_CONFIG,
  OWNER_CREDENTIALS,
  openOwnerSession,
  computePercentile,
  reportFigure,
  startStack,
} from './support.ts'

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
  '/statistics',
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
const stack = await startStack({ ...BENCH_OWNER_CONFIG, API_RUN_MODE: 'api' })
await stack.startApi()
await seedCompany(stack.config.DATABASE_URL, { calls: callCount, deals: callCount / 10 })
// With API_RUN_MODE=api, no schedule stores the weekly report.
const reports = await createDataSource(stack.config.DATABASE_URL, { poolSize: 2 }).initialize()
const config = { APP_TIMEZONE: 'Europe/Moscow' } as Config
await storeWeeklyReports({ config, db: reports, pool: poolOf(reports) })
await reports.destroy()
const db = await connectToDatabase(stack.config.DATABASE_URL)
const { rows: checkedCalls } = await db.query<{ id: string }>(
  `SELECT recording_id AS id FROM analyses WHERE status = 'DONE' LIMIT 1`,
)
const call = checkedCalls[0]!.id
await runSqlFile(db, 'company-work', { email: OWNER_CREDENTIALS.email, call })
const { rows: playlists } = await db.query<{ id: string }>('SELECT id FROM playlists LIMIT 1')
await db.end()
const { url } = await stack.startPanel()
const { cookie } = await openOwnerSession(stack)
const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? execFileSync('which', ['chromium-headless-shell']).toString().trim(),
  args: ['--no-sandbox', '--disable-gpu'],
})
const context = await browser.newContext({ locale: 'ru-RU', viewport: { width: 1280, height: 800 } })
const [name, value] = cookie.split('=') as [string, string]
await context.addCookies([{ name, value, url }])
const page = await context.newPage()
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
