import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { isUuid } from '../../platform/lib/ids.ts'
import { createLoggedInManager } from '../../test/calls.ts'
import { CallbackReceiver, type ReceivedCallback } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const SECRET = 'sixteen characters or more'

describe('callbacks', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()

  before(async () => {
    recognizer.answer = (recognition) => recognition.finish('hello')
    await Promise.all([recognizer.start(), receiver.start()])
    app = await startTestApp({
      asrUrl: recognizer.url,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      CALLBACK_SIGNING_SECRET: SECRET,
    })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })

  const query = async (sql: string, ...values: unknown[]) => (await app.db.query(sql, values)).rows
  const deliveryOf = async (recordingId: string) =>
    (
      await query(
        `SELECT d.*, extract(epoch FROM next_attempt_at - a.started_at)::float - a.duration_ms / 1000.0 AS pause
           FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
          WHERE recording_id = $1`,
        recordingId,
      )
    )[0]
  const attemptsOf = (deliveryId: string) =>
    query('SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number', deliveryId)
  const waitForEnd = (recordingId: string) =>
    waitUntil('the delivery has ended', async () => {
      const delivery = await deliveryOf(recordingId)
      return ['DELIVERED', 'FAILED'].includes(delivery?.status) && delivery
    })
  const afterAttempt = (recordingId: string, n: number) =>
    waitUntil(`attempt ${n} is over`, async () => {
      const delivery = await deliveryOf(recordingId)
      return delivery?.attempts === n && delivery.status !== 'PROCESSING' && delivery
    })
  const makeDue = (ids: string[]) =>
    query('UPDATE deliveries SET next_attempt_at = now() WHERE recording_id = ANY($1)', ids)

  function expectSigned({ headers, body }: ReceivedCallback, secret = SECRET): void {
    const timestamp = headers['x-svc-timestamp']
    expect(timestamp).to.match(/^\d{10}$/)
    const digest = createHmac('sha256', secret)
      .update(`${timestamp as string}.`)
      .update(body)
      .digest('hex')
    expect(headers['x-svc-signature']).to.equal(`sha256=${digest}`)
  }

  it('the callback recording.done contains the recording as GET returns it', async () => {
    const { id } = (
      await app.ida.upload('x', {
        callbackUrl: `${receiver.url}/done?a=b`,
        managerName: 'Анна ☎',
        externalCallId: 'e-1',
      })
    ).json
    const callback = await receiver.waitForCallback('/done?a=b')
    expect(callback.method).to.equal('POST')
    expect(callback.headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(Number(callback.headers['content-length'])).to.equal(callback.body.length)
    expect(callback.headers['x-svc-event']).to.equal('recording.done')
    expect(isUuid(String(callback.headers['x-svc-delivery']))).to.equal(true)
    const payload = JSON.parse(callback.body.toString())
    expect(Object.keys(payload)).to.deep.equal(['event', 'recording'])
    expect(payload.event).to.equal('recording.done')
    expect(payload.recording).to.deep.equal((await app.ida.get(`/v1/recordings/${id}`)).json)
    expect(payload.recording.transcript.text).to.equal('hello')
    expectSigned(callback)
    expect(Number(callback.headers['x-svc-timestamp'])).to.be.closeTo(Date.now() / 1000, 10)
  })

  it('the callback recording.failed has an errorCode and no transcript', async () => {
    recognizer.answer = (recognition) => recognition.fail('AUDIO_TOO_LONG', 'Longer than 3 hours')
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const callback = await receiver.waitForCallback(`/${id}`)
    recognizer.answer = (recognition) => recognition.finish('hello')
    expect(callback.headers['x-svc-event']).to.equal('recording.failed')
    const { event, recording } = JSON.parse(callback.body.toString())
    expect(event).to.equal('recording.failed')
    expect(recording).to.include({ status: 'FAILED', errorCode: 'AUDIO_TOO_LONG', transcript: null })
    expect(recording).to.deep.equal((await app.ida.get(`/v1/recordings/${id!}`)).json)
    expectSigned(callback)
  })

  it('the service records the attempts of a delivery and deletes its accepted body', async () => {
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const callback = await receiver.waitForCallback(`/${id}`)
    const delivery = await waitForEnd(id!)
    expect(delivery).to.include({ status: 'DELIVERED', attempts: 1, event: 'recording.done', body: null })
    expect(delivery.id).to.equal(callback.headers['x-svc-delivery'])
    const [attempt, ...more] = await attemptsOf(delivery.id)
    expect(more).to.deep.equal([])
    expect(attempt).to.include({ number: 1, status_code: 204, error: null })
    expect(attempt.duration_ms).to.be.within(0, 15_000)
  })

  it('a recording without callbackUrl gets no callback', async () => {
    const [id] = await insertQueuedRecordings(app, 1)
    await waitUntil('it is DONE', async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === 'DONE')
    expect(await deliveryOf(id!)).to.equal(undefined)
  })

  it('without CALLBACK_SIGNING_SECRET, a callback has no signature and no timestamp', async () => {
    await app.restart({ CALLBACK_SIGNING_SECRET: undefined })
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const { headers } = await receiver.waitForCallback(`/${id}`)
    await app.restart({ CALLBACK_SIGNING_SECRET: SECRET })
    expect(headers).to.include.keys('x-svc-event', 'x-svc-delivery')
    expect(headers).not.to.have.any.keys('x-svc-timestamp', 'x-svc-signature')
  })

  it('2xx accepts a callback; 5xx, 408, 425 and 429 are retried; other statuses are final', async () => {
    const expected: Record<number, 'DELIVERED' | 'FAILED' | 'six attempts'> = {
      ...fillRecord([200, 201, 202, 204, 206, 299], 'DELIVERED'),
      ...fillRecord([300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 413, 422, 499], 'FAILED'),
      ...fillRecord([408, 425, 429, 500, 501, 502, 503, 504, 599], 'six attempts'),
    }
    const statuses = Object.keys(expected).map(Number)
    const ids = await insertPaused(statuses.length)
    const statusOf = new Map(ids.map((id, index) => [`/${id}`, statuses[index]!]))
    receiver.answer = (request, response) => {
      response.writeHead(statusOf.get(request.url!) ?? 500, { Location: `${receiver.url}/elsewhere` }).end()
    }
    await release(ids)
    const clock = moveClock()
    try {
      for (let attempt = 1; attempt <= 6; attempt++) {
        const retried = ids.filter((_, n) => attempt === 1 || expected[statuses[n]!] === 'six attempts')
        for (const id of retried) {
          const { status, pause } = await afterAttempt(id, attempt)
          const outcome = expected[statusOf.get(`/${id}`)!]!
          const isLast = attempt === 6
          expect(status, `${statusOf.get(`/${id}`)} attempt ${attempt}`).to.equal(
            outcome === 'six attempts' ? (isLast ? 'FAILED' : 'QUEUED') : outcome,
          )
          if (status === 'QUEUED') expect(pause).to.be.closeTo(30 * 2 ** (attempt - 1), 0.01)
        }
        clock.forward(60)
        await makeDue(ids)
      }
    } finally {
      clock.restore()
    }
    receiver.answer = (_, response) => response.writeHead(204).end()
    for (const [index, id] of ids.entries()) {
      const callbacks = receiver.callbacksTo(`/${id}`)
      const what = String(statuses[index])
      expect(callbacks, what).to.have.length(expected[statuses[index]!] === 'six attempts' ? 6 : 1)
      const distinct = (header: string) => new Set(callbacks.map(({ headers }) => headers[header])).size
      expect(distinct('x-svc-delivery'), what).to.equal(1)
      expect(distinct('x-svc-timestamp'), what).to.equal(callbacks.length)
      expect(distinct('x-svc-signature'), what).to.equal(callbacks.length)
      expect(new Set(callbacks.map(({ body }) => body.toString())).size, what).to.equal(1)
      callbacks.forEach((callback) => expectSigned(callback))
      const recorded = await attemptsOf((await deliveryOf(id)).id)
      expect(
        recorded.map(({ status_code: code }) => code),
        what,
      ).to.deep.equal(callbacks.map(() => statuses[index]))
    }
    expect(receiver.callbacksTo('/elsewhere')).to.deep.equal([])
  })

  it('the service retries a callback after network errors', async () => {
    const unusable: Record<string, (id: string) => string> = {
      'a closed port': () => 'http://127.0.0.1:9333',
      'a reset connection': (id) => `${receiver.url}/${id}`,
      'a name that does not resolve': () => 'http://does-not-exist.invalid',
      'plain HTTP where TLS is expected': () => receiver.url.replace('http:', 'https:'),
    }
    receiver.answer = (request) => request.socket.destroy()
    const ids = await insertPaused(Object.keys(unusable).length)
    for (const [n, url] of Object.values(unusable).entries()) {
      await query('UPDATE recordings SET callback_url = $2 WHERE id = $1', ids[n], url(ids[n]!))
    }
    await release(ids)
    for (const [n, what] of Object.keys(unusable).entries()) {
      const delivery = await afterAttempt(ids[n]!, 1)
      expect(delivery.status, what).to.equal('QUEUED')
      expect(delivery.last_error, what).to.match(/^no response \(\w+\)$/)
      expect((await attemptsOf(delivery.id))[0]).to.include({ status_code: null, error: delivery.last_error })
    }
    receiver.answer = (_, response) => response.writeHead(204).end()
    await query('DELETE FROM recordings WHERE id = ANY($1)', ids)
  })

  it('after a worker stops, its callback is sent again with the same delivery id', async () => {
    let answerLate: (() => void) | undefined
    receiver.answer = (_, response) => (answerLate = () => response.writeHead(204).end())
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const first = await receiver.waitForCallback(`/${id}`)
    receiver.answer = (_, response) => response.writeHead(204).end()
    await query(`UPDATE deliveries SET lease_until = now() - interval '1 s' WHERE recording_id = $1`, id)
    const waiting = await afterAttempt(id!, 1)
    expect(waiting).to.include({ status: 'QUEUED', last_error: 'the worker stopped during the delivery' })
    answerLate!()
    await makeDue([id!])
    const second = await receiver.waitForCallback(`/${id}`, 2)
    expect(second.headers['x-svc-delivery']).to.equal(first.headers['x-svc-delivery'])
    expect(await waitForEnd(id!)).to.include({ status: 'DELIVERED', attempts: 2 })
    expect(await attemptsOf(waiting.id)).to.have.length(2)
  })

  it('an owner can retry a failed callback with its id and attempts from 0', async () => {
    receiver.answer = (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()
    const [id] = await insertQueuedRecordings(app, 1, receiver.url)
    const first = await receiver.waitForCallback(`/${id}`)
    const { id: delivery } = await waitForEnd(id!)
    receiver.answer = (_, response) => response.writeHead(204).end()
    const path = `/v1/recordings/${id}/deliveries/${delivery}/retry`
    const { status, json } = await app.olga.post(path)
    expect([status, json]).to.deep.equal([200, { id: delivery, event: 'recording.done', state: 'waiting' }])
    const second = await receiver.waitForCallback(`/${id}`, 2)
    expect(second.headers['x-svc-delivery']).to.equal(first.headers['x-svc-delivery'])
    const sent = await waitUntil('accepted', async () => {
      const row = await deliveryOf(id!)
      return row.status === 'DELIVERED' && row
    })
    expect(sent.attempts).to.equal(1)
    const auditRows = await query(`SELECT object_id, details FROM audit WHERE action = 'recording.callback'`)
    expect(auditRows).to.deep.equal([{ object_id: id, details: { delivery } }])
    expect((await app.olga.post(path)).status, 'it was accepted').to.equal(409)
  })

  it('nobody can retry an outdated, unknown or invisible callback', async () => {
    receiver.answer = (_, response) => response.writeHead(410).end()
    const [id, other] = await insertQueuedRecordings(app, 2, receiver.url)
    const [{ id: delivery }] = await Promise.all([waitForEnd(id!), waitForEnd(other!)])
    await query(`UPDATE recordings SET status = 'CANCELLED' WHERE id = $1`, id)
    const retry = async (recording: string, one: string) =>
      (await app.olga.post(`/v1/recordings/${recording}/deliveries/${one}/retry`)).status
    expect(await retry(id!, delivery)).to.equal(409)
    expect(await retry(other!, delivery), 'another recording’s').to.equal(404)
    expect(await retry(id!, 'x')).to.equal(404)
    const max = await createLoggedInManager(app, 'Max', { manageRecordings: true })
    expect((await max.post(`/v1/recordings/${other}/deliveries/${delivery}/retry`)).status).to.equal(404)
  })

  /** Inserts recordings that no worker claims, so that the test controls their callback requests. */
  async function insertPaused(count: number): Promise<string[]> {
    await query(`ALTER TABLE recordings ALTER COLUMN next_attempt_at SET DEFAULT 'infinity'`)
    const ids = await insertQueuedRecordings(app, count, receiver.url)
    await query(`ALTER TABLE recordings ALTER COLUMN next_attempt_at SET DEFAULT now()`)
    return ids
  }
  const release = (ids: string[]) => query('UPDATE recordings SET next_attempt_at = now() WHERE id = ANY($1)', ids)
})

function fillRecord<T>(keys: number[], value: T): Record<number, T> {
  return Object.fromEntries(keys.map((key) => [key, value]))
}

/** Moves the clock of this process, which the API of the test shares. */
function moveClock() {
  const real = Date.now
  let ahead = 0
  Date.now = () => real() + ahead
  return { forward: (seconds: number) => void (ahead += seconds * 1000), restore: () => void (Date.now = real) }
}
