import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('POST /v1/recordings with idle workers', () => {
  it('the response to an upload says QUEUED, even if a worker claims it at once', async () => {
    const recognizer = await new ScriptedRecognizer().start()
    recognizer.answer = (recognition) => recognition.finish('hello')
    const app = await startTestApp({ asrUrl: recognizer.url, TRANSCRIPTION_CONCURRENCY: 2 })
    try {
      const responses = []
      for (let n = 0; n < 5; n++) {
        responses.push(...(await Promise.all(Array.from({ length: 10 }, () => app.ida.upload('x')))))
      }
      for (const { status, json } of responses) {
        expect(status).to.equal(201)
        expect(json).to.include({ status: 'QUEUED', attempts: 0, startedAt: null })
        expect(json.progress).to.include({ stage: 'queued', percent: 0 })
        expect(json.progress.position).to.be.at.least(1)
      }
      await waitUntil('all are done', async () => (await app.ida.get('/v1/recordings?status=DONE')).json.total === 50)
    } finally {
      await app.stop()
      await recognizer.stop()
    }
  })
})
