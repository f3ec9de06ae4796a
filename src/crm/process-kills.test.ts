import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { generateId } from '../platform/lib/ids.ts'
import { TestCrmApp } from '../test/crm-app.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../test/portal/events.ts'
import { ServiceProcess } from '../test/service-process.ts'
import { ScriptedRecognizer } from '../test/scripted-recognizer.ts'
import { chooseRepeatCount } from '../test/repeat-count.ts'
import { waitUntil } from '../test/wait.ts'

const KILL_COUNT = chooseRepeatCount(2, 50)
const DAY_MS = 24 * 3600_000
const [LIVE, PAST, WRITTEN] = [30, 60, 40]

describe('CRM work in killed processes', () => {
  let crm: TestCrmApp
  let anna: number
  let deals: number[]
  let load: string
  const recognizer = new ScriptedRecognizer()
  before(async () => {
    // Recognition fails, because a recognized call would get a comment of its own.
    recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no sound')
    await recognizer.start()
    crm = await new TestCrmApp().start({
      CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN,
      CRM_FETCH_RETRY_DELAY_SECONDS: 1,
      asrUrl: recognizer.url,
    })
    await crm.disableLimiter()
    const { data } = crm.portal
    anna = data.addUser('Anna', 'Kovaleva')
    data.addFunnel('Sales')
    deals = Array.from({ length: 10 }, (_, n) => data.addDeal(`Deal ${n}`))
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await crm.runSteps('users', 'funnels', 'stages', 'deals')
    await crm.app.olga.put('/v1/crm/writing', { on: true })
  })
  after(async () => {
    await crm.stop()
    await recognizer.stop()
  })

  const dealOf = (n: number) => deals[n % deals.length]!
  const audioOf = (n: number) => Buffer.from(`the sound of call ${n}`)

  async function addLiveCalls(): Promise<void> {
    for (let n = 0; n < LIVE; n++) {
      const call = crm.portal.data.addCall({ userId: anna, audio: audioOf(n), dealIds: [dealOf(n)] })
      if (n % 2 === 0) await sendCallEndedEvent(crm.portal, crm.app.url, call)
    }
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
  }

  async function addPastCalls(): Promise<void> {
    for (let n = 0; n < PAST; n++) {
      const startedAt = Date.now() - 20 * DAY_MS + n * 60_000
      const seed = { userId: anna, startedAt, dealIds: [dealOf(n)], failedCode: n % 5 === 0 ? '304' : '200' }
      crm.portal.data.addCall({ ...seed, audio: audioOf(1000 + n) })
    }
    const period = {
      from: new Date(Date.now() - 25 * DAY_MS).toISOString(),
      to: new Date(Date.now() - 15 * DAY_MS).toISOString(),
    }
    const estimate = await crm.app.olga.post('/v1/crm/history/estimates', period)
    load = (await crm.app.olga.post('/v1/crm/history/loads', { estimateId: estimate.json.id })).json.id
  }

  /** Inserts checked calls, each linked to one deal. */
  async function addCheckedCalls(): Promise<void> {
    for (let n = 0; n < WRITTEN; n++) {
      const id = generateId()
      await crm.sql(
        `INSERT INTO recordings (id, source, storage_key, size_bytes, status, call_started_at, manager_name)
         VALUES ($1, 'upload', $2, 1, 'DONE', now(), 'Anna Kovaleva')`,
        [id, `written-${n}`],
      )
      const link = `INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, $2, 'phone')`
      await crm.sql(link, [id, dealOf(n)])
    }
  }

  /** Expires the leases of dead processes and makes all next attempts due. */
  async function makeEverythingDue(): Promise<void> {
    await crm.sql(`UPDATE crm_steps SET lease_until = now() - interval '1 s' WHERE lease_until IS NOT NULL`)
    await crm.sql(`UPDATE crm_steps SET due_at = now()`)
    await crm.sql(`UPDATE crm_history_loads SET lease_until = NULL, due_at = now()`)
    await crm.sql('UPDATE crm_lanes SET lease_until = now() WHERE lease_until IS NOT NULL')
    await crm.sql('UPDATE crm_matches SET due_at = now() WHERE due_at IS NOT NULL')
    for (const table of ['crm_sync_jobs', 'crm_load_jobs', 'crm_comments']) {
      await crm.sql(`UPDATE ${table} SET lease_until = now() - interval '1 s' WHERE status = 'PROCESSING'`)
      await due(table)
    }
  }

  /** Skips rows that a worker has locked, because it locks rows in another order. */
  const due = (table: string) =>
    crm.sql(`UPDATE ${table} SET next_attempt_at = now() WHERE id IN (SELECT id FROM ${table}
              WHERE status = 'QUEUED' AND next_attempt_at > now() FOR UPDATE SKIP LOCKED)`)

  async function startWorker(): Promise<ServiceProcess> {
    const worker = new ServiceProcess('api', { ...crm.app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' })
    await worker.waitUntilReady()
    return worker
  }

  it(`${KILL_COUNT} kills at random moments lose and duplicate no call, deal link or comment`, async () => {
    await addLiveCalls()
    await addPastCalls()
    await addCheckedCalls()
    crm.portal.latencyMs = 15
    for (let kill = 0; kill < KILL_COUNT; kill++) {
      const worker = await startWorker()
      await waitUntil('it is at work', () => worker.lines.length > 0)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4000))
      worker.kill('SIGKILL')
      await worker.waitForExit()
      await makeEverythingDue()
    }
    crm.portal.latencyMs = 0
    const worker = await startWorker()
    const expected = LIVE + (PAST * 4) / 5
    const count = async (text: string) => (await crm.sql(`SELECT count(*)::int AS n FROM ${text}`))[0].n as number
    await waitUntil(
      'all is done',
      async () => {
        for (const table of ['crm_sync_jobs', 'crm_load_jobs', 'crm_comments']) await due(table)
        const [{ state }] = await crm.sql('SELECT state FROM crm_history_loads')
        const sent = await count(`crm_comments WHERE status = 'SENT'`)
        const received = await count(`crm_calls WHERE load_state = 'received'`)
        const linked = await count(`crm_call_deals WHERE linked_by = 'activity'`)
        return state === 'done' && sent === WRITTEN && received === expected && linked === expected
      },
      240_000, // the lease of a killed worker's lane lasts up to 100 s
    )
    await worker.stop()
    const ids = (await crm.sql(`SELECT external_call_id AS id FROM recordings WHERE source = 'crm'`)).map(
      ({ id }) => id,
    )
    expect([ids.length, new Set(ids).size]).to.deep.equal([expected, expected])
    const { json } = await crm.app.olga.get(`/v1/crm/history/loads/${load}`)
    expect(json).to.include({ found: PAST, loaded: (PAST * 4) / 5, skipped: PAST / 5, failed: 0, waiting: 0 })
    const told = crm.portal.data.comments.rows.map(({ COMMENT }) => COMMENT.split(/[:/]/).at(-1))
    expect([told.length, new Set(told).size]).to.deep.equal([WRITTEN, WRITTEN])
    const kept = new Set((await crm.sql('SELECT storage_key AS key FROM file_removals')).map(({ key }) => key))
    const keys = (await crm.sql(`SELECT storage_key AS key FROM recordings WHERE source = 'crm'`)).map(({ key }) => key)
    const files = (await readdir(crm.app.config.audioDir, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    )
    // A partial file belongs to the file without `.part`.
    const fileOf = (name: string) => name.replace(/\.part$/, '')
    const strayFiles = files.filter(({ name }) => ![...keys, ...kept].some((key: string) => key.endsWith(fileOf(name))))
    expect(strayFiles.filter(({ name }) => !name.startsWith('.')).map(({ name }) => name)).to.deep.equal([])
  }).timeout(KILL_COUNT * 30_000 + 360_000)
})
