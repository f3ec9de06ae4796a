import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { TestCrmApp } from '../../test/crm-app.ts'
import type { TestPortalCallSeed } from '../../test/portal/data.ts'
import { PORTAL_EVENT_TOKEN, sendCallEndedEvent } from '../../test/portal/events.ts'
import { toPortalFault, PORTAL_ERRORS } from '../../test/portal/faults.ts'
import { waitUntil } from '../../test/wait.ts'
import { runStep } from '../../platform/queue/steps.ts'
import { isCrmAutomationOn } from '../automation/state.ts'
import { crmSyncQueue } from '../queues.ts'
import { crmFilesStep } from './files-step.ts'

const AUDIO = Buffer.from('the sound of a call')

describe('CRM calls', () => {
  const crm = new TestCrmApp()
  let anna: number
  let boris: number
  before(async () => {
    await crm.start({ CRM_EVENT_TOKEN: PORTAL_EVENT_TOKEN })
    await crm.disableLimiter()
    anna = crm.portal.data.addUser('Anna', 'Kovaleva')
    boris = crm.portal.data.addUser('Boris', 'Orlov')
    crm.portal.data.addFunnel('General')
    await crm.enableAutomation()
    await crm.addToRoster(anna, 'Anna Kovaleva')
    await waitUntil('the automation is on', () => isCrmAutomationOn(crm.core))
  })
  after(() => crm.stop())
  beforeEach(async () => {
    crm.portal.faults = []
    crm.portal.requests.length = 0
    await crm.sql('DELETE FROM recordings')
    await crm.sql('DELETE FROM crm_calls')
    await crm.sql('DELETE FROM crm_sync_jobs')
    await crm.sql(`DELETE FROM crm_steps WHERE name IN ('calls', 'files')`)
    crm.portal.data.calls.clear()
  })

  const add = (seed: TestPortalCallSeed = {}) => crm.portal.data.addCall({ userId: anna, audio: AUDIO, ...seed })
  const work = async () => {
    await crm.sql('UPDATE crm_sync_jobs SET next_attempt_at = now()')
    await crm.runDueJobs(crmSyncQueue)
  }
  const told = async (call: ReturnType<typeof add>) => {
    const answer = await sendCallEndedEvent(crm.portal, crm.app.url, call)
    expect(answer.status).to.equal(200)
    await work()
  }
  const loaded = async () => (await crm.app.ida.get('/v1/recordings')).json.items
  const states = () => crm.sql('SELECT id, load_state AS state, skip_reason AS reason FROM crm_calls ORDER BY id')
  const audioOf = async (id: string) => {
    const [{ storage_key: key }] = await crm.sql('SELECT storage_key FROM recordings WHERE id = $1', [id])
    return (await readFile(join(crm.app.config.audioDir, key))).toString()
  }

  it('a finished call becomes one recording with its manager, phone, time and audio', async () => {
    const call = add({ type: 1, phone: '+375 29 123-45-67' })
    await told(call)
    await told(call)
    const [recording, ...others] = await loaded()
    expect(others).to.deep.equal([])
    expect(recording).to.include({
      source: 'crm',
      externalCallId: call.CALL_ID,
      managerName: 'Anna Kovaleva',
      direction: 'OUTBOUND',
      phoneNumber: '+375 29 123-45-67',
      priority: 5,
      status: 'QUEUED',
    })
    expect(Date.parse(recording.callStartedAt)).to.equal(Date.parse(call.CALL_START_DATE))
    expect(await audioOf(recording.id)).to.equal(AUDIO.toString())
    expect(await states()).to.deep.equal([{ id: call.ID, state: 'received', reason: null }])
  })

  it('an ineligible call is skipped with its reason, and its file is not requested', async () => {
    const seeds: [TestPortalCallSeed, string][] = [
      [{ type: 5 }, 'informational'],
      [{ failedCode: '304' }, 'unanswered'],
      [{ seconds: 14 }, 'short'],
      [{ userId: boris }, 'not-in-roster'],
      [{ startedAt: Date.now() - 49 * 3600_000 }, 'before-automation'],
    ]
    const expected = seeds.map(([seed, reason]) => ({ id: add(seed).ID, state: 'skipped', reason }))
    for (const call of crm.portal.data.calls.rows) await told(call)
    expect(await states()).to.deep.equal(expected)
    expect(crm.portal.findRequests('disk.file.get')).to.deep.equal([])
    expect(await loaded()).to.deep.equal([])
  })

  it('a late recording is awaited and loaded; a call without one is finally skipped', async () => {
    const [late, never] = [add({ audio: undefined }), add({ audio: undefined })]
    await told(late)
    await told(never)
    expect((await states()).map(({ state }) => state)).to.deep.equal(['awaiting-file', 'awaiting-file'])
    crm.portal.data.attachFile(late, AUDIO)
    await crm.sql('UPDATE crm_calls SET next_file_check_at = now()')
    await runStep(crm.core, crmFilesStep)
    await work()
    expect((await loaded()).map(({ externalCallId: id }: { externalCallId: string }) => id)).to.deep.equal([
      late.CALL_ID,
    ])
    await crm.sql(
      `UPDATE crm_calls SET next_file_check_at = now(), started_at = now() - interval '49 hours' WHERE id = $1`,
      [never.ID],
    )
    never.CALL_START_DATE = crm.portal.data.time(Date.now() - 49 * 3600_000)
    await crm.sql(`UPDATE crm_steps SET due_at = now() WHERE name = 'files'`)
    await runStep(crm.core, crmFilesStep)
    expect(await states()).to.deep.include({ id: never.ID, state: 'skipped', reason: 'no-recording' })
  })

  it('a replaced file replaces the audio of its recording, which is transcribed again', async () => {
    const call = add()
    await told(call)
    const [{ id }] = await loaded()
    const keys = await crm.sql('SELECT storage_key FROM recordings')
    await crm.sql(`UPDATE recordings SET status = 'DONE', attempts = 1`)
    crm.portal.data.attachFile(call, Buffer.from('another sound'))
    await crm.runSteps('calls')
    await work()
    const [recording, ...others] = await loaded()
    expect([recording.id, recording.status, others.length]).to.deep.equal([id, 'QUEUED', 0])
    expect(await audioOf(id)).to.equal('another sound')
    const gone = await readFile(join(crm.app.config.audioDir, keys[0].storage_key)).catch((error: Error) => error)
    expect(gone).to.be.instanceOf(Error)
  })

  it('a replaced file ends the checks of the old audio at once', async () => {
    const call = add()
    await told(call)
    const [{ id }] = await loaded()
    await crm.sql(`UPDATE recordings SET status = 'DONE', attempts = 1, score = 90`)
    await crm.sql(
      `INSERT INTO analyses (id, recording_id, status, score, is_current)
       VALUES (gen_random_uuid(), $1, 'DONE', 90, true), (gen_random_uuid(), $1, 'QUEUED', NULL, false)`,
      [id],
    )
    crm.portal.data.attachFile(call, Buffer.from('another sound'))
    await crm.runSteps('calls')
    await work()
    expect((await loaded())[0]).to.deep.include({ id, status: 'QUEUED', score: null })
    const checks = await crm.sql('SELECT status, score, is_current FROM analyses ORDER BY status')
    expect(checks.map((row) => Object.values(row))).to.deep.equal([
      ['CANCELLED', null, false],
      ['DONE', 90, false],
    ])
  })

  it('a cancelled recording stays cancelled when its file is replaced', async () => {
    const call = add()
    await told(call)
    const [{ id }] = await loaded()
    await crm.app.ida.post(`/v1/recordings/${id}/cancel`)
    crm.portal.data.attachFile(call, Buffer.from('another sound'))
    await crm.runSteps('calls')
    await work()
    const [recording, ...others] = await loaded()
    expect([recording.id, recording.status, others.length]).to.deep.equal([id, 'CANCELLED', 0])
    const kinds = await crm.sql('SELECT kind FROM transcription_history WHERE recording_id = $1 ORDER BY at', [id])
    expect(kinds).to.deep.equal([{ kind: 'cancelled' }])
    expect(await audioOf(id)).to.equal('another sound')
    expect((await crm.app.ida.post(`/v1/recordings/${id}/retry`)).json.status).to.equal('QUEUED')
  })

  it('a file with new content under the same id is detected and loaded again', async () => {
    const call = add()
    await told(call)
    const [{ id }] = await loaded()
    await crm.sql(`UPDATE recordings SET status = 'DONE', attempts = 1`)
    const look = async () => {
      await crm.sql(`DELETE FROM crm_steps WHERE name = 'files'`)
      await runStep(crm.core, crmFilesStep)
      await work()
    }
    await look()
    expect(crm.portal.requests.filter(({ method }) => method === 'batch')).to.deep.equal([])
    await crm.sql('UPDATE crm_calls SET next_file_check_at = now()')
    await look()
    expect(crm.portal.findRequests('download').length).to.equal(1)
    const file = crm.portal.data.files.get(call.RECORD_FILE_ID)!
    Object.assign(file, { content: Buffer.from('THE SOUND OF A CALL'), version: 2 })
    await crm.sql('UPDATE crm_calls SET next_file_check_at = now()')
    await look()
    const [recording, ...others] = await loaded()
    expect([recording.id, recording.status, others.length]).to.deep.equal([id, 'QUEUED', 0])
    expect(await audioOf(id)).to.equal('THE SOUND OF A CALL')
    const [{ hours }] = await crm.sql(
      'SELECT round(extract(epoch FROM next_file_check_at - now()) / 3600)::int AS hours FROM crm_calls',
    )
    expect(hours).to.equal(1)
  })

  it('an unreadable file of one call does not delay other calls', async () => {
    const [denied, fine] = [add(), add()]
    const isDenied = ({ id }: Record<string, unknown>) => Number(id) === denied.RECORD_FILE_ID
    crm.portal.planFault({ method: 'disk.file.get', when: isDenied, fault: toPortalFault(PORTAL_ERRORS.denied) })
    await sendCallEndedEvent(crm.portal, crm.app.url, denied)
    await told(fine)
    expect((await loaded()).map(({ externalCallId: id }: { externalCallId: string }) => id)).to.deep.equal([
      fine.CALL_ID,
    ])
    expect(
      await crm.sql('SELECT attempts, status FROM crm_sync_jobs WHERE call_id = $1', [denied.CALL_ID]),
    ).to.deep.equal([{ attempts: 1, status: 'QUEUED' }])
  })

  it('an unknown portal user is requested once by id, and stored even if missing', async () => {
    const newcomer = crm.portal.data.addUser('Vera', 'Novik', { ID: 77 })
    await told(add({ userId: newcomer }))
    await told(add({ userId: 78 }))
    await told(add({ userId: 78 }))
    await crm.runSteps('calls')
    const known = await crm.sql(
      `SELECT id, name, gone_at IS NOT NULL AS gone FROM crm_users WHERE id IN ('77', '78') ORDER BY id`,
    )
    expect(known).to.deep.equal([
      { id: '77', name: 'Vera Novik', gone: false },
      { id: '78', name: 'User 78', gone: true },
    ])
    const requestedIds = crm.portal
      .findRequests('user.get')
      .map(({ parameters }) => (parameters.FILTER as { ID: string[] }).ID)
    expect(requestedIds.filter(([id]) => id === '78')).to.deep.equal([['78']])
  })

  it('a submitted call is linked instead of loaded; a deleted recording does not return', async () => {
    const [submitted, deleted] = [add(), add()]
    const { json } = await crm.app.ida.upload('theirs', { externalCallId: submitted.CALL_ID })
    await told(submitted)
    await told(deleted)
    expect((await loaded()).map(({ source }: { source: string }) => source).toSorted()).to.deep.equal(['crm', 'upload'])
    expect(await crm.sql('SELECT recording_id FROM crm_calls WHERE id = $1', [submitted.ID])).to.deep.equal([
      { recording_id: json.id },
    ])
    for (const { id } of await loaded()) await crm.app.ida.delete(`/v1/recordings/${id}`)
    await crm.sql(`UPDATE crm_sync_jobs SET status = 'QUEUED'`)
    await work()
    expect(await loaded()).to.deep.equal([])
  })

  it('of several rows of a call, a shorter one with a file counts', async () => {
    const [short, long] = [
      add({ callId: 'moved', seconds: 20 }),
      add({ callId: 'moved', seconds: 90, audio: undefined }),
    ]
    await told(long)
    expect(await states()).to.deep.equal([
      { id: short.ID, state: 'received', reason: null },
      { id: long.ID, state: 'doubled', reason: null },
    ])
  })

  it('the step calls finds calls without events, and a reset creates no duplicates', async () => {
    const startedAt = Date.now() - 3600_000
    for (let n = 0; n < 120; n++)
      add({ startedAt, audio: n < 3 ? AUDIO : undefined, failedCode: n < 3 ? '200' : '304' })
    await crm.runSteps('calls')
    expect((await states()).length).to.equal(120)
    await work()
    expect((await loaded()).length).to.equal(3)
    expect(await crm.fetchStep('calls')).to.include({ read: 120, new: 120 })
    await crm.app.olga.post('/v1/crm/steps/calls/reset')
    await crm.runSteps('calls')
    await work()
    expect((await loaded()).length).to.equal(3)
    expect((await states()).length).to.equal(120)
  })

  it('no call is loaded without a roster or while the automation is paused', async () => {
    const roster = await crm.sql('DELETE FROM crm_roster RETURNING *')
    await told(add())
    expect(crm.portal.requests).to.deep.equal([])
    expect(await crm.fetchStep('calls')).to.include({ state: 'waiting', waitsFor: 'roster' })
    await crm.sql('INSERT INTO crm_roster SELECT * FROM jsonb_populate_recordset(NULL::crm_roster, $1)', [
      JSON.stringify(roster),
    ])
    await crm.app.olga.post('/v1/crm/automation/pause')
    await waitUntil('it is paused', async () => !(await isCrmAutomationOn(crm.core)))
    await work()
    expect(crm.portal.requests).to.deep.equal([])
    await crm.app.olga.post('/v1/crm/automation/resume')
    await waitUntil('it goes on', () => isCrmAutomationOn(crm.core))
    await work()
    expect((await loaded()).length).to.equal(1)
  })

  it('calls from a long pause are loaded when the automation is enabled again', async () => {
    await crm.sql(`UPDATE crm_automation SET enabled_at = now() - interval '5 days'`)
    await crm.app.olga.post('/v1/crm/automation/pause')
    await sendCallEndedEvent(crm.portal, crm.app.url, add({ startedAt: Date.now() - 50 * 3600_000 }))
    expect((await crm.app.olga.post('/v1/crm/automation/enable')).json.state).to.equal('on')
    await waitUntil('it goes on', () => isCrmAutomationOn(crm.core))
    await work()
    expect((await states()).map(({ state }) => state)).to.deep.equal(['received'])
  })

  it('an outage counts no attempt; a failed download does, and its error has no secret', async () => {
    const call = add()
    await sendCallEndedEvent(crm.portal, crm.app.url, call)
    for (const fault of [{ kind: 'html' }, { kind: 'drop-before' }, toPortalFault(PORTAL_ERRORS.internal)] as const) {
      crm.portal.planFault({ method: 'voximplant.statistic.get', times: 7, fault })
      await work()
      crm.portal.faults = []
    }
    expect(await crm.sql('SELECT attempts, status FROM crm_sync_jobs')).to.deep.equal([
      { attempts: 0, status: 'QUEUED' },
    ])
    for (const kind of ['html', 'cut', 'drop-after'] as const) {
      crm.portal.planFault({ method: 'download', times: 1, fault: { kind } })
      await work()
      crm.portal.faults = []
    }
    const [job] = await crm.sql('SELECT attempts, status, last_error FROM crm_sync_jobs')
    expect([job.attempts, job.status]).to.deep.equal([3, 'QUEUED'])
    expect(job.last_error).to.contain('download').and.not.contain(crm.portal.read.code)
    await work()
    expect((await loaded()).length).to.equal(1)
    const notes = await crm.sql('SELECT storage_key FROM file_removals')
    expect(notes.length).to.be.at.most(3) // of interrupted downloads, which are deleted after a day
  })
})
