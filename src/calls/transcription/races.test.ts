import { expect } from 'chai'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { waitUntil } from '../../test/wait.ts'

const RACE_COUNT = chooseRepeatCount(100, 500)

describe('races of transcription with cancel, retry, delete and stalled workers', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()

  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    app = await startTestApp({
      asrUrl: recognizer.url,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      ASR_MAX_CONCURRENCY: 8,
      TRANSCRIPTION_CONCURRENCY: 8,
    })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })

  const upload = async (audio: string): Promise<string> =>
    (await app.ida.upload(audio, { callbackUrl: `${receiver.url}/${encodeURIComponent(audio)}` })).json.id
  const callbacks = (audio: string) => receiver.callbacksTo(`/${encodeURIComponent(audio)}`)
  const arrived = (audio: string, nth = 1) => receiver.waitForCallback(`/${encodeURIComponent(audio)}`, nth)
  const read = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json
  const post = async (id: string, verb: string) => (await app.ida.post(`/v1/recordings/${id}/${verb}`)).status
  const reached = (id: string, status: string) =>
    waitUntil(`${id} is ${status}`, async () => {
      const recording = await read(id)
      return recording.status === status && recording
    })
  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows
  const expireLease = (id: string) =>
    query(`UPDATE recordings SET lease_until = now() - interval '1 second' WHERE id = $1`, id)
  const deliveries = (id: string) => query('SELECT * FROM deliveries WHERE recording_id = $1', id)

  it('cancelling aborts the recognition, and a late result changes nothing', async () => {
    const id = await upload('cancelled')
    const recognition = await recognizer.waitForRecognition('cancelled')
    expect(await post(id, 'cancel')).to.equal(200)
    recognition.finish('too late')
    await waitUntil('the connection is closed', () => recognition.closed)
    const cancelled = await read(id)
    expect(cancelled).to.include({ status: 'CANCELLED', transcript: null })
    expect(cancelled.progress.stage).to.equal('cancelled')
    expect(await deliveries(id)).to.deep.equal([])
    expect(await query('SELECT FROM transcripts WHERE recording_id = $1', id)).to.deep.equal([])
    expect(await post(id, 'cancel')).to.equal(409)
  })

  it('cancelling closes the connection to a recognizer that sends nothing', async () => {
    const id = await upload('cancelled silently')
    const recognition = await recognizer.waitForRecognition('cancelled silently')
    await post(id, 'cancel')
    await waitUntil('the connection is closed', () => recognition.aborted, 30_000)
  })

  it('deleting a running recording aborts the recognition and stores no transcript', async () => {
    const id = await upload('deleted')
    const recognition = await recognizer.waitForRecognition('deleted')
    expect((await app.ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
    await waitUntil('the connection is closed', () => recognition.aborted)
    expect((await app.ida.get(`/v1/recordings/${id}`)).status).to.equal(404)
    expect(await query('SELECT FROM transcripts WHERE recording_id = $1', id)).to.deep.equal([])
    expect(callbacks('deleted')).to.deep.equal([])
  })

  it('retrying a FAILED recording starts over and creates a new delivery', async () => {
    const id = await upload('retried')
    ;(await recognizer.waitForRecognition('retried')).fail('UNSUPPORTED_AUDIO', 'No audio in it')
    const first = await arrived('retried')
    expect(JSON.parse(first.body.toString()).event).to.equal('recording.failed')
    expect(await post(id, 'retry')).to.equal(200)
    ;(await recognizer.waitForRecognition('retried', 2)).finish()
    const second = await arrived('retried', 2)
    expect(JSON.parse(second.body.toString())).to.deep.include({ event: 'recording.done', recording: await read(id) })
    expect(second.headers['x-svc-delivery']).not.to.equal(first.headers['x-svc-delivery'])
    expect(await read(id)).to.include({ attempts: 1, errorCode: null, errorMessage: null })
  })

  it('retry and cancel respond 409 in states that do not allow them', async () => {
    const id = await upload('states')
    const recognition = await recognizer.waitForRecognition('states')
    expect(await post(id, 'retry'), 'retry while PROCESSING').to.equal(409)
    recognition.finish()
    await reached(id, 'DONE')
    expect(await post(id, 'retry'), 'retry of DONE').to.equal(409)
    expect(await post(id, 'cancel'), 'cancel of DONE').to.equal(409)
    await query(`UPDATE recordings SET status = 'FAILED' WHERE id = $1`, id)
    expect(await post(id, 'cancel'), 'cancel of FAILED').to.equal(409)
  })

  it('after a cancel and a retry, only the second recognition is stored', async () => {
    const id = await upload('twice')
    const first = await recognizer.waitForRecognition('twice')
    expect(await post(id, 'cancel')).to.equal(200)
    expect(await post(id, 'retry')).to.equal(200)
    const second = await recognizer.waitForRecognition('twice', 2)
    first.finish('of the first')
    second.finish('of the second')
    expect((await reached(id, 'DONE')).transcript.text).to.equal('of the second')
    await arrived('twice')
    expect(await deliveries(id)).to.have.length(1)
  })

  it('a waiting callback of a failure is not sent once the recording is cancelled', async () => {
    receiver.answer = (_, response) => response.writeHead(503).end()
    const id = await upload('failed then cancelled')
    ;(await recognizer.waitForRecognition('failed then cancelled')).fail('UNSUPPORTED_AUDIO', 'No audio in it')
    await arrived('failed then cancelled')
    await post(id, 'retry')
    await recognizer.waitForRecognition('failed then cancelled', 2)
    expect(await post(id, 'cancel')).to.equal(200)
    await waitUntil('the delivery has ended', async () => {
      await query(`UPDATE deliveries SET next_attempt_at = now() WHERE recording_id = $1`, id)
      return (await deliveries(id)).every(({ status }) => status === 'FAILED')
    })
    expect(callbacks('failed then cancelled')).to.have.length(1)
    receiver.answer = (_, response) => response.writeHead(204).end()
  })

  it('a stalled worker loses its claim and one attempt, and its late result is ignored', async () => {
    const id = await upload('stalled')
    const stalled = await recognizer.waitForRecognition('stalled')
    // Expire the lease repeatedly, because the heartbeats of the worker renew the lease.
    await waitUntil('the claim ran out', async () => {
      await expireLease(id)
      return (await read(id)).status === 'QUEUED'
    })
    expect(await read(id)).to.include({ attempts: 1 })
    await query('UPDATE recordings SET next_attempt_at = now() WHERE id = $1', id)
    const second = await recognizer.waitForRecognition('stalled', 2)
    stalled.finish('of the stalled worker')
    await waitUntil('the stalled recognition ended', () => stalled.closed)
    second.finish('of the second worker')
    const done = await reached(id, 'DONE')
    expect(done).to.include({ attempts: 2 })
    expect(done.transcript.text).to.equal('of the second worker')
    await arrived('stalled')
    expect(await deliveries(id)).to.have.length(1)
  })

  it('workers that finish after their claims were taken over write nothing', async () => {
    const ids: string[] = []
    for (let n = 0; n < 20; n++) {
      const id = await upload(`block ${n}`)
      const stalled = await recognizer.waitForRecognition(`block ${n}`)
      // Takes the claim over with a new token, which the stalled worker does not know.
      const takeOver = `UPDATE recordings SET attempt_token = gen_random_uuid(), lease_until = now() + interval '1 minute'`
      await query(`${takeOver} WHERE id = $1`, id)
      stalled.finish('stale')
      await waitUntil('the stalled worker is through', () => stalled.closed)
      ids.push(id)
    }
    const rows = await query(
      `SELECT r.status, t.text FROM recordings r LEFT JOIN transcripts t ON t.recording_id = r.id WHERE r.id = ANY($1)`,
      ids,
    )
    expect(rows).to.deep.equal(ids.map(() => ({ status: 'PROCESSING', text: null })))
    expect(await query('SELECT FROM deliveries WHERE recording_id = ANY($1)', ids)).to.deep.equal([])
    await query(`DELETE FROM recordings WHERE id = ANY($1)`, ids)
  })

  it(`${RACE_COUNT} races of cancel and finish give one final state, and no callback if CANCELLED`, async () => {
    const responses = new Map<string, number>()
    const races: Promise<void>[] = []
    const moment = (lead: number) => new Promise((resolve) => setTimeout(resolve, lead + Math.random() * 3))
    // The side that loses a round starts earlier in the next one. So both sides start nearly at the same time, however busy the
    // machine is.
    let lead = 3
    let step = 0.5
    let lastWinner = 0
    recognizer.answer = (recognition) => {
      const id = recognition.audio.toString()
      const finish = moment(Math.max(0, lead)).then(() => recognition.finish())
      const cancel = moment(Math.max(0, -lead)).then(async () => {
        const status = await post(id, 'cancel')
        responses.set(id, status)
        const winner = status === 200 ? -1 : 1
        step = winner === lastWinner ? Math.min(1.5 * step, 20) : 0.5
        lastWinner = winner
        lead += winner * step
      })
      races.push(finish, cancel)
    }
    await insertQueuedRecordings(app, RACE_COUNT, receiver.url)
    await waitUntil('all have been raced', () => responses.size === RACE_COUNT)
    await Promise.all(races)
    recognizer.answer = undefined
    const finishedCalls = await waitUntil('all callbacks are sent', async () => {
      const rows = await query(
        `SELECT r.id, r.status, d.status AS delivery FROM recordings r LEFT JOIN deliveries d ON d.recording_id = r.id
          WHERE r.id = ANY($1)`,
        [...responses.keys()],
      )
      return rows.every(({ status, delivery }) => (status === 'DONE' ? delivery === 'DELIVERED' : !delivery)) && rows
    })
    expect(finishedCalls).to.have.length(RACE_COUNT)
    for (const { id, status } of finishedCalls) {
      expect(status).to.equal(responses.get(id) === 200 ? 'CANCELLED' : 'DONE')
      expect(receiver.callbacksTo(`/${id}`)).to.have.length(status === 'DONE' ? 1 : 0)
    }
    const cancelled = finishedCalls.filter(({ status }) => status === 'CANCELLED').length
    expect(cancelled, `cancelled of ${RACE_COUNT}`).to.be.within(RACE_COUNT / 10, RACE_COUNT * 0.9)
  })
})
