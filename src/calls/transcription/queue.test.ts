import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ScriptedRecognizer, type PendingRecognition } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('transcription queue', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url, ASR_API_KEY: 'the key of the recognizer' })
  })
  afterEach(() => {
    recognizer.rejectionStatus = undefined
    recognizer.answer = undefined
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const upload = async (audio: string, fields: Record<string, string> = {}): Promise<string> =>
    (await app.ida.upload(audio, fields)).json.id
  const read = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json
  const reached = (id: string, status: string) =>
    waitUntil(`${id} is ${status}`, async () => {
      const recording = await read(id)
      return recording.status === status && recording
    })
  const row = async (id: string) =>
    (
      await app.db.query(
        `SELECT *, extract(epoch FROM next_attempt_at - now())::float AS pause FROM recordings WHERE id = $1`,
        [id],
      )
    ).rows[0]
  const partsOf = async (id: string) =>
    (await app.db.query('SELECT FROM partial_texts WHERE recording_id = $1', [id])).rowCount
  const makeDue = (id: string) => app.db.query('UPDATE recordings SET next_attempt_at = now() WHERE id = $1', [id])

  it('a recording shows its progress while PROCESSING and its transcript when DONE', async () => {
    const id = await upload('all the way', { decoder: 'beam_search' })
    const recognition = await recognizer.waitForRecognition('all the way')
    expect(recognition.decoder).to.equal('beam_search')
    expect(recognition.authorization).to.equal('Bearer the key of the recognizer')
    recognition.progress(30, 120)
    const running = await waitUntil('progress is stored', async () => {
      const recording = await read(id)
      return recording.progress.percent === 25 && recording
    })
    expect(running).to.include({ status: 'PROCESSING', attempts: 1, finishedAt: null, transcript: null })
    expect(running.startedAt).to.be.a('string')
    expect(running.progress).to.include({ stage: 'transcribing', position: null, etaSeconds: null })
    recognition.finish('good morning')
    const done = await reached(id, 'DONE')
    expect(done.progress).to.deep.equal({ stage: 'done', percent: 100, position: null, etaSeconds: null })
    expect(done).to.include({ durationSeconds: 1.5, attempts: 1, errorCode: null, errorMessage: null })
    expect(Date.parse(done.finishedAt)).to.be.at.least(Date.parse(done.startedAt))
    expect(done.transcript).to.deep.equal({
      text: 'good morning',
      model: 'scripted',
      decoder: 'greedy',
      language: 'en',
      timing: null,
      segments: [
        {
          start: 0.1,
          end: 1.4,
          channel: 0,
          speaker: null,
          speakerConfidence: null,
          text: 'good morning',
          confidence: null,
        },
      ],
    })
  })

  it('the recognizer chooses the decoder if the recording names none', async () => {
    const id = await upload('no decoder')
    const recognition = await recognizer.waitForRecognition('no decoder')
    expect(recognition.decoder).to.equal(null)
    recognition.finish()
    await reached(id, 'DONE')
  })

  it('a silent recording ends DONE with an empty transcript', async () => {
    const id = await upload('silence')
    ;(await recognizer.waitForRecognition('silence')).finish('')
    const { transcript } = await reached(id, 'DONE')
    expect(transcript).to.include({ text: '' })
    expect(transcript.segments).to.deep.equal([])
  })

  it('a worker sends TRANSCRIPTION_CONCURRENCY recordings at once, by priority, then by age', async () => {
    let running = 0
    let most = 0
    const counted = (recognition: PendingRecognition) => {
      most = Math.max(most, ++running)
      setTimeout(() => {
        running--
        recognition.finish()
      }, 30)
    }
    recognizer.answer = counted
    const blockers = await Promise.all(['block 1', 'block 2'].map((audio) => upload(audio)))
    for (const id of blockers) await reached(id, 'DONE')
    // The recognizer does not respond, so no call ends while the test sets up the order.
    recognizer.answer = undefined
    await upload('holder 1')
    await upload('holder 2')
    const holders = [await recognizer.waitForRecognition('holder 1'), await recognizer.waitForRecognition('holder 2')]
    const ids: string[] = []
    for (const priority of [0, 5, 0, 10, 5, 1]) {
      ids.push(await upload(`p${priority} no ${ids.length}`, { priority: String(priority) }))
    }
    const positions = await Promise.all(ids.map(async (id) => (await read(id)).progress.position))
    expect(positions).to.deep.equal([5, 2, 6, 1, 3, 4])
    recognizer.answer = counted
    holders[0]!.finish()
    for (const id of ids) await reached(id, 'DONE')
    holders[1]!.finish()
    const order = recognizer.pending.map(({ audio }) => audio.toString()).filter((audio) => /^p\d/.test(audio))
    expect(order).to.deep.equal(['p10 no 3', 'p5 no 1', 'p5 no 4', 'p1 no 5', 'p0 no 0', 'p0 no 2'])
    expect(most, 'recognitions at once').to.be.at.most(2)
  })

  it('a worker retries after 30 s, doubled each time, until TRANSCRIPTION_ATTEMPTS are used', async () => {
    const id = await upload('always broken')
    for (const [attempt, pause] of [30, 60, 120, 240].entries()) {
      ;(await recognizer.waitForRecognition('always broken', attempt + 1)).fail('INTERNAL', `broken ${attempt + 1}`)
      const waiting = await reached(id, 'QUEUED')
      expect(waiting).to.include({ attempts: attempt + 1, errorCode: null, errorMessage: null, startedAt: null })
      expect(waiting.progress).to.include({ stage: 'queued', percent: 0 })
      const { pause: left, last_error: lastError } = await row(id)
      expect(left).to.be.within(pause - 10, pause)
      expect(lastError).to.equal(`broken ${attempt + 1}`)
      await makeDue(id)
    }
    ;(await recognizer.waitForRecognition('always broken', 5)).fail('INTERNAL', 'broken 5')
    const failed = await reached(id, 'FAILED')
    expect(failed).to.include({ attempts: 5, errorCode: null, errorMessage: 'broken 5', transcript: null })
    expect(failed.progress.stage).to.equal('failed')
    expect(failed.finishedAt).to.be.a('string')
  })

  it('the API returns the partial text until the attempt ends', async () => {
    const id = await upload('partial text')
    const recognition = await recognizer.waitForRecognition('partial text')
    const segment = (start: number, channel: number, text: string) => ({ start, end: start + 1, channel, text, confidence: 0.9 }) // prettier-ignore
    const first = segment(1, 0, 'Good day.')
    const second = segment(2, 1, 'Hello.')
    const third = segment(4, 0, 'How are you?')
    const tell = (...segments: object[]) =>
      recognition.writeText(
        `${JSON.stringify({ type: 'progress', processedSeconds: 5, totalSeconds: 60, segments })}\n`,
      )
    const partial = async (query = '') =>
      (await app.olga.get(`/v1/recordings/${id}/partial-text${query}`)).json.segments as object[]
    expect(await partial()).to.deep.equal([])
    tell(first, third)
    await waitUntil('a part is there', async () => (await partial()).length === 2)
    tell(second)
    await waitUntil('all parts are there', async () => (await partial()).length === 3)
    expect(await partial()).to.deep.equal([first, second, third])
    expect(await partial('?last=1')).to.deep.equal([third])
    recognition.finish()
    await reached(id, 'DONE')
    expect(await partial()).to.deep.equal([])
    expect(await partsOf(id)).to.equal(0)
  })

  it('cancelling a recording deletes its partial text', async () => {
    const id = await upload('partial text of a cancelled call')
    const recognition = await recognizer.waitForRecognition('partial text of a cancelled call')
    const segments = [{ start: 1, end: 2, channel: 0, text: 'Good day.' }]
    recognition.writeText(`${JSON.stringify({ type: 'progress', processedSeconds: 5, totalSeconds: 60, segments })}\n`)
    await waitUntil('it is kept', async () => (await partsOf(id)) === 1)
    expect((await app.ida.post(`/v1/recordings/${id}/cancel`)).status).to.equal(200)
    expect(await partsOf(id)).to.equal(0)
  })

  it('a retry starts without the progress of the earlier attempt', async () => {
    const id = await upload('half way')
    const first = await recognizer.waitForRecognition('half way')
    first.progress(50, 100)
    await waitUntil('progress is stored', async () => (await read(id)).progress.percent === 50)
    first.fail('INTERNAL', 'broken')
    expect((await reached(id, 'QUEUED')).progress.percent).to.equal(0)
    await makeDue(id)
    const second = await recognizer.waitForRecognition('half way', 2)
    expect((await reached(id, 'PROCESSING')).progress.percent).to.equal(0)
    second.finish()
    await reached(id, 'DONE')
  })

  for (const code of ['UNSUPPORTED_AUDIO', 'AUDIO_TOO_LONG']) {
    it(`a recording with ${code} fails at its first attempt`, async () => {
      const id = await upload(`is ${code}`)
      ;(await recognizer.waitForRecognition(`is ${code}`)).fail(code, 'This cannot be mended')
      expect(await reached(id, 'FAILED')).to.include({
        attempts: 1,
        errorCode: code,
        errorMessage: 'This cannot be mended',
      })
    })
  }

  it('a recording whose file is missing fails at once with AUDIO_MISSING', async () => {
    for (const n of [1, 2]) await upload(`before the gone ${n}`)
    const holders = [
      await recognizer.waitForRecognition('before the gone 1'),
      await recognizer.waitForRecognition('before the gone 2'),
    ]
    const id = await upload('soon gone')
    const { storage_key: storageKey } = await row(id)
    await rm(join(app.config.audioDir, storageKey))
    for (const holder of holders) holder.finish()
    expect(await reached(id, 'FAILED')).to.include({ attempts: 1, errorCode: 'AUDIO_MISSING' })
    expect(recognizer.recognitionsOf('soon gone')).to.have.length(0)
  })

  it('a recognizer crash during a recognition counts one attempt', async () => {
    const id = await upload('dies')
    ;(await recognizer.waitForRecognition('dies')).disconnect()
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 1 })
    await makeDue(id)
    ;(await recognizer.waitForRecognition('dies', 2)).finish()
    expect(await reached(id, 'DONE')).to.include({ attempts: 2 })
  })

  it('an endless line from the recognizer counts one attempt', async () => {
    const id = await upload('endless')
    ;(await recognizer.waitForRecognition('endless')).writeText(
      `{"type":"result","transcript":"${'x'.repeat(5_000_000)}`,
    )
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 1 })
    await makeDue(id)
    ;(await recognizer.waitForRecognition('endless', 2)).finish()
    await reached(id, 'DONE')
  })

  it('a recognizer crash costs no attempt if the file only waited there', async () => {
    const id = await upload('waits')
    const waiting = await recognizer.waitForRecognition('waits')
    waiting.writeText(
      `${JSON.stringify({ type: 'progress', processedSeconds: 0, totalSeconds: 1.5, waiting: true })}\n`,
    )
    // Wait until the worker has read the progress, because a broken connection discards unread bytes.
    await waitUntil('the worker has heard it', async () => (await read(id)).durationSeconds === 1.5)
    waiting.disconnect()
    const again = await recognizer.waitForRecognition('waits', 2)
    expect(await read(id)).to.include({ status: 'PROCESSING', attempts: 1 })
    again.reportWaiting()
    again.progress(0, 1.5) // The recognizer starts with this call.
    again.disconnect()
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 1 })
    await makeDue(id)
    ;(await recognizer.waitForRecognition('waits', 3)).finish()
    expect(await reached(id, 'DONE')).to.include({ attempts: 2 })
  })

  it('a response without JSON or without a result counts one attempt', async () => {
    const id = await upload('nonsense')
    ;(await recognizer.waitForRecognition('nonsense')).writeText('<html>\n')
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 1 })
    await makeDue(id)
    ;(await recognizer.waitForRecognition('nonsense', 2)).end()
    await waitUntil('the second attempt failed', async () => {
      const { status, attempts } = await read(id)
      return status === 'QUEUED' && attempts === 2
    })
    expect((await app.ida.post(`/v1/recordings/${id}/cancel`)).status).to.equal(200)
  })

  it('a loading recognizer costs no attempt, and calls continue when it is ready', async () => {
    recognizer.status = 'loading'
    await app.restart() // A worker caches the last state of the recognizer for a moment. A new worker has to poll.
    const id = await upload('while loading')
    const { stateRequests: asked } = recognizer
    await waitUntil('it was asked again', () => recognizer.stateRequests > asked)
    expect(await read(id)).to.include({ status: 'QUEUED', attempts: 0 })
    expect((await app.ida.get('/readyz')).json).to.include({ status: 'degraded', asr: 'down' })
    recognizer.status = 'ready'
    ;(await recognizer.waitForRecognition('while loading')).finish()
    expect(await reached(id, 'DONE')).to.include({ attempts: 1 })
  })

  it('an unreachable recognizer costs no attempt, and calls continue when it is back', async () => {
    await recognizer.stop()
    const id = await upload('while away')
    await waitUntil('it was looked for', async () => (await app.ida.get('/readyz')).json.asr === 'down')
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 0 })
    await recognizer.start()
    ;(await recognizer.waitForRecognition('while away')).finish()
    expect(await reached(id, 'DONE')).to.include({ attempts: 1 })
  })

  it('a recognizer that responds 401 or 503 costs no attempt and gets a pause', async () => {
    recognizer.rejectionStatus = 401
    const id = await upload('refused')
    const times = recognizer.rejectedAt
    await waitUntil('it was asked', () => times.length > 0)
    recognizer.rejectionStatus = 503
    const known = times.length
    await waitUntil('it was asked again', () => times.length > known)
    times.slice(1).forEach((time, index) => expect(time - times[index]!).to.be.greaterThan(1000))
    expect(await reached(id, 'QUEUED')).to.include({ attempts: 0 })
    recognizer.rejectionStatus = undefined
    ;(await recognizer.waitForRecognition('refused')).finish()
    expect(await reached(id, 'DONE')).to.include({ attempts: 1 })
  })

  it('a recording that always crashes the recognizer fails after 5 attempts while others finish', async () => {
    recognizer.answer = (recognition) =>
      recognition.audio.toString() === 'poison' ? recognition.disconnect() : recognition.finish()
    const poison = await upload('poison', { priority: '10' })
    const others = await Promise.all(Array.from({ length: 20 }, (_, n) => upload(`healthy ${n}`)))
    await waitUntil('the poison job has failed for good', async () => {
      await makeDue(poison)
      return (await read(poison)).status === 'FAILED'
    })
    for (const id of others) expect(await reached(id, 'DONE')).to.include({ attempts: 1 })
    expect(recognizer.recognitionsOf('poison')).to.have.length(5)
  })
})
