import { expect } from 'chai'
import { createQueueWork } from '../../platform/queue/attempts.ts'
import { WorkerPool } from '../../platform/queue/worker-pool.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../../test/portal/events.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { MIN_DOWNLOAD_RATE } from '../bitrix24/download.ts'
import { crmSyncQueue } from '../queues.ts'

const DEFAULT_MINIMUM_RATE = { ...MIN_DOWNLOAD_RATE }

describe('slow downloads of CRM recordings', () => {
  const crm = new TestCrmApp()
  const { portal } = crm
  let anna: number
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = portal.data.addUser('Anna', 'Kovaleva')
    portal.data.addFunnel('General')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
    Object.assign(MIN_DOWNLOAD_RATE, { yieldsAfterMs: 100, looksEveryMs: 20 })
  })
  after(async () => {
    Object.assign(MIN_DOWNLOAD_RATE, DEFAULT_MINIMUM_RATE)
    await crm.stop()
  })

  it('slow downloads give way to a call that just ended, then wait behind new calls', async () => {
    const errors: unknown[] = []
    const slots = crmSyncQueue.concurrency(crm.core)
    const pool = new WorkerPool(
      () => slots,
      createQueueWork(crm.core, crmSyncQueue),
      (error) => errors.push(error),
    )
    const add = () => portal.data.addCall({ userId: anna, audio: Buffer.alloc(100_000, 1) })
    const due = () => crm.sql(`UPDATE crm_sync_jobs SET next_attempt_at = now() WHERE status = 'QUEUED'`)
    const slow = Array.from({ length: slots }, add)
    const withdraw = portal.planFault({ method: 'download', fault: { kind: 'trickle', everyMs: 10 } })
    for (const call of slow) await sendCallEndedEvent(portal, crm.app.url, call)
    await due()
    pool.wake()
    await waitUntil('every place is taken', () => portal.findRequests('download').length === slots)
    withdraw()
    const live = add()
    await sendCallEndedEvent(portal, crm.app.url, live)
    await due()
    await waitUntil('the live call is loaded', async () => {
      pool.wake()
      return (await crm.sql('SELECT FROM recordings WHERE external_call_id = $1', [live.CALL_ID])).length === 1
    })
    await pool.stop(0)
    const jobs = await crm.sql(`SELECT call_id AS id FROM crm_sync_jobs WHERE status = 'QUEUED' AND attempts = 1`)
    expect(jobs.length, 'slow calls that failed').to.be.greaterThan(0)
    // Delete the jobs that the stop released. They have not failed, so they would run first.
    await crm.sql(`DELETE FROM crm_sync_jobs WHERE status = 'QUEUED' AND attempts = 0`)
    const next = add()
    await sendCallEndedEvent(portal, crm.app.url, next)
    await due()
    const attempt = await createQueueWork(crm.core, crmSyncQueue).claim()
    const [{ id }] = await crm.sql(`SELECT call_id AS id FROM crm_sync_jobs WHERE status = 'PROCESSING'`)
    attempt?.heartbeat.stop()
    expect([id, errors]).to.deep.equal([next.CALL_ID, []])
  })
})
