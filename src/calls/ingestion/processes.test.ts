import { randomInt } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { TestWatchedFolder } from '../../test/watched-folder.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('ingestion in several processes', () => {
  let recognizer: ScriptedRecognizer
  let app: TestApp
  let workers: ServiceProcess[]
  before(async () => {
    recognizer = await new ScriptedRecognizer().start()
    recognizer.answer = (recognition) => recognition.finish(recognition.audio.toString())
    app = await startTestApp({ API_RUN_MODE: 'api', INGESTION_SOURCE: 'local-inbox', asrUrl: recognizer.url })
    workers = [1, 2].map(() => new ServiceProcess('api', { ...app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' }))
    await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  })
  after(async () => {
    for (const worker of workers) await worker.stop()
    await app.stop()
    await recognizer.stop()
  })

  const lookSoon = () => app.db.query(`UPDATE ingestion_runs SET due_at = now() WHERE due_at > now() + interval '2 s'`)
  const complaints = () => workers.flatMap(({ lines }) => lines.filter(({ level }) => level !== 'info'))

  it('two workers register and transcribe each of 30 files once', async () => {
    const folder = join(app.config.audioDir, 'inbox')
    await mkdir(folder)
    for (let n = 0; n < 30; n++) {
      await writeFile(join(folder, `${n}.json`), JSON.stringify({ externalCallId: `${n}` }))
      await writeFile(join(folder, `${n}.wav`), `call ${n}`)
    }
    await waitUntil('all are done', async () => {
      await lookSoon()
      return (await app.ida.get('/v1/recordings?pageSize=1')).json.total === 30 && recognizer.pending.length >= 30
    })
    expect(new Set(recognizer.pending.map(({ audio }) => audio.toString())).size).to.equal(30)
    await waitUntil('all are transcribed', async () => {
      const { rowCount } = await app.db.query(`SELECT FROM recordings WHERE status = 'DONE' AND source = 'inbox'`)
      return rowCount === 30
    })
    expect(recognizer.pending).to.have.length(30)
    const ingestedLines = () => workers.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'ingested'))
    await waitUntil('each is told of', () => ingestedLines().length >= 30)
    expect(ingestedLines()).to.have.length(30)
    await waitUntil('the last run has ended', async () => (await app.ida.get('/v1/ingestion')).json.registered === 30)
    expect(complaints()).to.deep.equal([])
  })

  it('ingestion skips a path that is too long for an index', async () => {
    // Random letters, because Postgres compresses index entries and repeated letters would fit.
    const name = () => String.fromCharCode(...Array.from({ length: 80 }, () => randomInt(0x4e00, 0x9fa5)))
    const long = `${Array.from({ length: 12 }, name).join('/')}/a.wav`
    const inbox = new TestWatchedFolder(app.config.audioDir, 'inbox/')
    const before = (await app.ida.get('/v1/ingestion')).json.registered as number
    await inbox.writeFile(long, 'x')
    await inbox.writeFile('beside.wav', 'x')
    const state = await waitUntil('what lies beside it is taken in', async () => {
      await lookSoon()
      expect(complaints()).to.deep.equal([])
      const { json } = await app.ida.get('/v1/ingestion')
      return json.registered > before && json
    })
    expect(state).to.include({ found: before + 1, registered: before + 1, failed: 0, lastError: null })
    const named = await app.ida.post('/v1/recordings/from-storage', { storageKey: `inbox/${long}` })
    expect(named.status).to.equal(404)
  })
})
