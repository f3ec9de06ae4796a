/** Measures the CRM automation with a test portal that has the limits of Bitrix24. Without an argument, it runs all parts. */
import { setTimeout as pause } from 'node:timers/promises'
import { BITRIX_LIMITS } from '../src/test/portal/limits.ts'
import { TestPortal } from '../src/test/portal/portal.ts'
import { connectToDatabase, seedCompany } from './database.ts'
import { formatLastDays, computeMedian, openOwnerSession, computePercentile, startStack, measureMs, measureRequestsInTurns, reportFigure, watchMemoryGrowth, BENCH_OWNER_CONFIG } from './support.ts' // prettier-ignore

const EVENT_TOKEN = 'a token for events'
/** The portal permits this many requests per second in the long run. */
const REQUESTS_PER_SECOND = 2
const LIST_PATHS = ['/v1/recordings', '/v1/recordings?status=DONE']
const LARGE_PORTAL = { deals: 100_000, calls: 200_000 }
const SMALL_PORTAL = { deals: 100, calls: 100 }
/** Portal ids are above the ids of the seeded calls. */
const FIRST_ID = 10_000_000
/** The automation reads the calls of this user but does not load them. */
const UNMANAGED_USER_ID = 999

type PortalSize = typeof LARGE_PORTAL
type BenchSetup = Awaited<ReturnType<typeof createSetup>>

const PARTS = {
  stored: { most: 1_000_000, measure: measureStoredCalls },
  matching: { most: 200_000, measure: measureMatching },
  live: { most: 5, measure: measureLiveCalls },
  reading: { most: 4, measure: measureReading },
}

const [partName, size] = process.argv.slice(3)
for (const [name, { most, measure }] of Object.entries(PARTS))
  if (!partName || partName === name) await measure(Number(size ?? most))
process.exit()

/** Starts an API with stored calls and a portal. The automation is off until enableAutomation(). */
async function createSetup(portalSize: PortalSize, storedSize: PortalSize) {
  const portal = createPortal(portalSize)
  await portal.start()
  const stack = await startStack({
    ...BENCH_OWNER_CONFIG,
    CRM_WEBHOOK_URL: portal.readUrl,
    CRM_EVENT_TOKEN: EVENT_TOKEN,
    ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
    CRM_SYNC_PAUSE_SECONDS: 0,
    CRM_EXPORT_PAUSE_SECONDS: 0,
  })
  const { apiUrl, DATABASE_URL } = stack.config
  await stack.startApi()
  await seedCompany(DATABASE_URL, { ...storedSize, unchecked: true })
  const db = await connectToDatabase(DATABASE_URL)
  const session = await openOwnerSession(stack)
  return {
    portal,
    stack,
    db,
    get: (path: string) => session.get(apiUrl + path),
    post: (path: string, body?: string) => session.send(apiUrl + path, 'POST', body),
    async stop() {
      await db.end()
      await portal.stop()
      await stack.stop()
    },
  }
}

async function enableAutomation({ post }: BenchSetup): Promise<void> {
  for (const step of ['connection/check', 'automation/confirm', 'automation/enable']) await post(`/v1/crm/${step}`)
}

async function measureStoredCalls(calls: number): Promise<void> {
  const setup = await createSetup(SMALL_PORTAL, { calls, deals: calls / 10 })
  const { db, get } = setup
  const { rows } = await db.query<{ id: string }>(
    'SELECT recording_id AS id FROM crm_call_deals ORDER BY random() LIMIT 200',
  )
  const measureSlowest = async (paths: string[]) => {
    const times: number[] = []
    await get(paths[0]!)
    for (const path of paths) times.push(await measureMs(() => get(path)))
    return computePercentile(times, 0.95)
  }
  const deals = await measureSlowest(rows.map(({ id }) => `/v1/recordings/${id}/deals`))
  reportFigure('deals of a call, p95', deals, { atMost: 50 }, ' ms')
  const month = `/v1/crm/reconciliation?${new URLSearchParams(formatLastDays(31)).toString()}`
  reportFigure(
    'reconciliation of 31 days, p95',
    await measureSlowest(Array<string>(20).fill(month)),
    { atMost: 500 },
    ' ms',
  )
  await setup.stop()
}

/** The portal does not have these calls, because reading them at 25 calls per request would take over an hour. */
async function measureMatching(calls: number): Promise<void> {
  const setup = await createSetup(SMALL_PORTAL, { calls, deals: calls / 2 })
  const { db, post } = setup
  const countLinked = async () => Number((await db.query('SELECT count(DISTINCT recording_id) AS n FROM crm_call_deals')).rows[0].n) // prettier-ignore
  await enableAutomation(setup)
  const before = await countLinked()
  await post('/v1/crm/automation/pause')
  await post('/v1/crm/reset')
  reportFigure('calls that lose their deals by a reset', before - (await countLinked()), { atMost: 0 })
  for (const table of ['crm_calls', 'crm_call_deals']) await db.query(`DELETE FROM ${table}`)
  await db.query('VACUUM ANALYZE crm_calls, crm_call_deals, crm_matches, crm_deals')
  await db.query(`UPDATE crm_matches SET state = 'waiting', attempts = 0, due_at = now()`)
  await post('/v1/crm/automation/resume')
  const ms = await measureMs(async () => {
    while ((await db.query(`SELECT FROM crm_matches WHERE state = 'waiting' LIMIT 1`)).rowCount! > 0) await pause(200)
  })
  reportFigure(`matching ${calls.toLocaleString('en')} calls by phone`, ms / 1000, { atMost: 60 }, ' s')
  await setup.stop()
}

/**
 * Measures live calls, which the automation must load before all other unread calls. The API requests a call 20 s after its
 * event.
 */
async function measureLiveCalls(calls: number): Promise<void> {
  const setup = await createSetup(LARGE_PORTAL, { calls: 50_000, deals: 25_000 })
  const { portal, db, post } = setup
  await enableAutomation(setup)
  await waitForDealRequests(portal)
  const linked = 'SELECT FROM crm_calls c JOIN crm_call_deals l ON l.recording_id = c.recording_id WHERE c.call_id = $1'
  const audio = Buffer.alloc(100_000, 'x')
  const seconds: number[] = []
  for (let n = 0; n < calls; n++) {
    const { CALL_ID: callId } = portal.data.addCall({ userId: 1, dealIds: [FIRST_ID], phone: '+375441000000', audio })
    const event = { event: 'ONVOXIMPLANTCALLEND', data: { CALL_ID: callId }, auth: { application_token: EVENT_TOKEN } }
    await post('/v1/integrations/crm/events', JSON.stringify(event))
    while ((await db.query(linked, [callId])).rowCount === 0) await pause(50)
    const first = portal.requests.find(({ parameters }) => JSON.stringify(parameters.FILTER ?? '').includes(callId))!
    seconds.push((Date.now() - first.at) / 1000)
  }
  reportFigure(
    'a live call linked after the first request for it, the slowest',
    Math.max(...seconds),
    { atMost: 5 },
    ' s',
  )
  await setup.stop()
}

async function measureReading(minutes: number): Promise<void> {
  const setup = await createSetup(LARGE_PORTAL, { calls: 200_000, deals: 100_000 })
  const { portal, stack } = setup
  const quietTimes = await measureLists(setup, 15)
  await enableAutomation(setup)
  await waitForDealRequests(portal)
  const countRequests = () => portal.requests.filter(({ isNested }) => !isNested).length
  const before = countRequests()
  const stopWatch = watchMemoryGrowth(stack.pids.api)
  const startedAt = performance.now()
  const busy = await measureLists(setup, 60 * minutes)
  const seconds = (performance.now() - startedAt) / 1000
  const pages = countRequests() - before
  reportFigure('pages read of those that the limit allows', pages / (REQUESTS_PER_SECOND * seconds), { atLeast: 0.9 })
  reportFigure('lists meanwhile against their quiet medians', computeMedian(busy) / computeMedian(quietTimes), {
    atMost: 1.5,
  })
  reportFigure('growth of the API’s memory meanwhile', stopWatch(), { atMost: 64 }, ' MB')
  await setup.stop()
}

async function waitForDealRequests(portal: TestPortal): Promise<void> {
  while (!portal.requests.some(({ method }) => method === 'crm.item.list')) await pause(500)
}

async function measureLists({ get }: BenchSetup, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1000
  const requests = Object.fromEntries(LIST_PATHS.map((list) => [list, () => get(list)]))
  return Object.values(await measureRequestsInTurns(requests, 100, () => performance.now() < end)).flat()
}

function createPortal({ deals, calls }: PortalSize): TestPortal {
  const portal = new TestPortal()
  const { data } = portal
  portal.limits = { ...BITRIX_LIMITS }
  const phone = (n: number) => `+37544${String(1_000_000 + n)}`
  for (let n = 0; n <= 5; n++) data.addFunnel(`Funnel ${n}`)
  data.addUser('Anna', 'Kovaleva', { ID: '1' })
  for (let n = 0; n < deals; n++)
    data.addDeal(`Deal ${n}`, { id: FIRST_ID + n, categoryId: 1 + (n % 5), contactId: data.addContact('', [phone(n)]) })
  for (let n = 0; n < calls; n++)
    data.addCall({ id: FIRST_ID + n, userId: UNMANAGED_USER_ID, dealIds: null, phone: phone(n % deals) })
  return portal
}
