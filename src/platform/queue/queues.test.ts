import { expect } from 'chai'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('queue operations', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()

  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    app = await startTestApp({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })
  afterEach(async () => {
    recognizer.answer = undefined
    await query('DELETE FROM recordings')
    await query('DELETE FROM paused_queues')
    receiver.answer = (_, response) => response.writeHead(204).end()
  })

  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows
  const queue = async () => (await app.ida.get('/v1/queue')).json
  const fetchQueue = async (name: string) =>
    (await app.ida.get('/v1/queues')).json.find((one: { name: string }) => one.name === name)
  const fetchJobs = async (name: string, parameters = '') =>
    (await app.ida.get(`/v1/queues/${name}/jobs${parameters}`)).json
  const pause = (name: string) => app.olga.post(`/v1/queues/${name}/pause`)
  const resume = (name: string) => app.olga.post(`/v1/queues/${name}/resume`)
  const waitForStatus = (id: string, status: string) =>
    waitUntil(`${id} is ${status}`, async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === status)

  it('an empty queue has zero counts and no waiting time', async () => {
    expect(await queue()).to.deep.equal({
      waiting: 0,
      running: 0,
      waitingAudioSeconds: 0,
      etaSeconds: 0,
      oldestWaitingSince: null,
      paused: false,
    })
  })

  it('the API lists all queues with their counts; an unknown name gets 404', async () => {
    await pause('transcription')
    const ids = await insertQueuedRecordings(app, 4)
    await query(`UPDATE recordings SET status = 'FAILED' WHERE id = $1`, ids[0])
    await query(`UPDATE recordings SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`, ids[1])
    const { json } = await app.ida.get('/v1/queues')
    const { since } = json[0].pause
    expect(Date.now() - Date.parse(since)).to.be.within(-60_000, 60_000)
    expect(json).to.deep.equal([
      {
        name: 'transcription',
        waiting: 2,
        delayed: 1,
        active: 0,
        failed: 1,
        paused: true,
        pause: { since, reason: null, retryAt: null },
      },
      ...['callbacks', 'analysis', 'crm-sync', 'crm-load', 'crm-write', 'notifications'].map((name) => {
        return { name, waiting: 0, delayed: 0, active: 0, failed: 0, paused: false, pause: null }
      }),
    ])
    for (const path of ['nothing/jobs', 'crm/jobs', 'toString/jobs']) {
      expect((await app.ida.get(`/v1/queues/${path}`)).status).to.equal(404)
    }
    expect((await app.olga.post('/v1/queues/nothing/pause')).status).to.equal(404)
  })

  it('the API lists jobs by state, waiting ones in the order of claims', async () => {
    await pause('transcription')
    const [failed, delayed, low, high, active] = (await insertQueuedRecordings(app, 5)) as [
      string,
      string,
      string,
      string,
      string,
    ]
    await query(`UPDATE recordings SET status = 'FAILED', attempts = 5, last_error = 'broken' WHERE id = $1`, failed)
    await query(
      `UPDATE recordings SET next_attempt_at = now() + interval '1 hour', attempts = 1 WHERE id = $1`,
      delayed,
    )
    await query(`UPDATE recordings SET priority = 7 WHERE id = $1`, high)
    await query(
      `UPDATE recordings SET status = 'PROCESSING', started_at = now(), lease_until = 'infinity' WHERE id = $1`,
      active,
    )
    const states = { waiting: [high, low], delayed: [delayed], active: [active], failed: [failed] }
    for (const [state, ids] of Object.entries(states)) {
      const page = await fetchJobs('transcription', `?state=${state}`)
      expect(page, state).to.include({ total: ids.length, page: 1, pageSize: 25 })
      expect(
        page.items.map((job: { id: string }) => job.id),
        state,
      ).to.deep.equal(ids)
      expect(page.items.every((job: { state: string }) => job.state === state)).to.equal(true)
    }
    const all = await fetchJobs('transcription', '?pageSize=2&page=2')
    expect(all).to.include({ total: 5, page: 2, pageSize: 2 })
    expect(all.items.map((job: { id: string }) => job.id)).to.have.members([delayed, low])
    const [job] = (await fetchJobs('transcription', '?state=failed')).items
    expect(job).to.deep.equal({
      id: failed,
      state: 'failed',
      recordingId: failed,
      priority: 0,
      attempts: 5,
      nextAttemptAt: null,
      startedAt: null,
      lastError: 'broken',
    })
    expect((await app.ida.get('/v1/queues/transcription/jobs?state=done')).status).to.equal(400)
    expect((await fetchJobs('transcription', '?page=99')).items).to.deep.equal([])
  })

  it('jobs include the recording and its progress only with calls=true', async () => {
    await pause('transcription')
    const { id } = (await app.ida.upload('one', { phoneNumber: '+375 29 1', managerName: 'Max' })).json
    expect((await fetchJobs('transcription')).items[0]).to.not.have.property('call')
    const recording = (await app.ida.get(`/v1/recordings/${id}`)).json
    const { items, total } = await fetchJobs('transcription', '?calls=true')
    expect(total).to.equal(1)
    expect(items[0].call).to.deep.equal({
      phoneNumber: '+375 29 1',
      managerName: 'Max',
      fileName: 'call.wav',
      durationSeconds: null,
      errorCode: null,
      progress: recording.progress,
    })
  })

  it('a paused queue claims no job, even after a restart, but finishes running ones', async () => {
    const [running] = await insertQueuedRecordings(app, 1)
    const recognition = await recognizer.waitForRecognition(running!)
    expect((await pause('transcription')).json).to.include({ name: 'transcription', active: 1, paused: true })
    expect((await pause('transcription')).status).to.equal(200)
    const [waiting] = await insertQueuedRecordings(app, 1)
    recognition.finish()
    await waitForStatus(running!, 'DONE')
    const { stateRequests: asked } = recognizer
    await app.restart()
    await waitUntil('the workers have looked for work', () => recognizer.stateRequests >= asked + 2)
    expect(recognizer.recognitionsOf(waiting!)).to.deep.equal([])
    expect(await queue()).to.include({ waiting: 1, running: 0, paused: true })
    expect((await resume('transcription')).json).to.include({ paused: false })
    ;(await recognizer.waitForRecognition(waiting!)).finish()
    await waitForStatus(waiting!, 'DONE')
  })

  it('a pause of callbacks does not stop transcriptions', async () => {
    await pause('callbacks')
    recognizer.answer = (recognition) => recognition.finish()
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    await waitForStatus(id!, 'DONE')
    expect(await fetchQueue('callbacks')).to.include({ waiting: 1, paused: true })
    expect((await fetchJobs('callbacks')).items[0]).to.include({ recordingId: id, state: 'waiting', attempts: 0 })
    expect(receiver.callbacksTo(`/${id}`)).to.deep.equal([])
    await resume('callbacks')
    await receiver.waitForCallback(`/${id}`)
  })

  it('retry-failed requeues failed transcriptions with 0 attempts', async () => {
    await pause('transcription')
    const ids = await insertQueuedRecordings(app, 3)
    await query(`UPDATE recordings SET status = 'FAILED', attempts = 5, error_message = 'x' WHERE id <> $1`, ids[0])
    expect((await app.olga.post('/v1/queues/transcription/retry-failed')).json).to.deep.equal({ retried: 2 })
    expect(await fetchQueue('transcription')).to.include({ waiting: 3, failed: 0 })
    expect((await query('SELECT max(attempts)::int AS attempts FROM recordings'))[0].attempts).to.equal(0)
  })

  it('retry-failed and retryable=true skip recordings with a permanent error', async () => {
    await pause('transcription')
    const ids = await insertQueuedRecordings(app, 2)
    await query(`UPDATE recordings SET status = 'FAILED'`)
    await query(`UPDATE recordings SET error_code = 'UNSUPPORTED_AUDIO' WHERE id = $1`, ids[0])
    const fetchJobs = async (which: string) => (await app.olga.get(`/v1/queues/transcription/jobs?${which}`)).json
    expect((await fetchJobs('state=failed')).total).to.equal(2)
    const { total, items } = await fetchJobs('retryable=true')
    expect([total, items[0].recordingId]).to.deep.equal([1, ids[1]])
    expect((await app.olga.post('/v1/queues/transcription/retry-failed')).json).to.deep.equal({ retried: 1 })
    expect((await app.olga.post('/v1/recordings/retry-failed')).json, 'all with an error').to.deep.equal({
      retried: 1,
    })
  })

  it('retry-failed sends a callback again with the same body and delivery id', async () => {
    recognizer.answer = (recognition) => recognition.finish()
    receiver.answer = (_, response) => response.writeHead(410).end()
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const first = await receiver.waitForCallback(`/${id}`)
    await waitUntil('it was given up', async () => (await fetchQueue('callbacks')).failed === 1)
    receiver.answer = (_, response) => response.writeHead(204).end()
    expect((await app.olga.post('/v1/queues/callbacks/retry-failed')).json).to.deep.equal({ retried: 1 })
    const second = await receiver.waitForCallback(`/${id}`, 2)
    expect(second.headers['x-svc-delivery']).to.equal(first.headers['x-svc-delivery'])
    expect(second.body.toString()).to.equal(first.body.toString())
    const delivery = await waitUntil('it is accepted', async () => {
      const [row] = await query('SELECT * FROM deliveries WHERE recording_id = $1', id)
      return row.status === 'DELIVERED' && row
    })
    expect(delivery).to.include({ attempts: 1, body: null, last_error: null })
    const attempts = await query('SELECT number, status_code FROM delivery_attempts ORDER BY number')
    expect(attempts).to.deep.equal([
      { number: 1, status_code: 410 },
      { number: 2, status_code: 204 },
    ])
  })

  it('retry-failed sends only the callback of the latest result of a recording', async () => {
    receiver.answer = (_, response) => response.writeHead(410).end()
    recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'no audio')
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    await waitUntil('it was given up', async () => (await fetchQueue('callbacks')).failed === 1)
    const retry = async () => (await app.olga.post('/v1/queues/callbacks/retry-failed')).json.retried
    await pause('transcription')
    await app.ida.post(`/v1/recordings/${id}/retry`)
    expect(await retry(), 'it waits again').to.equal(0)
    await resume('transcription')
    await waitUntil('the second end was given up', async () => (await fetchQueue('callbacks')).failed === 2)
    await pause('callbacks')
    expect(await retry(), 'only the last end').to.equal(1)
    await app.ida.delete(`/v1/recordings/${id}`)
  })
})
