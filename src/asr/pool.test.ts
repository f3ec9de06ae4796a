import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { createLog } from '../lib/log.ts'
import type { RecognitionError, Task } from './contract.ts'
import { Pool } from './pool.ts'
import { until } from './test-support.ts'

/** A worker that does what the name of the file says. */
const WORKER = `
import { parentPort as port } from 'node:worker_threads'
port.on('message', ({ type, file }) => {
  if (type === 'abort') return port.postMessage({ type: 'aborted' })
  if (file === 'exit') process.exit(3)
  if (file === 'throw') throw new Error('broken')
  if (file === 'hang') return
  port.postMessage({ type: 'result', transcript: { text: file }, durationSeconds: 1 })
})
port.postMessage({ type: 'ready' })
`

describe('the pool of workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asr-test-'))
  const file = join(folder, 'worker.mjs')
  let pool: Pool
  before(async () => {
    writeFileSync(file, WORKER)
    pool = new Pool(() => new Worker(file), createLog('silent', 'test'))
    await pool.start(1)
  })
  after(async () => {
    await pool.close()
    rmSync(folder, { recursive: true })
  })

  const run = (name: string, signal = new AbortController().signal) =>
    pool.run({ file: name, decoder: 'greedy' } satisfies Task, () => undefined, signal)
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: RecognitionError) => error,
    )

  for (const end of ['exit', 'throw']) {
    it(`replaces a worker that dies (${end}); its file fails with INTERNAL, those that wait go on`, async () => {
      const dying = failure(run(end))
      const next = run('next')
      expect((await dying)?.code).to.equal('INTERNAL')
      expect((await next).transcript.text).to.equal('next')
      expect(pool.status).to.equal('ready')
    })
  }

  it('gives the slot of an aborted file to the next', async () => {
    const abort = new AbortController()
    const hanging = failure(run('hang', abort.signal))
    const next = run('next')
    expect(pool.queue).to.deep.equal({ running: 1, waiting: 1 })
    abort.abort()
    expect(await hanging).to.equal(abort.signal.reason)
    expect((await next).transcript.text).to.equal('next')
  })

  it('hands back what waits when no worker can be started any more', async () => {
    const breaking = join(folder, 'breaking.mjs')
    writeFileSync(breaking, WORKER)
    const failing = new Pool(() => new Worker(breaking), createLog('silent', 'test'))
    await failing.start(1)
    const ask = (name: string) =>
      failing.run({ file: name, decoder: 'greedy' }, () => undefined, new AbortController().signal)
    const lost = failure(ask('exit'))
    const waiting = failure(ask('waits'))
    writeFileSync(breaking, `throw new Error('no model any more')`)
    expect([(await lost)?.code, (await waiting)?.code]).to.deep.equal(['INTERNAL', 'UNAVAILABLE'])
    expect(failing.status).to.equal('failed')
    expect((await failure(ask('later')))?.code).to.equal('UNAVAILABLE')
    writeFileSync(breaking, WORKER)
    await until(() => failing.status === 'ready')
    expect((await ask('again')).transcript.text).to.equal('again')
    await failing.close()
  })

  it('refuses to start where a worker cannot load its model', async () => {
    const broken = join(folder, 'broken.mjs')
    writeFileSync(broken, `throw new Error('no model here')`)
    const failing = new Pool(() => new Worker(broken), createLog('silent', 'test'))
    expect((await failure(failing.start(2)))?.message).to.equal('no model here')
  })

  it('hands everything back when it is closed', async () => {
    const closing = new Pool(() => new Worker(file), createLog('silent', 'test'))
    await closing.start(1)
    const tasks = ['hang', 'waits'].map((name) =>
      failure(closing.run({ file: name, decoder: 'greedy' }, () => undefined, new AbortController().signal)),
    )
    await until(() => closing.queue.running === 1)
    await closing.close()
    expect((await Promise.all(tasks)).map((error) => error?.code)).to.deep.equal(['UNAVAILABLE', 'UNAVAILABLE'])
  })
})
