import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { Config } from '../platform/config/config.ts'
import { startRedis } from '../app/embedded/index.ts'
import { PanelBrowser, startTestPanelServer } from '../test/panel.ts'
import { TestCrmApp } from '../test/crm-app.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../test/portal/events.ts'
import { toPortalFault, PORTAL_ERRORS, type PortalFault } from '../test/portal/faults.ts'
import { ServiceProcess } from '../test/service-process.ts'
import { chooseRepeatCount } from '../test/repeat-count.ts'
import { waitUntil } from '../test/wait.ts'
import { isCrmAutomationOn } from './automation/state.ts'
import { crmFilesStep } from './calls/files-step.ts'
import { planCrmComments } from './comments/plan.ts'
import { crmSyncQueue, crmWriteQueue } from './queues.ts'

const AUDIO = Buffer.from('the sound of a call')
const HOUR_MS = 3600_000
const PAGE_PATHS = [
  '/recordings',
  '/automation',
  '/automation/steps',
  '/automation/managers',
  '/automation/history',
  '/automation/writing',
  '/queues/crm-sync?state=failed',
  '/queues/crm-sync?state=delayed',
  '/system',
  '/audit',
]
const READ_STEPS = ['users', 'departments', 'funnels', 'stages', 'deals', 'stage-history', 'contacts', 'calls'] as const

describe('portal faults', () => {
  const crm = new TestCrmApp()
  const { portal } = crm
  const { data } = portal
  let anna: number
  let deal: number
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = data.addUser('Anna', 'Kovaleva')
    data.addDepartment('Sales')
    data.addFunnel('General')
    deal = data.addDeal('Windows')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    await crm.runSteps(...READ_STEPS)
    await crm.sql(`UPDATE crm_automation SET enabled_at = now() - interval '3 days'`)
  })
  after(() => crm.stop())
  beforeEach(async () => {
    Object.assign(portal, { faults: [], shiftMs: 0, latencyMs: 0 })
    data.calls.clear()
    for (const table of ['recordings', 'crm_calls', 'crm_sync_jobs']) await crm.sql(`DELETE FROM ${table}`)
    await crm.sql(`UPDATE crm_steps SET hold = NULL, failures = 0, cursor = NULL, due_at = now()`)
    portal.requests.length = 0
  })

  const add = (startedAt: number) => data.addCall({ userId: anna, audio: AUDIO, dealIds: [deal], startedAt })
  const work = async () => {
    await crm.makeJobsDue()
    await crm.runDueJobs(crmSyncQueue)
  }
  const write = async () => {
    await planCrmComments(crm.core)
    await crm.sql(`UPDATE crm_comments SET next_attempt_at = now() WHERE status = 'QUEUED'`)
    await crm.runDueJobs(crmWriteQueue)
  }
  const beside = async () => {
    await crm.runBackground(crmFilesStep)
    await crm.linkDeals()
  }
  const loaded = async (): Promise<string[]> =>
    (await crm.sql(`SELECT external_call_id AS id FROM recordings WHERE source = 'crm' ORDER BY 1`)).map(({ id }) => id)
  const linked = async () =>
    (await crm.sql('SELECT count(*)::int AS n FROM crm_call_deals WHERE deal_id = $1', [deal]))[0].n

  it('the service catches up on calls, deals and comments after a day-long portal outage', async () => {
    const began = Date.now() - 24 * HOUR_MS
    await crm.app.olga.put('/v1/crm/writing', { on: true })
    const commented = await crm.addTranscribedCall(deal)
    const calls = Array.from({ length: 24 }, (_, n) => add(began + n * HOUR_MS))
    const back = portal.planFault({ fault: { kind: 'drop-before' } })
    for (const [n, call] of calls.entries()) {
      if (n % 2 === 0) await sendCallEndedEvent(portal, crm.app.url, call)
      await write()
      if (n % 6 > 0) continue
      await crm.runSteps(...READ_STEPS)
      await work()
      await beside()
    }
    expect(await loaded()).to.deep.equal([])
    for (const table of ['crm_sync_jobs', 'crm_comments']) {
      const states = await crm.sql(`SELECT DISTINCT attempts, status FROM ${table}`)
      expect(states, table).to.deep.equal([{ attempts: 0, status: 'QUEUED' }])
    }
    const away = (await crm.app.olga.get('/v1/crm/steps')).json
    expect(away.find(({ name }: { name: string }) => name === 'calls')).to.include({
      state: 'backing-off',
      errorCode: 'NO_ANSWER',
    })
    back()
    const late = data.addDeal('Made meanwhile')
    await crm.runSteps(...READ_STEPS)
    await work()
    await write()
    await crm.app.olga.put('/v1/crm/writing', { on: false })
    expect(data.comments.rows.map(({ COMMENT }) => COMMENT.split(':').at(-1))).to.deep.equal([commented])
    await crm.sql('DELETE FROM recordings WHERE id = $1', [commented])
    await beside()
    expect(await loaded()).to.deep.equal(calls.map(({ CALL_ID }) => CALL_ID).toSorted())
    expect(await linked()).to.equal(24)
    expect(await crm.sql('SELECT id FROM crm_deals WHERE id = $1', [late])).to.deep.equal([{ id: String(late) }])
    for (const step of (await crm.app.olga.get('/v1/crm/steps')).json) {
      expect([step.name, step.lastError], step.name).to.deep.equal([step.name, null])
    }
  }).timeout(240_000)

  for (const hours of [-1, 1]) {
    it(`the service loads and links calls although the portal clock differs by ${hours} h`, async () => {
      portal.advanceClock(hours * HOUR_MS)
      const [told, silent] = [add(portal.now() - 60_000), add(portal.now() - 30_000)]
      await sendCallEndedEvent(portal, crm.app.url, told)
      await work()
      await crm.runSteps('calls')
      await work()
      await beside()
      expect(await loaded()).to.deep.equal([told.CALL_ID, silent.CALL_ID].toSorted())
      expect(await linked()).to.equal(2)
    })
  }

  it('if the portal returns HTML pages, steps store nothing and report NO_JSON', async () => {
    for (const status of [200, 302, 403, 502]) {
      portal.planFault({ fault: { kind: 'html', status } })
      await crm.sql('UPDATE crm_steps SET last_error = NULL, due_at = now()')
      await crm.runSteps(...READ_STEPS)
      await sendCallEndedEvent(portal, crm.app.url, add(Date.now() - HOUR_MS))
      await work()
      await beside()
      expect(await loaded()).to.deep.equal([])
      const steps = (await crm.app.olga.get('/v1/crm/steps')).json.filter(({ name }: { name: string }) =>
        (READ_STEPS as readonly string[]).includes(name),
      )
      const codes = steps.map(({ errorCode }: { errorCode: string }) => errorCode)
      // The step `contacts` sends a request only if phones are due.
      expect(new Set(codes.filter(Boolean)), `status ${status}`).to.deep.equal(new Set(['NO_JSON']))
      expect(codes.filter(Boolean).length).to.be.at.least(READ_STEPS.length - 1)
      const { status: checked, json } = await crm.app.olga.post('/v1/crm/connection/check')
      expect([checked, json.state, json.reasonCode]).to.deep.equal([200, 'on', 'NO_JSON'])
      const history = { from: '2026-01-01', to: '2026-02-01' }
      expect((await crm.app.olga.post('/v1/crm/history/estimates', history)).status).to.equal(502)
      portal.faults = []
    }
    await crm.app.olga.post('/v1/crm/connection/check')
  }).timeout(240_000)

  it('a slow portal delays neither call lists nor pausing nor stopping', async () => {
    const longMs = chooseRepeatCount(20_000, 60_000)
    const median = async (): Promise<number> => {
      const took: number[] = []
      for (let n = 0; n < 15; n++) {
        const began = performance.now()
        expect((await crm.app.ida.get('/v1/recordings')).status).to.equal(200)
        took.push(performance.now() - began)
      }
      return took.toSorted((a, b) => a - b)[7]!
    }
    portal.latencyMs = longMs
    const worker = new ServiceProcess('api', { ...crm.app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' })
    await worker.waitUntilReady()
    await waitUntil('it waits for the portal', () => portal.requests.length > 0)
    const list = await median()
    const began = performance.now()
    expect((await crm.app.olga.post('/v1/crm/automation/pause')).status).to.equal(200)
    const paused = performance.now() - began
    const { code, seconds } = await worker.stop()
    portal.latencyMs = 0
    await crm.app.olga.post('/v1/crm/automation/resume')
    await waitUntil('it is on', () => isCrmAutomationOn(crm.core))
    await crm.sql('UPDATE crm_lanes SET lease_until = now()')
    await crm.sql('UPDATE crm_steps SET lease_until = NULL')
    expect(list, 'a list').to.be.lessThan(longMs / 4)
    expect(paused).to.be.lessThan(5000)
    expect(code).to.equal(0)
    expect(seconds, 'the stop').to.be.lessThan(longMs / 2000)
  }).timeout(300_000)

  it('the service loads each CRM call once although Redis is emptied repeatedly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-crm-redis-'))
    chmodSync(folder, 0o711)
    const redis = await startRedis({ folder })
    const client = new Redis(redis.url)
    const overrides: Partial<Config> = { API_RUN_MODE: 'worker', LOG_LEVEL: 'info', REDIS_URL: redis.url }
    const worker = new ServiceProcess('api', { ...crm.app.config, ...overrides })
    try {
      await worker.waitUntilReady()
      const calls = Array.from({ length: 30 }, (_, n) => add(Date.now() - HOUR_MS + n * 60_000))
      for (const [n, call] of calls.entries()) {
        if (n % 2 === 0) await sendCallEndedEvent(portal, crm.app.url, call)
        await crm.makeJobsDue()
        await client.flushall()
      }
      await waitUntil(
        'all are loaded and linked',
        async () => {
          await crm.sql(`UPDATE crm_steps SET due_at = now() WHERE lease_until IS NULL`)
          await crm.makeJobsDue()
          return (await linked()) === calls.length
        },
        90_000,
      )
      expect(await loaded()).to.deep.equal(calls.map(({ CALL_ID }) => CALL_ID).toSorted())
      expect(await crm.sql('SELECT DISTINCT status FROM crm_sync_jobs')).to.deep.equal([{ status: 'DONE' }])
    } finally {
      client.disconnect()
      await worker.stop()
      await redis.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  }).timeout(240_000)

  /** Adds the panel pages about the CRM, its faults and its calls. */
  async function addPageTexts(texts: Record<string, string>): Promise<void> {
    const panel = await startTestPanelServer(crm.app.config, crm.app.url)
    try {
      const browser = new PanelBrowser(() => panel.url, {})
      await browser.logIn()
      const [{ id }] = await crm.sql(`SELECT id FROM recordings LIMIT 1`)
      for (const path of [...PAGE_PATHS, `/recordings/${id}`]) {
        const { status, text } = await browser.open(path)
        expect([path, status]).to.deep.equal([path, 200])
        texts[`the page ${path}`] = text
      }
    } finally {
      await panel.stop()
    }
  }

  it('no portal secret appears in the database, API responses, panel pages or logs', async () => {
    const secrets = [portal.read.code, portal.write.code, PORTAL_EVENT_TOKEN]
    /** Simulates a proxy that repeats the request in its error. */
    const echo = (code: string): PortalFault => {
      const description = `no way to ${portal.readUrl}, ${encodeURIComponent(portal.writeUrl)} or ${PORTAL_EVENT_TOKEN}`
      return { kind: 'error', status: 400, code, description }
    }
    const worker = new ServiceProcess('api', { ...crm.app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'trace' })
    await worker.waitUntilReady()
    const faults: [string | undefined, PortalFault][] = [
      ['disk.file.get', { kind: 'html', status: 500 }],
      ['download', { kind: 'html' }],
      ['download', { kind: 'cut' }],
      ['download', toPortalFault(PORTAL_ERRORS.internal)],
      [undefined, { kind: 'drop-after' }],
      [undefined, toPortalFault(PORTAL_ERRORS.internal)],
      ['download', echo('INTERNAL_SERVER_ERROR')],
      ['disk.file.get', echo('INVALID_ARG_VALUE')],
      ['voximplant.statistic.get', echo('ERROR_UNEXPECTED_ANSWER')],
      [undefined, echo('TEAPOT')],
    ]
    for (const [method, fault] of faults) {
      await sendCallEndedEvent(portal, crm.app.url, add(Date.now() - HOUR_MS))
      const requestsBefore = portal.requests.length
      portal.planFault({ ...(method && { method }), times: 2, fault })
      await crm.makeJobsDue()
      await crm.sql('UPDATE crm_steps SET due_at = now() WHERE lease_until IS NULL')
      await waitUntil('it asks', () => portal.requests.length > requestsBefore)
    }
    portal.faults = []
    await waitUntil(
      'calls are loaded',
      async () => {
        await crm.makeJobsDue()
        return (await loaded()).length === faults.length
      },
      90_000,
    )
    const wrong = await sendCallEndedEvent(portal, crm.app.url, add(Date.now()), 'another-t0ken')
    const log = JSON.stringify(worker.lines) + worker.text
    const texts: Record<string, string> = { log, refusal: await wrong.text() }
    await worker.stop()
    await crm.sql('UPDATE crm_steps SET hold = NULL, lease_until = NULL')
    const withdraw = portal.planFault({ method: 'user.get', fault: echo('INVALID_ARG_VALUE') })
    await crm.runSteps('users')
    withdraw()
    for (const path of [
      'crm/connection',
      'crm/automation',
      'crm/steps',
      'crm/roster',
      'crm/writing',
      'crm/history/loads',
      'crm/reconciliation',
      'recordings',
      'audit',
      'system',
      'queues',
      'queues/crm-sync/jobs?state=failed',
      'queues/crm-sync/jobs?state=delayed',
    ]) {
      texts[path] = (await crm.app.olga.get(`/v1/${path}`)).text
    }
    await addPageTexts(texts)
    const tables = await crm.sql(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    )
    for (const { name } of tables) {
      const rows = await crm.sql(`SELECT t::text AS told FROM "${name}" t`)
      texts[`the table ${name}`] = rows.map(({ told }) => told).join('\n')
    }
    expect(tables.length).to.be.greaterThan(20)
    const echoed = ['crm/steps', 'the page /automation/steps', 'the table crm_steps']
    for (const source of echoed) expect(texts[source]!.replaceAll('%20', ' '), source).to.contain('no way to')
    const leaks = Object.entries(texts).flatMap(([source, text]) =>
      secrets.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret))).map(() => source),
    )
    expect(leaks).to.deep.equal([])
  }).timeout(300_000)
})
