import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { insertCalls, createLoggedInManager } from '../../test/calls.ts'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('history and waveform of a recording', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  before(async () => {
    await Promise.all([recognizer.start(), receiver.start()])
    app = await startTestApp({
      asrUrl: recognizer.url,
      ALLOW_PRIVATE_NETWORK_DOWNLOADS: true,
      ASR_MAX_CONCURRENCY: 4,
      TRANSCRIPTION_CONCURRENCY: 4,
      TRANSCRIPTION_ATTEMPTS: 2,
    })
  })
  after(async () => {
    await app.stop()
    await Promise.all([recognizer.stop(), receiver.stop()])
  })

  const upload = async (audio: string, fields: Record<string, string> = {}): Promise<string> =>
    (await app.ida.upload(audio, fields)).json.id
  const reached = (id: string, status: string) =>
    waitUntil(`${id} is ${status}`, async () => (await app.ida.get(`/v1/recordings/${id}`)).json.status === status)
  const post = async (id: string, verb: string) =>
    expect((await app.ida.post(`/v1/recordings/${id}/${verb}`)).status).to.equal(200)
  const history = async (id: string) => {
    const { status, json } = await app.olga.get(`/v1/recordings/${id}/history`)
    expect(status).to.equal(200)
    const times = json.items.map(({ at }: { at: string }) => at)
    expect(times).to.deep.equal(times.toSorted())
    return json.items
  }
  const kinds = async (id: string): Promise<string[]> =>
    (await history(id)).map(({ kind, attempt }: { kind: string; attempt: number | null }) =>
      attempt === null ? kind : `${kind} ${attempt}`,
    )
  const waveform = (id: string, client = app.olga) => client.get(`/v1/recordings/${id}/waveform`)
  const result = (peaks: unknown) => {
    const transcript = { text: 'hello', model: 'm', decoder: 'greedy', language: 'en', segments: [] }
    return `${JSON.stringify({ type: 'result', transcript, durationSeconds: 2.5, peaks })}\n`
  }

  describe('history', () => {
    it('the history lists each attempt with its reason, and the actions of people', async () => {
      const id = await upload('eventful')
      expect((await kinds(id))[0]).to.equal('received')
      const first = await recognizer.waitForRecognition('eventful')
      expect(await kinds(id)).to.deep.equal(['received', 'started 1'])
      first.fail('INTERNAL', 'The model stumbled')
      await reached(id, 'QUEUED')
      expect((await history(id)).at(-1)).to.include({
        kind: 'failed_attempt',
        attempt: 1,
        message: 'The model stumbled',
      })
      expect((await history(id)).at(-1).durationSeconds)
        .to.be.a('number')
        .and.at.least(0)

      await app.db.query('UPDATE recordings SET next_attempt_at = now() WHERE id = $1', [id])
      ;(await recognizer.waitForRecognition('eventful', 2)).fail('INTERNAL', 'The model stumbled again')
      await reached(id, 'FAILED')
      await post(id, 'retry')
      await recognizer.waitForRecognition('eventful', 3)
      await post(id, 'cancel')
      await post(id, 'retry')
      ;(await recognizer.waitForRecognition('eventful', 4)).finish()
      await reached(id, 'DONE')
      expect((await kinds(id)).join(', ')).to.equal(
        'received, started 1, failed_attempt 1, started 2, failed 2, retried, ' +
          'started 1, cancelled 1, retried, started 1, done 1',
      )
    })

    it('the history shows no attempt for a recording cancelled while it waited', async () => {
      const id = await upload('picture')
      ;(await recognizer.waitForRecognition('picture')).fail('UNSUPPORTED_AUDIO', 'No audio in it')
      await reached(id, 'FAILED')
      const last = (await history(id)).at(-1)
      expect(last).to.include({ kind: 'failed', attempt: 1, message: 'No audio in it' })
      await app.db.query(
        `UPDATE recordings SET status = 'QUEUED', next_attempt_at = now() + '1 hour', started_at = NULL WHERE id = $1`,
        [id],
      )
      await post(id, 'cancel')
      expect((await history(id)).at(-1)).to.include({ kind: 'cancelled', attempt: null, durationSeconds: null })
    })

    it('the history of each recording shows that all failed ones were retried', async () => {
      const [one, two] = await insertCalls(app, [{ status: 'FAILED' }, { status: 'FAILED' }])
      await app.ida.post('/v1/recordings/retry-failed')
      for (const id of [one!, two!]) expect(await kinds(id)).to.include('retried')
    })

    it('the history shows a failed attempt of a dead worker and no late result', async () => {
      const id = await upload('stalled')
      const lost = await recognizer.waitForRecognition('stalled')
      await waitUntil('it failed', async () => {
        // The worker still sends heartbeats, so the test can have to expire the lease more than once.
        await app.db.query(
          `UPDATE recordings SET lease_until = now() - interval '1 second' WHERE id = $1 AND status = 'PROCESSING'`,
          [id],
        )
        return (await kinds(id)).includes('failed_attempt 1')
      })
      lost.finish()
      await waitUntil('the recognition is over', () => lost.closed)
      expect(await kinds(id)).to.deep.equal(['received', 'started 1', 'failed_attempt 1'])
    })

    it('the history lists each attempt of a callback with its status and retry', async () => {
      receiver.answer = (_, response) => response.writeHead(500).end()
      const id = await upload('told', { callbackUrl: `${receiver.url}/told` })
      ;(await recognizer.waitForRecognition('told')).finish()
      const failed = await waitUntil('an attempt', async () => {
        const last = (await history(id)).at(-1)
        return last.delivery?.attempt === 1 && last
      })
      expect(failed.kind).to.equal('callback')
      expect(failed.delivery).to.include({
        attempt: 1,
        event: 'recording.done',
        statusCode: 500,
        error: null,
        state: 'waiting',
      })
      expect(Date.parse(failed.delivery.nextAttemptAt)).to.be.greaterThan(Date.parse(failed.at))
      receiver.answer = (_, response) => response.writeHead(204).end()
      await app.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE recording_id = $1', [id])
      await waitUntil('the second', async () => (await history(id)).at(-1).delivery?.attempt === 2)
      const [first, second] = (await history(id)).slice(-2)
      expect(second.delivery).to.deep.equal({
        ...first.delivery,
        attempt: 2,
        statusCode: 204,
        state: 'delivered',
        nextAttemptAt: null,
      })
      expect(first.delivery).to.include({ statusCode: 500, nextAttemptAt: null, state: 'delivered' })
    })

    it('the history lists a callback before its first attempt', async () => {
      await app.olga.post('/v1/queues/callbacks/pause')
      const id = await upload('untold', { callbackUrl: `${receiver.url}/untold` })
      ;(await recognizer.waitForRecognition('untold')).finish()
      await reached(id, 'DONE')
      expect((await history(id)).at(-1).delivery).to.include({ attempt: 0, statusCode: null, state: 'waiting' })
      await app.olga.post('/v1/queues/callbacks/resume')
    })

    it('a call of an earlier release has the history that its row provides', async () => {
      const [id] = await insertCalls(app, [{ status: 'DONE' }])
      await app.db.query(
        `UPDATE recordings SET attempts = 3, started_at = created_at + '1 s', finished_at = created_at + '5 s' WHERE id = $1`,
        [id],
      )
      expect(await kinds(id!)).to.deep.equal(['received', 'started 3', 'done 3'])
      expect((await history(id!))[2].durationSeconds).to.equal(4)
    })

    it('the history of an unknown, invisible or deleted recording is not available', async () => {
      expect((await app.olga.get(`/v1/recordings/${generateId()}/history`)).status).to.equal(404)
      const [own, other] = await insertCalls(app, [{ manager: 'Max' }, { manager: 'Otto' }])
      const max = await createLoggedInManager(app, 'Max')
      expect((await max.get(`/v1/recordings/${own}/history`)).status).to.equal(200)
      expect((await max.get(`/v1/recordings/${other}/history`)).status).to.equal(404)
      expect((await max.get(`/v1/recordings/${own}/waveform`)).status, 'his, without a waveform').to.equal(403)
      const id = await upload('gone')
      ;(await recognizer.waitForRecognition('gone')).writeText(result([[1]]))
      await reached(id, 'DONE')
      expect((await app.ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
      const { rows } = await app.db.query(
        'SELECT recording_id FROM transcription_history WHERE recording_id = $1 UNION ALL SELECT recording_id FROM waveforms WHERE recording_id = $1',
        [id],
      )
      expect(rows).to.deep.equal([])
    })
  })

  describe('waveform', () => {
    it('the API returns the waveform after the transcription and 404 before it', async () => {
      const id = await upload('heard')
      const recognition = await recognizer.waitForRecognition('heard')
      expect((await waveform(id)).status).to.equal(404)
      recognition.writeText(result([[0, 100, 7], [50, 0, 3]])) // prettier-ignore
      await reached(id, 'DONE')
      const { status, json } = await waveform(id)
      expect(status).to.equal(200)
      expect(json).to.deep.equal({ durationSeconds: 2.5, peaks: [[0, 100, 7], [50, 0, 3]] }) // prettier-ignore
      expect(Object.keys((await app.ida.get(`/v1/recordings/${id}`)).json)).to.not.include('peaks')
    })

    const odd: [what: string, peaks: unknown][] = [
      ['missing', undefined],
      ['not a list', 'loud'],
      ['above 100', [[101]]],
      ['fractions', [[0.5]]],
      ['three channels', [[1], [1], [1]]],
      ['too many', [Array(5000).fill(1)]],
    ]
    for (const [what, peaks] of odd) {
      it(`a transcript is stored without a waveform if its peaks are invalid: ${what}`, async () => {
        const id = await upload(`odd ${what}`)
        ;(await recognizer.waitForRecognition(`odd ${what}`)).writeText(result(peaks))
        await reached(id, 'DONE')
        expect((await waveform(id)).status).to.equal(404)
      })
    }

    it('only people with the right audio can read waveforms of visible calls', async () => {
      const id = await upload('own', { managerName: 'Nina' })
      ;(await recognizer.waitForRecognition('own')).writeText(result([[1]]))
      await reached(id, 'DONE')
      await app.db.query(`DELETE FROM people WHERE email = 'max@example.com'`)
      const nina = await createLoggedInManager(app, 'Nina', { audio: true })
      expect((await waveform(id, nina)).status).to.equal(200)
      await app.db.query(`UPDATE people SET rights = '{}' WHERE name = 'Nina'`)
      expect((await waveform(id, nina)).status).to.equal(403)
      await app.db.query(`UPDATE people SET name = 'Otto', rights = '{"audio": true}' WHERE name = 'Nina'`)
      expect((await waveform(id, nina)).status).to.equal(404)
    })
  })
})
