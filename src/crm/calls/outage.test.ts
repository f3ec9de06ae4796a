import { expect } from 'chai'
import type { Queue } from '../../platform/queue/queue.ts'
import { runStep } from '../../platform/queue/steps.ts'
import { TestCrmApp } from '../../test/crm-app.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../../test/portal/events.ts'
import { waitUntil } from '../../test/wait.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { dealMatchesStep } from '../deals/matches-step.ts'
import { runHistoryLoads } from '../history/worker.ts'
import { crmHistoryLoadQueue, crmSyncQueue } from '../queues.ts'
import { crmFilesStep } from './files-step.ts'

const DAY_MS = 24 * 3600_000
const AUDIO = Buffer.from('the sound of a call')
/** CRM_FETCH_RETRY_DELAY_SECONDS, doubled up to one hour. */
const DOUBLED_PAUSES_SECONDS = [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]

describe('portal outages', () => {
  const crm = new TestCrmApp()
  const { data } = crm.portal
  let anna: number
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = data.addUser('Anna', 'Kovaleva')
    data.addFunnel('General')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
  })
  after(() => crm.stop())
  beforeEach(async () => {
    crm.portal.faults = []
    for (const table of [
      'recordings',
      'crm_calls',
      'crm_sync_jobs',
      'crm_load_jobs',
      'crm_history_loads',
      'crm_steps',
    ]) {
      await crm.sql(`DELETE FROM ${table}`)
    }
    data.calls.clear()
  })

  const due = (name: string) => crm.sql('UPDATE crm_steps SET due_at = now() WHERE name = $1', [name])
  const pauseOf = async (name: string): Promise<number> => {
    const text =
      'SELECT greatest(0, extract(epoch FROM due_at - now()))::float8 AS pause FROM crm_steps WHERE name = $1'
    return (await crm.sql(text, [name]))[0]?.pause ?? 0
  }
  /** Expects these pauses, in seconds, after consecutive failures. It tolerates 2 % and the duration of the failure. */
  const expectPauses = async (name: string, expected: number[], fail: () => Promise<void>) => {
    for (const [n, seconds] of expected.entries()) {
      await due(name)
      const began = performance.now()
      await fail()
      const left = await pauseOf(name)
      const over = (performance.now() - began) / 1000
      expect(left, `after failure ${n + 1}`).to.be.within(Math.max(0, seconds * 0.98 - over), seconds)
    }
  }
  const asked = async (act: () => Promise<unknown>) => {
    crm.portal.requests.length = 0
    await act()
    return crm.portal.requests.length
  }
  const endCall = async (queue: Queue) => {
    await sendCallEndedEvent(crm.portal, crm.app.url, data.addCall({ userId: anna, audio: AUDIO }))
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
    await crm.runDueJobs(queue)
  }

  /** Starts a load of two past calls and reads its pages. */
  const startLoad = async (): Promise<string> => {
    const startedAt = Date.now() - 45 * DAY_MS
    for (let n = 0; n < 2; n++) data.addCall({ userId: anna, startedAt, audio: Buffer.from(`call ${n}`) })
    const period = { from: new Date(startedAt - DAY_MS).toISOString(), to: new Date(startedAt + DAY_MS).toISOString() }
    const estimate = (await crm.app.olga.post('/v1/crm/history/estimates', period)).json
    const { id } = (await crm.app.olga.post('/v1/crm/history/loads', { estimateId: estimate.id })).json
    await runHistoryLoads(crm.core)
    return id as string
  }
  const loaded = async (id: string) => (await crm.app.olga.get(`/v1/crm/history/loads/${id}`)).json.loaded

  it('during an outage, history loads retry ever less often, up to hourly, without counting attempts', async () => {
    const id = await startLoad()
    const back = crm.portal.planFault({ fault: { kind: 'html' } })
    await expectPauses('loads', DOUBLED_PAUSES_SECONDS, async () => {
      expect(await asked(() => crm.runDueJobs(crmHistoryLoadQueue))).to.equal(1)
      expect(await asked(() => crm.runDueJobs(crmHistoryLoadQueue)), 'another process').to.equal(0)
    })
    expect(await crm.sql('SELECT DISTINCT attempts, status FROM crm_load_jobs')).to.deep.equal([
      { attempts: 0, status: 'QUEUED' },
    ])
    back()
    await due('loads')
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect([await loaded(id), await pauseOf('loads')]).to.deep.equal([2, 0])
    crm.portal.planFault({ fault: { kind: 'html' } })
    await crm.sql(`UPDATE crm_load_jobs SET status = 'QUEUED'`)
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect(await pauseOf('loads'), 'it begins anew').to.be.within(28, 30)
  })

  it('a portal response that is too large for one past call affects no other calls', async () => {
    const id = await startLoad()
    const [large] = data.calls.rows
    const fault = { kind: 'result', result: 'x'.repeat(9_000_000) } as const
    crm.portal.planFault({ when: (parameters) => JSON.stringify(parameters).includes(large!.CALL_ID), fault })
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect([await loaded(id), await pauseOf('loads')]).to.deep.equal([1, 0])
    expect(await crm.sql('SELECT attempts FROM crm_load_jobs WHERE call_id = $1', [large!.CALL_ID])).to.deep.equal([
      { attempts: 1 },
    ])
  })

  it('resuming a history load ends its pause after an outage', async () => {
    const id = await startLoad()
    const back = crm.portal.planFault({ fault: { kind: 'html' } })
    await crm.runDueJobs(crmHistoryLoadQueue)
    back()
    for (const verb of ['pause', 'resume']) await crm.app.olga.post(`/v1/crm/history/loads/${id}/${verb}`)
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect(await loaded(id)).to.equal(2)
  })

  it('pauses of background work double during an outage; a loaded call ends them all', async () => {
    const id = await startLoad()
    await endCall(crmSyncQueue)
    await crm.sql(`UPDATE crm_calls SET next_file_check_at = now() WHERE load_state = 'received'`)
    const back = crm.portal.planFault({ fault: { kind: 'html' } })
    await crm.runDueJobs(crmHistoryLoadQueue)
    await expectPauses('files', DOUBLED_PAUSES_SECONDS, () => runStep(crm.core, crmFilesStep))
    await expectPauses('matches', [1, 2, 4, 8, 16, 32, 60, 60], () => runStep(crm.core, dealMatchesStep))
    expect(await asked(() => endCall(crmSyncQueue)), 'the live call').to.equal(1)
    back()
    expect(await pauseOf('loads')).to.be.greaterThan(0)
    await endCall(crmSyncQueue)
    for (const name of ['loads', 'files', 'matches']) expect([name, await pauseOf(name)]).to.deep.equal([name, 0])
    await crm.runDueJobs(crmHistoryLoadQueue)
    expect(await loaded(id)).to.equal(2)
  })
})
