/**
 * The CRM against a portal with its real limits, in a process of its own: the pages read in some minutes of a portal of
 * 100,000 deals and 200,000 calls against those that the limit allows, lists and memory of the API meanwhile; a live call
 * from the first answer about it to its deal; matching 200,000 calls to 100,000 deals by phone; deals of a call and the
 * reconciliation with so many calls stored.
 *
 *   npm run bench:crm -- [calls stored, 1000000] [minutes of reading, 4] [calls to match, 200000]
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startPortal } from './crm-spy.ts'
import { openLooker, took, WITH_OWNER } from './panel-calls.ts'
import { watchMemory } from './scale-table.ts'
import { summarize } from './scale-measure.ts'
import { seedCompany } from './seed-company.ts'
import { lastDays } from './analytics-cases.ts'
import { median, memoryOf, startStack, verdict } from './support.ts'

const [stored = 1_000_000, minutes = 4, toMatch = 200_000] = process.argv.slice(2).map(Number)
const TOKEN = 'a token for events'
/** Requests a second that the portal allows in the long run. */
const ALLOWED = 2
const LIST_PAUSE_MS = 200
const LISTS = ['/v1/recordings', '/v1/recordings?status=DONE']

const portal = await startPortal(100_000, 200_000)
const stack = await startStack(
  {},
  {
    LOG_LEVEL: 'warn',
    ...WITH_OWNER,
    CRM_WEBHOOK_URL: portal.readUrl,
    CRM_EVENT_TOKEN: TOKEN,
    ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    CRM_SYNC_PAUSE_SECONDS: 0,
    CRM_EXPORT_PAUSE_SECONDS: 0,
  },
)
const api = (stack.processes.api = await stack.startApi())
await seedCompany(stack.config.DATABASE_URL, { calls: stored, deals: Math.max(stored / 10, 100_000) })
const db = new pg.Client({ connectionString: stack.config.DATABASE_URL })
await db.connect()
const looker = await openLooker(stack)
const get = (path: string) => looker.ask(stack.config.apiUrl + path)
console.log(`\n${stored.toLocaleString('en')} calls stored`)
await measureReads()
const quiet = await lookAtLists(15)
await enable()
await measureReading()
await measureLiveCall()
await looker.post(`${stack.config.apiUrl}/v1/crm/automation/pause`)
await measureMatching()
await looker.close()
await db.end()
portal.stop()
await stack.stop()
process.exit()

async function enable(): Promise<void> {
  for (const step of ['connection/check', 'automation/confirm', 'automation/enable']) {
    await looker.post(`${stack.config.apiUrl}/v1/crm/${step}`)
  }
}

/** From the first page of deals on, because what comes before is little. */
async function measureReading(): Promise<void> {
  const pagesOf = (asked: Record<string, number>) => Object.values(asked).reduce((sum, n) => sum + n, 0)
  while (!(await portal.asked())['crm.item.list']) await pause(1000)
  const before = pagesOf(await portal.asked())
  const base = memoryOf(api.pid!).rss
  const peak = watchMemory(api.pid!)
  const startedAt = performance.now()
  const busy = await lookAtLists(60 * minutes)
  const seconds = (performance.now() - startedAt) / 1000
  const asked = await portal.asked()
  const pages = pagesOf(asked) - before
  console.log(`${seconds.toFixed(0)} s of reading: ${pages} requests, in all ${JSON.stringify(asked)}`)
  verdict('pages read of those that the limit allows', pages / (ALLOWED * seconds), { atLeast: 0.9 })
  console.log(`lists: median ${median(quiet).toFixed(1)} ms quiet, ${median(busy).toFixed(1)} ms meanwhile`)
  verdict('the lists meanwhile against their quiet medians', median(busy) / median(quiet), { atMost: 1.5 })
  verdict('the memory meanwhile', peak() - base, { atMost: 64 }, ' MB more')
}

/** While everything else is still being read: live calls go first. The portal is asked 20 s after the event. */
async function measureLiveCall(): Promise<void> {
  const callId = await portal.endCall()
  const body = JSON.stringify({
    event: 'ONVOXIMPLANTCALLEND',
    data: { CALL_ID: callId },
    auth: { application_token: TOKEN },
  })
  await looker.post(`${stack.config.apiUrl}/v1/integrations/crm/events`, body)
  const isThere = async (text: string) => (await db.query(text, [callId])).rowCount! > 0
  while (!(await isThere('SELECT FROM crm_calls WHERE call_id = $1'))) await pause(100)
  const seconds = await took(async () => {
    const linked =
      'SELECT FROM crm_calls c JOIN crm_call_deals l ON l.recording_id = c.recording_id WHERE c.call_id = $1'
    while (!(await isThere(linked))) await pause(100)
  })
  verdict('a live call linked after it was read', seconds / 1000, { atMost: 5 }, ' s')
}

/**
 * Calls that the portal knows nothing of are matched by phone alone: of the others it is asked 25 with one request, which
 * at its limit takes over an hour for so many.
 */
async function measureMatching(): Promise<void> {
  await db.query(
    `CREATE TEMP TABLE chosen AS SELECT recording_id AS id FROM crm_matches ORDER BY recording_id DESC LIMIT ${toMatch}`,
  )
  await db.query('DELETE FROM crm_calls WHERE recording_id IN (SELECT id FROM chosen)')
  await db.query('DELETE FROM crm_call_deals WHERE recording_id IN (SELECT id FROM chosen)')
  await db.query('ANALYZE crm_calls, crm_call_deals, crm_matches, crm_deals')
  await db.query(
    `UPDATE crm_matches SET state = 'waiting', attempts = 0, due_at = now() WHERE recording_id IN (SELECT id FROM chosen)`,
  )
  await enableAgain()
  const left = async () => (await db.query(`SELECT FROM crm_matches WHERE state = 'waiting' LIMIT 1`)).rowCount! > 0
  const ms = await took(async () => {
    while (await left()) await pause(200)
  })
  const { rows } = await db.query<{ n: string }>(
    'SELECT count(DISTINCT recording_id) AS n FROM crm_call_deals WHERE recording_id IN (SELECT id FROM chosen)',
  )
  console.log(`matching ${toMatch.toLocaleString('en')} calls by phone: ${rows[0]!.n} have deals`)
  verdict('matching them', ms / 1000, { atMost: 60 }, ' s')
}

const enableAgain = () => looker.post(`${stack.config.apiUrl}/v1/crm/automation/enable`)

async function measureReads(): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT recording_id AS id FROM crm_call_deals ORDER BY random() LIMIT 200',
  )
  const deals = await timesOf(rows.map(({ id }) => `/v1/recordings/${id}/deals`))
  verdict('deals of a call, p95', summarize(deals).p95, { atMost: 50 }, ' ms')
  const month = new URLSearchParams(lastDays(31)).toString()
  const reconciliation = await timesOf(Array.from({ length: 20 }, () => `/v1/crm/reconciliation?${month}`))
  verdict('the reconciliation of 31 days, p95', summarize(reconciliation).p95, { atMost: 500 }, ' ms')
}

async function timesOf(paths: string[]): Promise<number[]> {
  const times: number[] = []
  await get(paths[0]!)
  for (const path of paths) times.push(await took(() => get(path)))
  return times
}

async function lookAtLists(seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (const list of LISTS) await get(list)
  while (performance.now() < end) {
    for (const list of LISTS) times.push(await took(() => get(list)))
    await pause(LIST_PAUSE_MS)
  }
  return times
}
