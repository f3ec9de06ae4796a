import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

const PERIOD = { from: '2026-03-01', to: '2026-03-31' }
const WORDS = [[[0, 1, 0.9]]]

describe('speaker separation for a period', () => {
  const recognizer = new ScriptedRecognizer()
  let app: TestApp
  before(async () => {
    await recognizer.start()
    app = await startTestApp({ asrUrl: recognizer.url })
  })
  beforeEach(() => app.db.query('DELETE FROM recordings'))
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const path = '/v1/separation-runs'
  const create = async () => (await app.olga.post(path, PERIOD)).json
  const read = async (id: string) => (await app.olga.get(`${path}/${id}`)).json

  /** Uploads calls and waits until they are transcribed with word times. */
  async function createCalls(count: number): Promise<string[]> {
    recognizer.answer = (recognition) =>
      recognition.finish([{ start: 0, end: 1, channel: 0, text: 'да' }], { words: WORDS })
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const { json } = await app.ida.upload(`call ${Math.random()}`, { callStartedAt: '2026-03-05T10:00:00Z' })
      await waitUntil('it is transcribed', async () => (await app.ida.get(json.id && `/v1/recordings/${json.id}`)).json.status === 'DONE') // prettier-ignore
      ids.push(json.id)
    }
    return ids
  }

  const answerVoices = () => {
    const segments = [{ start: 0, end: 1, channel: 0, text: 'да', speaker: 0, speakerConfidence: 0.9 }]
    const result = { type: 'result', segments, words: WORDS, speakers: { method: 'voices', confidence: 0.9 } }
    recognizer.answer = (recognition) => {
      recognition.writeText(`${JSON.stringify(result)}\n`)
      recognition.end()
    }
  }

  it('a confirmed run separates the calls on one channel and reports its progress', async () => {
    await createCalls(2)
    const [stereo] = await insertCalls(app, [{ at: '2026-03-05T10:00:00Z' }, { at: '2026-03-05T10:00:00Z' }])
    await app.db.query(`UPDATE recordings SET speakers = '{"method": "channels"}' WHERE id = $1`, [stereo])
    const run = await create()
    expect([run.state, run.estimate.calls, run.progress.queued]).to.deep.equal(['estimated', 2, 0])
    answerVoices()
    expect((await app.olga.post(`${path}/${run.id}/confirm`)).json.state).to.equal('running')
    expect((await app.olga.post(`${path}/${run.id}/confirm`)).status).to.equal(409)
    const done = await waitUntil('it is done', async () => {
      const now = await read(run.id)
      return now.state === 'done' && now
    })
    expect(done.progress).to.deep.equal({ queued: 2, waiting: 0, done: 2, failed: 0 })
    expect((await create()).estimate.calls, 'they are separated now').to.equal(0)
    expect((await app.olga.post(`${path}/${run.id}/cancel`)).status).to.equal(409)
    const { rows } = await app.db.query(`SELECT action FROM audit WHERE action LIKE 'separation.%' ORDER BY id`)
    expect(rows.map(({ action }) => action).slice(0, 2)).to.deep.equal(['separation.run', 'separation.run-confirm'])
  })

  it('cancelling a run keeps the separation that a person requested', async () => {
    const [asked] = await createCalls(3)
    recognizer.answer = undefined
    await app.olga.post(`/v1/recordings/${asked}/speakers/separate`)
    const run = await create()
    await app.olga.post(`${path}/${run.id}/confirm`)
    await waitUntil('its calls wait', async () => (await read(run.id)).progress.queued === 2)
    const cancelled = (await app.olga.post(`${path}/${run.id}/cancel`)).json
    expect([cancelled.state, cancelled.progress.waiting]).to.deep.equal(['cancelled', 0])
    const { rows } = await app.db.query('SELECT status, id FROM separations ORDER BY id')
    expect(rows.filter(({ status }) => status !== 'CANCELLED').map(({ id }) => id)).to.deep.equal([asked])
  })
})
