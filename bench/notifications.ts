/** Measures when a notification appears in an open page while 200 people have the panel open, and the processor time of that. */
import { setTimeout as pause } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { request } from 'undici'
import type { Config } from '../src/platform/config/config.ts'
import { createSessionCookie } from '../src/people/auth/session-cookie.ts'
import { sha256 } from '../src/platform/lib/crypto.ts'
import { generateId } from '../src/platform/lib/ids.ts'
import { launchBrowser, openPanelWindow, startCompany } from './company.ts'
import { connectToDatabase } from './database.ts'
import { computePercentile, openOwnerSession, reportFigure, type BenchStack } from './support.ts'

/** An open page requests the number in its bell this often: views/_bell.eta. */
const BELL_REFRESH_MS = 4000
const MAX_DELAY_MS = 5000
const COMMENTS = 20
const CLOCK_TICKS_PER_SECOND = 100

const { stack } = await startCompany(Number(process.argv[3] ?? 100_000))
const { url, pid: panelPid } = await stack.startPanel()
const cookies = await openSessions(stack)
const [reader, ...others] = cookies
const browser = await launchBrowser()
const page = await openPanelWindow(browser, url, reader!.cookie)
await page.goto(`${url}/recordings`, { waitUntil: 'networkidle' })
const owner = await openOwnerSession(stack)
const newest = JSON.parse(await owner.get(`${stack.config.apiUrl}/v1/recordings?status=DONE&pageSize=1`)) as {
  items: { id: string }[]
}
const comments = `${stack.config.apiUrl}/v1/recordings/${newest.items[0]!.id}/comments`

const stopping = new AbortController()
const polls = others.map((other, n) => pollBell(other.cookie, (n / others.length) * BELL_REFRESH_MS))
await pause(BELL_REFRESH_MS)
const before = { at: performance.now(), ...readCpuSeconds() }
const delays: number[] = []
for (let n = 0; n < COMMENTS; n++) delays.push(await measureDelay())
const seconds = (performance.now() - before.at) / 1000
const after = readCpuSeconds()
stopping.abort()
await Promise.all(polls)
await browser.close()
reportFigure('from a mention to the number in the bell, p95', computePercentile(delays, 0.95), { atMost: MAX_DELAY_MS }, ' ms') // prettier-ignore
reportFigure('processors that the panel of 200 people takes', (after.panel - before.panel) / seconds, { atMost: 1 })
reportFigure('processors that the API takes', (after.api - before.api) / seconds, { atMost: 1 })
await stack.stop()
process.exit()

/** Inserts a session for each person. The first one is an owner, who sees every call. */
async function openSessions({ config }: BenchStack): Promise<{ id: string; cookie: string }[]> {
  const db = await connectToDatabase(config.DATABASE_URL)
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM people ORDER BY role = 'owner' AND name LIKE 'Person%' DESC, id LIMIT 200`,
  )
  const sessions = []
  for (const { id } of rows) {
    const { token, header } = createSessionCookie({ ...config, SESSION_TTL_HOURS: 1 } as Config)
    await db.query(
      `INSERT INTO sessions (token_hash, person_id, expires_at, id) VALUES ($1, $2, now() + interval '1 hour', $3)`,
      [sha256(token), id, generateId()],
    )
    sessions.push({ id, cookie: header.split(';')[0]! })
  }
  await db.end()
  return sessions
}

async function pollBell(cookie: string, delayMs: number): Promise<void> {
  await pause(delayMs)
  while (!stopping.signal.aborted) {
    const response = await request(`${url}/notifications/bell`, { headers: { Cookie: cookie, 'HX-Request': 'true' } })
    await response.body.dump()
    if (response.statusCode !== 200) throw new Error(`the bell: ${response.statusCode}`)
    await pause(BELL_REFRESH_MS)
  }
}

/** Mentions the reader, and returns the milliseconds until the open page shows one more unread notification. */
async function measureDelay(): Promise<number> {
  await pause(BELL_REFRESH_MS * Math.random())
  const shown = await page.locator('#unread').innerText()
  const startedAt = performance.now()
  await owner.send(comments, 'POST', JSON.stringify({ at: 5, text: 'Hear this', mentions: [reader!.id] }))
  while ((await page.locator('#unread').innerText()) === shown) await pause(20)
  return performance.now() - startedAt
}

/** Reads the processor time of the panel and the API in seconds. */
function readCpuSeconds(): { panel: number; api: number } {
  const read = (pid: number) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
  }
  return { panel: read(panelPid), api: read(stack.pids.api) }
}
