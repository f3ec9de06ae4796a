import { Readable } from 'node:stream'
import { expect } from 'chai'
import { createLogger } from '../../platform/lib/log.ts'
import type { PendingRecognition, ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { TestRecognizerGroup } from '../../test/recognizer-group.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { transcribeWithRecognizer, RecognizerCrashedError } from './recognizer.ts'
import { RecognizerPool } from './recognizers.ts'

/** Two polls, plus time for a busy machine. */
const POLL_TIMEOUT_MS = 15_000

describe('several recognizers with one host name', () => {
  let group: TestRecognizerGroup
  let app: TestApp
  const start = async (count: number) => {
    group = await new TestRecognizerGroup().start(count)
    app = await startTestApp({ asrUrl: group.url })
  }
  afterEach(async () => {
    await app.stop()
    await group.stop()
  })

  const upload = async (audio: string): Promise<string> => (await app.ida.upload(audio)).json.id
  const read = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json
  const waitForStatus = (id: string, status: string) =>
    waitUntil(`${id} is ${status}`, async () => {
      const recording = await read(id)
      return recording.status === status && recording
    })
  const system = async () => (await app.olga.get('/v1/system')).json
  const states = async () => (await system()).asr.recognizers.map(({ status }: { status: string }) => status)
  /** All concurrent callers share the running poll. Only the next poll starts after the change that the test made. */
  const pollAgain = async () => void (await states())
  /** Waits for the nth recognition of a file. Returns it with its recognizer. */
  const waitForRecognition = (audio: string, nth = 1, limitMs = POLL_TIMEOUT_MS) =>
    waitUntil(
      `recognition ${nth} of ${audio}`,
      () => {
        const all = group.all.flatMap((recognizer) =>
          recognizer.recognitionsOf(audio).map((held) => ({ recognizer, held })),
        )
        return all.length === nth && all.find(({ held }) => !held.closed)
      },
      limitMs,
    )
  const shares = () => group.all.map(({ pending: held }) => held.filter(({ closed }) => !closed).length)
  const begun = async (id: string, held: PendingRecognition) => {
    held.progress(1, 10)
    await waitUntil('it is known to be begun', async () => (await read(id)).durationSeconds === 10)
  }
  const address = ({ url }: ScriptedRecognizer) => new URL(url).host

  it('each recognizer gets TRANSCRIPTION_CONCURRENCY calls at once and no more', async () => {
    await start(3)
    await insertQueuedRecordings(app, 10)
    await waitUntil('each has its share', () => shares().join() === '2,2,2')
    expect((await app.ida.get('/v1/queue')).json).to.include({ running: 6, waiting: 4 })
    for (const recognizer of group.all) {
      recognizer.answer = (recognition) => recognition.finish()
      for (const held of recognizer.pending) held.finish()
    }
    await waitUntil('all are done', async () => (await app.ida.get('/v1/recordings?status=DONE')).json.total === 10)
    expect(group.all.flatMap(({ pending: held }) => held)).to.have.length(10)
  })

  it('a call goes to a recognizer with a free slot, otherwise it stays QUEUED', async () => {
    await start(3)
    for (const busy of group.all.slice(0, 2)) busy.queue = { running: 2, waiting: 0, places: 2 }
    group.all[2]!.queue = { running: 0, waiting: 0, places: 2 }
    await pollAgain()
    expect((await system()).asr.recognizers[0]).to.deep.include({ places: 2, running: 2, waiting: 0 })
    for (const audio of ['one', 'two']) await upload(audio)
    await waitUntil('both are at the free one', () => shares().join() === '0,0,2')
    const id = await upload('three')
    const { stateRequests: asked } = group.all[0]!
    await waitUntil('they were asked again', () => group.all[0]!.stateRequests > asked + 1)
    expect(shares()).to.deep.equal([0, 0, 2])
    expect((await read(id)).status).to.equal('QUEUED')
    group.all[1]!.queue = { running: 1, waiting: 0, places: 2 }
    expect((await waitForRecognition('three')).recognizer).to.equal(group.all[1])
  })

  it('if a recognizer crashes, another one takes its call without counting the attempt', async () => {
    await start(3)
    const ids = [await upload('a'), await upload('b'), await upload('c')]
    await waitUntil('each has one', () => shares().join() === '1,1,1')
    const first = await waitForRecognition('a')
    await begun(ids[0]!, first.held)
    await first.recognizer.stop()
    const second = await waitForRecognition('a', 2)
    expect(await read(ids[0]!)).to.include({ status: 'PROCESSING', attempts: 1 })
    second.held.finish()
    expect(await waitForStatus(ids[0]!, 'DONE')).to.include({ attempts: 1 })
    expect(await states()).to.have.members(['down', 'ready', 'ready'])
    const { warnings, asr } = await system()
    expect(asr.status).to.equal('ready')
    expect(warnings).to.deep.equal([
      `Recognizers not working: ${address(first.recognizer)} (down). The others transcribe their calls.`,
    ])
  })

  it('a second recognizer crash during the same call counts an attempt', async () => {
    await start(3)
    const id = await upload('poison')
    const first = await waitForRecognition('poison')
    await begun(id, first.held)
    await first.recognizer.stop()
    const second = await waitForRecognition('poison', 2)
    second.held.progress(2, 20)
    await waitUntil('it is known to be begun', async () => (await read(id)).durationSeconds === 20)
    await second.recognizer.stop()
    expect(await waitForStatus(id, 'QUEUED')).to.include({ attempts: 1 })
    const row = async () =>
      (await app.db.query('SELECT last_error, recognizer_deaths FROM recordings WHERE id = $1', [id])).rows[0]
    expect(await row()).to.include({ last_error: `The recognizer at ${address(second.recognizer)} stopped` })
    // A retry by a person resets the count, so the first crash costs no attempt again.
    await app.ida.post(`/v1/recordings/${id}/cancel`)
    await app.ida.post(`/v1/recordings/${id}/retry`)
    expect(await row()).to.include({ recognizer_deaths: null })
  })

  it('a broken connection to a live recognizer counts an attempt', async () => {
    await start(2)
    const id = await upload('broken')
    const { held } = await waitForRecognition('broken')
    await begun(id, held)
    held.disconnect()
    expect(await waitForStatus(id, 'QUEUED')).to.include({ attempts: 1 })
  })

  it('the calls of a draining recognizer go to others without counting the attempts', async () => {
    await start(2)
    const id = await upload('drained')
    const first = await waitForRecognition('drained')
    await begun(id, first.held)
    first.recognizer.status = 'loading'
    first.held.fail('UNAVAILABLE', 'The recognizer is stopping')
    const second = await waitForRecognition('drained', 2)
    expect(second.recognizer).not.to.equal(first.recognizer)
    second.held.finish()
    expect(await waitForStatus(id, 'DONE')).to.include({ attempts: 1 })
  })

  it('a new recognizer gets calls within seconds, even while all slots are taken', async () => {
    await start(1)
    for (const audio of ['long 1', 'long 2', 'next']) await upload(audio)
    await waitUntil('the only one is full', () => shares().join() === '2')
    const newRecognizer = await group.addRecognizer()
    group.reachable.push(newRecognizer)
    expect((await waitForRecognition('next')).recognizer).to.equal(newRecognizer)
    expect(shares()).to.deep.equal([2, 1])
  })

  it('a recognizer removed from the name gets no new calls and finishes its calls', async () => {
    await start(2)
    const ids = [await upload('left 1'), await upload('left 2')]
    await waitUntil('each has one', () => shares().join() === '1,1')
    const leaving = (await waitForRecognition('left 1')).recognizer
    const staying = group.all.find((one) => one !== leaving)!
    group.reachable = [staying]
    await waitUntil('it drains', async () => (await states()).includes('draining'))
    const after = [await upload('after 1'), await upload('after 2')]
    await waitUntil('the other has its share', () => staying.pending.length === 2)
    expect((await app.ida.get('/v1/queue')).json).to.include({ running: 3, waiting: 1 })
    leaving.pending[0]!.finish()
    expect(await waitForStatus(ids[0]!, 'DONE')).to.include({ attempts: 1 })
    expect(leaving.pending).to.have.length(1)
    await pollAgain()
    expect(await states()).to.deep.equal(['ready'])
    expect((await read(after[1]!)).status).to.equal('QUEUED')
  })

  it('if the name cannot be resolved, the known recognizers still get calls', async () => {
    await start(2)
    expect(await states()).to.deep.equal(['ready', 'ready'])
    group.isNameServiceAway = true
    expect(await states()).to.deep.equal(['ready', 'ready'])
    await upload('meanwhile')
    await waitForRecognition('meanwhile')
  })

  it('/readyz is ready while one recognizer is; /v1/system and the metrics show all', async () => {
    await start(3)
    const [first, second, third] = group.all
    await second!.stop()
    third!.status = 'loading'
    await pollAgain()
    const { asr } = await system()
    expect(asr).to.include({ status: 'ready', model: 'scripted', decoder: 'greedy' })
    const scripted = { model: 'scripted', version: '1', decoder: 'greedy', precision: 'none' }
    const unknown = { model: null, version: null, decoder: null, precision: null }
    const otherFields = { places: 2, running: null, waiting: null }
    expect(asr.recognizers).to.deep.equal([
      { address: address(first!), status: 'ready', ...scripted, ...otherFields },
      { address: address(second!), status: 'down', ...unknown, ...otherFields },
      { address: address(third!), status: 'loading', ...scripted, ...otherFields },
    ])
    expect((await app.ida.get('/readyz')).json).to.include({ status: 'ready', asr: 'up' })
    first!.queue = { running: 1, waiting: 3, places: 4 }
    await pollAgain()
    const text = await (await fetch(app.metricsUrl)).text()
    for (const line of [
      `svc_recognizers{state="ready"} 1`,
      `svc_recognizers{state="down"} 1`,
      `svc_recognizers{state="loading"} 1`,
      `svc_recognizer_up{address="${address(first!)}"} 1`,
      `svc_recognizer_up{address="${address(second!)}"} 0`,
      `svc_recognizer_places{address="${address(first!)}"} 4`,
      `svc_recognizer_load{address="${address(first!)}",state="waiting"} 3`,
      `svc_up{part="asr"} 1`,
    ]) {
      expect(text.split('\n')).to.include(line)
    }
    await first!.stop()
    await pollAgain()
    expect((await app.ida.get('/readyz')).json).to.include({ status: 'degraded', asr: 'down' })
  })

  it('each worker takes few calls at first, so that workers share the free slots', async () => {
    await start(8)
    const workers = Array.from({ length: 6 }, () => new RecognizerPool(app.config, createLogger('silent', 'test')))
    await Promise.all(workers.map((worker) => worker.poll()))
    expect(workers.map(({ slots }) => slots)).to.deep.equal([2, 2, 2, 2, 2, 2])
    const [first] = workers
    const held = [1, 2].map(() => first!.use(() => new Promise(() => undefined)))
    expect(first!.slots, 'what it has').to.equal(2)
    await first!.poll()
    expect(first!.slots, 'and as many again').to.equal(4)
    void held
  })

  it('a worker reuses the slot of a finished call without another poll', async () => {
    await start(8)
    const worker = new RecognizerPool(app.config, createLogger('silent', 'test'))
    await worker.poll()
    const took: string[] = []
    const use = (work: Promise<void>) => worker.use(({ url }) => (took.push(url), work))
    for (let n = 0; n < 5; n++) {
      let end = () => undefined as unknown
      const call = use(new Promise<void>((resolve) => (end = resolve)))
      if (n === 0) void use(new Promise(() => undefined))
      expect(worker.slots, 'both are taken').to.equal(2)
      end()
      await call
      expect(worker.slots, 'one is taken, one is free').to.equal(2)
    }
    const [first, other, ...later] = took
    expect(other).not.to.equal(first)
    expect(new Set(later)).to.deep.equal(new Set([first]))
  })

  it('a worker gives up the calls of a recognizer that stays silent', async () => {
    await start(2)
    const recognizers = new RecognizerPool(app.config, createLogger('silent', 'test'), { lostMs: 500 })
    await recognizers.poll()
    let ended: unknown
    const { signal } = new AbortController()
    const nothing = () => undefined
    const task = {
      audio: Readable.from(['vanishing']),
      decoder: null,
      separateSpeakers: false,
      onProgress: nothing,
      onSegments: nothing,
      signal,
    }
    recognizers
      .use((recognizer) => transcribeWithRecognizer(app.config, recognizer, task))
      .catch((error: unknown) => (ended = error))
    const { recognizer, held } = await waitForRecognition('vanishing')
    held.progress(1, 10)
    recognizer.isSilent = true
    await waitUntil('it is given up', async () => (await recognizers.poll()) && ended)
    expect(ended).to.be.instanceOf(RecognizerCrashedError)
    expect(held.closed || (await waitUntil('its connection is closed', () => held.closed))).to.equal(true)
    const other = group.all.find((one) => one !== recognizer)!
    expect(await recognizers.pickUrl()).to.equal(other.url)
  })
})
