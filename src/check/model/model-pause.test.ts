import { expect } from 'chai'
import { TestModelApp, CORRECT_CRITERION_ANSWERS } from '../../test/model-app.ts'
import { sendCriterionAnswers, sendModelError } from '../../test/scripted-model.ts'
import type { TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('automatic pause of checks', () => {
  const modelApp = new TestModelApp()
  const { model, checkCall: ask, waitForCheck: reached } = modelApp
  let app: TestApp
  before(async () => {
    await modelApp.start()
    app = modelApp.app
  })
  beforeEach(async () => {
    await modelApp.reset()
    await app.db.query('DELETE FROM analyses')
  })
  after(() => modelApp.stop())

  const provider = async () => (await app.olga.get('/v1/analysis/provider')).json
  const queue = async () =>
    (await app.ida.get('/v1/queues')).json.find(({ name }: { name: string }) => name === 'analysis')
  const paused = () =>
    waitUntil('the queue is paused', async () => {
      const { paused, pause } = await queue()
      return paused && pause
    })
  const resumed = () => waitUntil('the queue goes on', async () => !(await queue()).paused)
  const probe = () => app.db.query(`UPDATE paused_queues SET probe_at = now() WHERE name = 'analysis'`)
  /** Makes the model reject the key, and waits until a check has paused the queue. */
  async function pauseByRejection(): Promise<string> {
    model.responder = (_, response) => sendModelError(response, 401)
    const id = await ask()
    await paused()
    return id
  }
  const accept = () => (model.responder = (_, response) => sendCriterionAnswers(response, CORRECT_CRITERION_ANSWERS))

  it('an automatic pause shows its start and reason in the queue, provider and check', async () => {
    const id = await pauseByRejection()
    const { pause } = await queue()
    expect(pause.reason).to.equal('The model rejects the key. Check ANALYSIS_API_KEY')
    expect(Date.parse(pause.retryAt) - Date.parse(pause.since)).to.be.within(3_590_000, 3_610_000)
    expect(await provider()).to.deep.include({ state: 'paused', reason: pause.reason, pause })
    expect((await reached(id, 'queued')).pause).to.deep.equal(pause)
  })

  it('an automatic pause survives a restart and ends at a restart with another key', async () => {
    const id = await pauseByRejection()
    accept()
    await app.restart()
    expect((await queue()).paused).to.equal(true)
    await app.restart({ ANALYSIS_API_KEY: 'another secret' })
    expect(await queue()).to.include({ paused: false, pause: null })
    await reached(id, 'done')
  })

  it('an automatic pause ends at a start with another provider, which then checks calls', async () => {
    const id = await pauseByRejection()
    await app.restart({ ANALYSIS_PROVIDER: 'rules' })
    expect(await provider()).to.deep.include({ state: 'on', reason: null, pause: null })
    await reached(id, 'done')
    await app.restart({ ANALYSIS_PROVIDER: 'llm-compatible' })
  })

  it('an automatic pause for a rejected address ends once private addresses are allowed', async () => {
    await app.restart({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: false })
    const id = await ask()
    expect((await paused()).reason).to.match(/^The model cannot be reached/)
    await app.restart({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
    await reached(id, 'done')
  })

  it('an automatic pause probes one job an hour, and ends with the first response', async () => {
    const ids = [await pauseByRejection(), await ask(), await ask()]
    const { since } = (await queue()).pause
    const questions = model.requests.length
    await probe()
    await waitUntil('the model is asked once more', () => model.requests.length > questions)
    await waitUntil('the next attempt is an hour away', async () => {
      const { retryAt } = (await paused()) as { retryAt: string }
      return Date.parse(retryAt) - Date.now() > 3_500_000 && (await queue()).active === 0
    })
    expect(model.requests.length).to.equal(questions + 1)
    expect((await queue()).pause.since, 'it is the same pause').to.equal(since)
    accept()
    await app.restart() // otherwise, its worker pauses for ten seconds
    await probe()
    await resumed()
    for (const id of ids) await reached(id, 'done')
  })

  it('an automatic pause continues after a call without a model request: the next call probes', async () => {
    const id = await pauseByRejection()
    accept()
    const other = await ask('')
    await app.db.query('UPDATE analyses SET priority = 10 WHERE recording_id = $1', [other])
    await app.db.query('DELETE FROM transcripts WHERE recording_id = $1', [other])
    await app.restart()
    const questions = model.requests.length
    await probe()
    await reached(other, 'skipped')
    await reached(id, 'done')
    expect(model.requests.length).to.equal(questions + 1)
  })

  it('POST pause makes an automatic pause manual, and only POST resume ends it', async () => {
    const id = await pauseByRejection()
    accept()
    const { json } = await app.olga.post('/v1/queues/analysis/pause')
    expect(json.pause).to.deep.include({ reason: null, retryAt: null })
    await app.restart({ ANALYSIS_API_KEY: 'a third secret' })
    await probe()
    expect(await provider()).to.deep.include({ state: 'paused', reason: null })
    expect((await app.olga.post('/v1/queues/analysis/resume')).json).to.include({ paused: false, pause: null })
    await reached(id, 'done')
  })

  it('an automatic pause by a process with another configuration has no effect', async () => {
    await pauseByRejection()
    accept()
    await app.db.query(`UPDATE paused_queues SET cause = 'of another process'`)
    await reached(await ask(), 'done')
    expect((await queue()).paused).to.equal(false)
  })
})
