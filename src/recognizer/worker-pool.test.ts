import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { waitUntil } from '../test/wait.ts'
import { createLogger } from '../platform/lib/log.ts'
import type { RecognitionError, RecognitionTask } from './contract.ts'
import { RecognizerWorkerPool } from './worker-pool.ts'

/** A worker that does what the file name requests. "say" ends the hanging files of its worker with their number as text. */
const WORKER_SOURCE = `
import { parentPort as port, threadId } from 'node:worker_threads'
const hanging = new Map()
const end = (id, text) => port.postMessage({ type: 'result', id, transcript: { text }, durationSeconds: 1 })
port.on('message', ({ type, id, file }) => {
  if (type === 'abort') return hanging.delete(id) && port.postMessage({ type: 'aborted', id })
  if (file === 'exit') process.exit(3)
  if (file === 'throw') throw new Error('broken')
  if (file === 'hang') return hanging.set(id)
  if (file === 'say') {
    for (const other of hanging.keys()) end(other, threadId + ' had ' + hanging.size)
    hanging.clear()
    return end(id, 'said')
  }
  end(id, file)
})
port.postMessage({ type: 'ready' })
`

describe('pool of recognizer workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asr-test-'))
  const file = join(folder, 'worker.mjs')
  let pool: RecognizerWorkerPool
  before(async () => {
    writeFileSync(file, WORKER_SOURCE)
    pool = new RecognizerWorkerPool(() => new Worker(file), createLogger('silent', 'test'))
    await pool.start(1)
  })
  after(async () => {
    await pool.close()
    rmSync(folder, { recursive: true })
  })

  const run = (name: string, signal = new AbortController().signal) =>
    pool.run({ file: name, decoder: 'greedy' } satisfies RecognitionTask, () => undefined, signal)
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: RecognitionError) => error,
    )

  for (const end of ['exit', 'throw']) {
    it(`the pool replaces a dead worker (${end}), fails its file and continues with waiting files`, async () => {
      const dying = failure(run(end))
      const next = run('next')
      expect((await dying)?.code).to.equal('INTERNAL')
      expect((await next).transcript.text).to.equal('next')
      expect(pool.status).to.equal('ready')
    })
  }

  it('the next waiting file gets the slot of an aborted file', async () => {
    const abort = new AbortController()
    const hanging = failure(run('hang', abort.signal))
    const next = run('next')
    expect(pool.queue).to.deep.equal({ running: 1, waiting: 1 })
    abort.abort()
    expect(await hanging).to.equal(abort.signal.reason)
    expect((await next).transcript.text).to.equal('next')
  })

  describe('two workers with five files', () => {
    let shared: RecognizerWorkerPool
    before(async () => {
      shared = new RecognizerWorkerPool(() => new Worker(file), createLogger('silent', 'test'))
      await shared.start(5, 2)
    })
    after(() => shared.close())

    const ask = (name: string, signal = new AbortController().signal) =>
      shared.run({ file: name, decoder: 'greedy' }, () => undefined, signal)

    it('a file goes to the worker with the fewest files, within the limit', async () => {
      // These files fill all slots. The sixth file waits and gets the first free slot.
      const aborts = Array.from({ length: 5 }, () => new AbortController())
      const running = aborts.map(({ signal }) => failure(ask('hang', signal)))
      const sixth = ask('sixth')
      expect(shared.queue).to.deep.equal({ running: 5, waiting: 1 })
      aborts[3]!.abort()
      expect((await sixth).transcript.text).to.equal('sixth')
      expect(shared.queue).to.deep.equal({ running: 4, waiting: 0 })
      for (const abort of aborts) abort.abort()
      await Promise.all(running)
      const [one, two] = [ask('hang'), ask('hang')]
      await Promise.all([ask('say'), ask('say')])
      const said = [(await one).transcript.text, (await two).transcript.text]
      expect(new Set(said).size).to.equal(2)
      for (const text of said) expect(text).to.match(/ had 1$/)
    })

    it('aborting a file does not affect other files of the same worker', async () => {
      const abort = new AbortController()
      const [gone, , other] = [failure(ask('hang', abort.signal)), ask('hang'), ask('hang')]
      abort.abort()
      expect(await gone).to.equal(abort.signal.reason)
      expect(shared.queue).to.deep.equal({ running: 2, waiting: 0 })
      await Promise.all([ask('say'), ask('say')])
      expect((await other).transcript.text).to.match(/ had 1$/)
    })

    it('if a worker dies, all its files fail and no others', async () => {
      const abort = new AbortController()
      const ends = Array.from({ length: 4 }, () => failure(ask('hang', abort.signal)))
      expect((await failure(ask('exit')))?.code).to.equal('INTERNAL')
      expect([(await ends[0])?.code, (await ends[2])?.code]).to.deep.equal(['INTERNAL', 'INTERNAL'])
      expect(shared.queue).to.deep.equal({ running: 2, waiting: 0 })
      abort.abort()
      expect([await ends[1], await ends[3]]).to.deep.equal([abort.signal.reason, abort.signal.reason])
    })
  })

  it('waiting files fail with UNAVAILABLE if no worker can start', async () => {
    const breaking = join(folder, 'breaking.mjs')
    writeFileSync(breaking, WORKER_SOURCE)
    const failing = new RecognizerWorkerPool(() => new Worker(breaking), createLogger('silent', 'test'))
    await failing.start(1)
    const ask = (name: string) =>
      failing.run({ file: name, decoder: 'greedy' }, () => undefined, new AbortController().signal)
    const lost = failure(ask('exit'))
    const waiting = failure(ask('waits'))
    writeFileSync(breaking, `throw new Error('no model any more')`)
    expect([(await lost)?.code, (await waiting)?.code]).to.deep.equal(['INTERNAL', 'UNAVAILABLE'])
    expect(failing.status).to.equal('failed')
    expect((await failure(ask('later')))?.code).to.equal('UNAVAILABLE')
    writeFileSync(breaking, WORKER_SOURCE)
    await waitUntil('the pool is ready', () => failing.status === 'ready')
    expect((await ask('again')).transcript.text).to.equal('again')
    await failing.close()
  })

  it('the pool does not start if a worker cannot load its model', async () => {
    const broken = join(folder, 'broken.mjs')
    writeFileSync(broken, `throw new Error('no model here')`)
    const failing = new RecognizerWorkerPool(() => new Worker(broken), createLogger('silent', 'test'))
    expect((await failure(failing.start(2)))?.message).to.equal('no model here')
  })

  it('closing the pool fails all running and waiting files with UNAVAILABLE', async () => {
    const closing = new RecognizerWorkerPool(() => new Worker(file), createLogger('silent', 'test'))
    await closing.start(2, 1)
    const tasks = ['hang', 'hang', 'waits'].map((name) =>
      failure(closing.run({ file: name, decoder: 'greedy' }, () => undefined, new AbortController().signal)),
    )
    await waitUntil('two files run', () => closing.queue.running === 2)
    await closing.close()
    const codes = (await Promise.all(tasks)).map((error) => error?.code)
    expect(codes).to.deep.equal(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'])
  })
})
