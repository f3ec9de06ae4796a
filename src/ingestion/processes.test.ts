import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { ServiceProcess } from '../test/process.ts'
import { ScriptedRecognizer } from '../test/recognizer.ts'
import { startTestApp } from '../test/server.ts'
import { until } from '../test/wait.ts'

describe('ingestion by several processes', () => {
  it('two that work side by side take in and transcribe each of 30 files once', async () => {
    const recognizer = await new ScriptedRecognizer().start()
    recognizer.answer = (recognition) => recognition.finish(recognition.audio.toString())
    const app = await startTestApp({ API_RUN_MODE: 'api', INGESTION_SOURCE: 'local-inbox', asrUrl: recognizer.url })
    const workers = [1, 2].map(
      () => new ServiceProcess('api', { ...app.config, API_RUN_MODE: 'worker', LOG_LEVEL: 'info' }),
    )
    try {
      await Promise.all(workers.map((worker) => worker.ready()))
      const folder = join(app.config.audioDir, 'inbox')
      await mkdir(folder)
      for (let n = 0; n < 30; n++) {
        await writeFile(join(folder, `${n}.json`), JSON.stringify({ externalCallId: `${n}` }))
        await writeFile(join(folder, `${n}.wav`), `call ${n}`)
      }
      await until('all are done', async () => {
        await app.db.query(`UPDATE ingestion_runs SET due_at = now() WHERE due_at > now() + interval '2 s'`)
        return (await app.ida.get('/v1/recordings?pageSize=1')).json.total === 30 && recognizer.held.length >= 30
      })
      expect(new Set(recognizer.held.map(({ audio }) => audio.toString())).size).to.equal(30)
      await until('all are transcribed', async () => {
        const { rowCount } = await app.db.query(`SELECT FROM recordings WHERE status = 'DONE' AND source = 'inbox'`)
        return rowCount === 30
      })
      expect(recognizer.held).to.have.length(30)
      const taken = workers.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'taken in'))
      expect(taken).to.have.length(30)
      expect(workers.flatMap(({ lines }) => lines.filter(({ level }) => level !== 'info'))).to.deep.equal([])
    } finally {
      for (const worker of workers) await worker.end()
      await app.stop()
      await recognizer.stop()
    }
  })
})
