/**
 * The CRM against a portal with its real limits, in a process of its own. Each part sets up what it needs and ends by itself:
 *
 *   npm run bench:crm                        all of them
 *   npm run bench:crm -- stored [1000000]    deals of a call, and the reconciliation of 31 days, with so many calls stored
 *   npm run bench:crm -- matching [200000]   so many calls matched to half as many deals by phone, after a reset
 *   npm run bench:crm -- live [5]            so many calls that end while everything is read for the first time
 *   npm run bench:crm -- reading [4]         so many minutes of reading 100,000 deals and 200,000 calls: pages against those
 *                                            that the limit allows, lists and memory of the API meanwhile
 */
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startPortal, type PortalProcess } from './crm-spy.ts'
import { openLooker, took, WITH_OWNER, type Looker } from './panel-calls.ts'
import { watchMemory } from './scale-table.ts'
import { summarize } from './scale-measure.ts'
import { seedCompany, type CompanySize } from './seed-company.ts'
import { lastDays } from './analytics-cases.ts'
import { median, memoryOf, processorTimes, startStack, verdict } from './support.ts'

const TOKEN = 'a token for events'
/** Requests a second that the portal allows in the long run. */
const ALLOWED = 2
const LIST_PAUSE_MS = 200
const LISTS = ['/v1/recordings', '/v1/recordings?status=DONE']
/** What the portal has, where much is to be read and where reading is not what is measured. */
const MUCH = { deals: 100_000, calls: 200_000 }
const LITTLE = { deals: 100, calls: 100 }

/** A running API with calls stored, and a portal that it reads once it is enabled. */
interface Scene {
  portal: PortalProcess
  apiPid: number
  processorTimes: () => { api: number; postgres: number }
  db: pg.Client
  looker: Looker
  get: (path: string) => Promise<string>
  post: (path: string, body?: string) => Promise<string>
}

const PARTS: Record<string, (size?: number) => Promise<void>> = {
  stored: (calls = 1_000_000) => onScene(LITTLE, { calls, deals: calls / 10 }, measureStored),
  matching: (calls = 200_000) => onScene(LITTLE, { calls, deals: calls / 2 }, (scene) => measureMatching(scene, calls)),
  live: (calls = 5) => onScene(MUCH, { calls: 50_000, deals: 25_000 }, (scene) => measureLiveCalls(scene, calls)),
  reading: (minutes = 4) =>
    onScene(MUCH, { calls: 200_000, deals: 100_000 }, (scene) => measureReading(scene, minutes)),
}

const [part, size] = process.argv.slice(2)
const chosen = part === undefined ? Object.values(PARTS) : [PARTS[part]]
for (const measure of chosen) {
  if (!measure) throw new Error(`There is no part ${part}; there are ${Object.keys(PARTS).join(', ')}.`)
  await measure(size === undefined ? undefined : Number(size))
}
process.exit()

async function onScene(
  told: { deals: number; calls: number },
  stored: CompanySize,
  measure: (scene: Scene) => Promise<void>,
): Promise<void> {
  const portal = await startPortal(told.deals, told.calls)
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
  // It marks the storage as its own before there are calls, whose audio nobody has.
  const api = (stack.processes.api = await stack.startApi())
  await seedCompany(stack.config.DATABASE_URL, { ...stored, unchecked: true })
  const db = new pg.Client({ connectionString: stack.config.DATABASE_URL })
  await db.connect()
  const looker = await openLooker(stack)
  const load = loadavg().map((one) => one.toFixed(1))
  console.log(`\n${stored.calls.toLocaleString('en')} calls stored; load before: ${load.join(', ')}`)
  await measure({
    portal,
    apiPid: api.pid!,
    processorTimes: () => processorTimes(stack),
    db,
    looker,
    get: (path) => looker.ask(stack.config.apiUrl + path),
    post: (path, body) => looker.post(stack.config.apiUrl + path, body),
  })
  await looker.close()
  await db.end()
  portal.stop()
  await stack.stop()
}

async function enable({ post }: Scene): Promise<void> {
  for (const step of ['connection/check', 'automation/confirm', 'automation/enable']) await post(`/v1/crm/${step}`)
}

async function measureStored({ db, get }: Scene): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    'SELECT recording_id AS id FROM crm_call_deals ORDER BY random() LIMIT 200',
  )
  const timesOf = async (paths: string[]) => {
    const times: number[] = []
    await get(paths[0]!)
    for (const path of paths) times.push(await took(() => get(path)))
    return summarize(times).p95
  }
  verdict('deals of a call, p95', await timesOf(rows.map(({ id }) => `/v1/recordings/${id}/deals`)), { atMost: 50 }, ' ms') // prettier-ignore
  const month = `/v1/crm/reconciliation?${new URLSearchParams(lastDays(31)).toString()}`
  verdict('the reconciliation of 31 days, p95', await timesOf(Array<string>(20).fill(month)), { atMost: 500 }, ' ms')
}

/**
 * A reset forgets positions and keeps the deals of calls, so every call is made due as well. They are calls that the portal
 * knows nothing of: of the others it is asked 25 with one request, which at its limit takes over an hour for so many.
 */
async function measureMatching(scene: Scene, calls: number): Promise<void> {
  const { db, post, processorTimes: used } = scene
  const linked = async () => Number((await db.query('SELECT count(DISTINCT recording_id) AS n FROM crm_call_deals')).rows[0].n) // prettier-ignore
  await enable(scene)
  const before = await linked()
  await post('/v1/crm/automation/pause')
  await post('/v1/crm/reset')
  verdict('calls that lose their deals by a reset', before - (await linked()), { atMost: 0 })
  for (const table of ['crm_calls', 'crm_call_deals']) await db.query(`DELETE FROM ${table}`)
  await db.query('VACUUM ANALYZE crm_calls, crm_call_deals, crm_matches, crm_deals')
  await db.query(`UPDATE crm_matches SET state = 'waiting', attempts = 0, due_at = now()`)
  await post('/v1/crm/automation/resume')
  const left = async () => (await db.query(`SELECT FROM crm_matches WHERE state = 'waiting' LIMIT 1`)).rowCount! > 0
  const usedBefore = used()
  const ms = await took(async () => {
    while (await left()) await pause(200)
  })
  const [api, postgres] = [used().api - usedBefore.api, used().postgres - usedBefore.postgres]
  console.log(`${calls.toLocaleString('en')} calls by phone: ${await linked()} have deals, ${before} had`)
  console.log(`processor time ${api.toFixed(1)} s, of Postgres ${postgres.toFixed(1)} s`)
  verdict('matching them', ms / 1000, { atMost: 60 }, ' s')
}

/** While everything else is still being read: live calls go first. The portal is asked 20 s after the event. */
async function measureLiveCalls(scene: Scene, calls: number): Promise<void> {
  const { portal, db, post } = scene
  await enable(scene)
  await dealsAreRead(portal)
  const linked = 'SELECT FROM crm_calls c JOIN crm_call_deals l ON l.recording_id = c.recording_id WHERE c.call_id = $1'
  const seconds: number[] = []
  for (let n = 0; n < calls; n++) {
    const callId = await portal.endCall()
    const data = { event: 'ONVOXIMPLANTCALLEND', data: { CALL_ID: callId }, auth: { application_token: TOKEN } }
    await post('/v1/integrations/crm/events', JSON.stringify(data))
    while ((await db.query(linked, [callId])).rowCount === 0) await pause(50)
    seconds.push((Date.now() - (await portal.firstAsked(callId))) / 1000)
  }
  console.log(`live calls linked after the first request for them: ${seconds.map((one) => `${one.toFixed(1)} s`).join(', ')}`) // prettier-ignore
  verdict('the slowest of them', Math.max(...seconds), { atMost: 5 }, ' s')
}

/** From the first page of deals on, because what comes before is little. */
async function measureReading(scene: Scene, minutes: number): Promise<void> {
  const { portal, apiPid } = scene
  const quiet = await lookAtLists(scene, 15)
  await enable(scene)
  await dealsAreRead(portal)
  const pagesOf = (asked: Record<string, number>) => Object.values(asked).reduce((sum, n) => sum + n, 0)
  const before = pagesOf(await portal.asked())
  const base = memoryOf(apiPid).rss
  const peak = watchMemory(apiPid)
  const startedAt = performance.now()
  const busy = await lookAtLists(scene, 60 * minutes)
  const seconds = (performance.now() - startedAt) / 1000
  const asked = await portal.asked()
  const pages = pagesOf(asked) - before
  console.log(`${seconds.toFixed(0)} s of reading: ${pages} requests, in all ${JSON.stringify(asked)}`)
  verdict('pages read of those that the limit allows', pages / (ALLOWED * seconds), { atLeast: 0.9 })
  console.log(`lists: median ${median(quiet).toFixed(1)} ms quiet, ${median(busy).toFixed(1)} ms meanwhile`)
  verdict('the lists meanwhile against their quiet medians', median(busy) / median(quiet), { atMost: 1.5 })
  verdict('the memory meanwhile', peak() - base, { atMost: 64 }, ' MB more')
}

async function dealsAreRead(portal: PortalProcess): Promise<void> {
  while (!(await portal.asked())['crm.item.list']) await pause(500)
}

async function lookAtLists({ get }: Scene, seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (const list of LISTS) await get(list)
  while (performance.now() < end) {
    for (const list of LISTS) times.push(await took(() => get(list)))
    await pause(LIST_PAUSE_MS)
  }
  return times
}
