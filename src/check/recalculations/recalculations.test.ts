import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import type { TestClient } from '../../test/client.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { sendCriterionAnswers, sendModelError, ScriptedModel } from '../../test/scripted-model.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { AnalysisRunJson } from './schema.ts'

const PERIOD = { from: '2026-03-01', to: '2026-04-01' }

describe('rechecks', () => {
  let app: TestApp
  let cast: TestPeople
  let setId: string
  let calls: string[]
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    setId = await createPublishedRuleSet(app.olga, 'manners')
    calls = await insertCalls(
      app,
      ['Max', 'Max', 'Otto'].map((manager) => ({ manager, at: '2026-03-02T10:00:00Z', text: 'Добрый день' })),
    )
    await insertCalls(app, [{ at: '2026-05-02T10:00:00Z' }, { at: '2026-03-02T10:00:00Z', status: 'FAILED' }])
  })
  after(() => app.stop())

  const run = (id: string, act = '') => `/v1/analysis-runs/${id}${act}`
  const reached = (id: string, state: string) =>
    waitUntil(`the recheck is ${state}`, async () => {
      const found: AnalysisRunJson = (await app.olga.get(run(id))).json
      return found.state === state && found
    })

  it('a recheck checks all transcribed calls of its period after its confirmation', async () => {
    const made = await app.olga.post('/v1/analysis-runs', PERIOD)
    expect(made.status).to.equal(201)
    expect(made.headers.get('location')).to.equal(run(made.json.id))
    expect(made.json).to.deep.include({ state: 'estimated', confirmedAt: null })
    expect(made.json.estimate).to.include({ calls: 3, cost: null })
    expect((await app.db.query('SELECT FROM analyses')).rowCount).to.equal(0)
    expect((await app.olga.post(run(made.json.id, '/confirm'))).json.state).to.equal('running')
    const done = await reached(made.json.id, 'done')
    expect(done.progress).to.deep.equal({ queued: 3, waiting: 0, done: 3, skipped: 0, failed: 0 })
    expect((await app.olga.post(run(made.json.id, '/confirm'))).status).to.equal(409)
    expect((await app.olga.post(run(made.json.id, '/cancel'))).status).to.equal(409)
    const { rows } = await app.db.query('SELECT DISTINCT priority FROM analyses')
    expect(rows, 'after all others').to.deep.equal([{ priority: 0 }])
  })

  it('a recheck keeps the results of older versions', async () => {
    await app.olga.put(`/v1/rule-sets/${setId}/draft`, {
      rules: MANNERS_RULES.map((rule) => ({ ...rule, any: { ru: ['салют'] } })),
    })
    await app.olga.post(`/v1/rule-sets/${setId}/publish`, { revision: 1 })
    const { json } = await app.olga.post('/v1/analysis-runs', { ...PERIOD, ruleSetId: setId })
    await app.olga.post(run(json.id, '/confirm'))
    await reached(json.id, 'done')
    const analysis = async (query = '') =>
      (await app.olga.get(`/v1/recordings/${calls[0]}/analysis${query}`)).json.score
    expect([await analysis(), await analysis('?version=1')]).to.deep.equal([0, 60])
  })

  /** Starts a recheck while the queue of checks is paused, and waits until its checks are queued. */
  async function startPausedRecalculation(who: Pick<TestClient, 'post'> = app.olga, checks = 3): Promise<string> {
    const { json } = await who.post('/v1/analysis-runs', PERIOD)
    await who.post(run(json.id, '/confirm'))
    await waitUntil('its checks wait', async () => (await app.olga.get(run(json.id))).json.progress.waiting === checks)
    return json.id
  }

  it('stopping a recheck cancels its queued checks', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const id = await startPausedRecalculation()
    const cancelled = (await app.olga.post(run(id, '/cancel'))).json
    expect(cancelled).to.deep.include({ state: 'cancelled' })
    expect(cancelled.progress.waiting).to.equal(0)
    await app.olga.post('/v1/queues/analysis/resume')
    // The lowest priority makes this check run last. When it is done, the cancelled ones would have run.
    await app.db.query('INSERT INTO analyses (id, recording_id, priority) VALUES (gen_random_uuid(), $1, -1)', [
      calls[0],
    ])
    await waitUntil(
      'the last is checked',
      async () => (await app.db.query(`SELECT FROM analyses WHERE priority = -1 AND status = 'DONE'`)).rowCount === 1,
    )
    const { rows } = await app.db.query('SELECT DISTINCT status FROM analyses WHERE run_id = $1', [id])
    expect(rows).to.deep.equal([{ status: 'CANCELLED' }])
    expect((await app.olga.get(run(id))).json.progress).to.include({ done: 0, skipped: 0, failed: 0 })
  })

  it('two rechecks share queued checks, so no call is checked twice', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const before = (await app.db.query('SELECT FROM analyses')).rowCount!
    const [first, second] = [await startPausedRecalculation(), await startPausedRecalculation()]
    expect((await app.db.query('SELECT FROM analyses')).rowCount).to.equal(before + 3)
    await app.olga.post('/v1/queues/analysis/resume')
    for (const id of [first, second])
      expect((await reached(id, 'done')).progress).to.include({ queued: 3, done: 3, waiting: 0 })
  })

  it('stopping a recheck keeps the checks that it shares with another', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const owners = await startPausedRecalculation()
    const heads = await startPausedRecalculation(cast.hanna, 2)
    const { progress } = (await cast.hanna.post(run(heads, '/cancel'))).json
    expect(progress).to.include({ queued: 0, waiting: 0 })
    expect((await app.olga.get(run(owners))).json.progress.waiting).to.equal(3)
    await app.olga.post('/v1/queues/analysis/resume')
    expect((await reached(owners, 'done')).progress).to.include({ queued: 3, done: 3 })
  })

  it('shared checks are cancelled once all rechecks that requested them are stopped', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const ids = [await startPausedRecalculation(), await startPausedRecalculation()]
    for (const id of ids) await app.olga.post(run(id, '/cancel'))
    const { rowCount } = await app.db.query(`SELECT FROM analyses WHERE status = 'QUEUED'`)
    expect(rowCount).to.equal(0)
    await app.olga.post('/v1/queues/analysis/resume')
  })

  it('a stopped recheck keeps checks that were already queued', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    await app.olga.post(`/v1/recordings/${calls[0]}/analysis/rerun`)
    const id = await startPausedRecalculation()
    const { rows } = await app.db.query(`SELECT recording_id AS id FROM analyses WHERE status = 'QUEUED'`)
    expect(rows.map((row) => row.id)).to.have.members(calls)
    await app.olga.post(run(id, '/cancel'))
    const left = await app.db.query(`SELECT recording_id AS id FROM analyses WHERE status = 'QUEUED'`)
    expect(left.rows).to.deep.equal([{ id: calls[0] }])
    await app.olga.post('/v1/queues/analysis/resume')
  })

  it('a stopped recheck keeps checks that a person requested meanwhile', async () => {
    await app.olga.post('/v1/queues/analysis/pause')
    const id = await startPausedRecalculation()
    await app.olga.post(`/v1/recordings/${calls[0]}/analysis/rerun`)
    await app.olga.post(run(id, '/cancel'))
    await app.olga.post('/v1/queues/analysis/resume')
    await waitUntil('it is checked', async () => {
      const { rows } = await app.db.query(`SELECT status FROM analyses WHERE priority = 8 AND recording_id = $1`, [
        calls[0],
      ])
      return rows[0].status === 'DONE'
    })
  })

  it('a head’s recheck covers the calls that they see; other heads cannot read it', async () => {
    const { total } = (await cast.hanna.get('/v1/analysis-runs')).json
    const mine = (await cast.hanna.post('/v1/analysis-runs', PERIOD)).json
    expect(mine.estimate.calls).to.equal(2)
    const others = (await app.olga.post('/v1/analysis-runs', PERIOD)).json
    expect((await cast.hanna.get(run(others.id))).status).to.equal(404)
    expect((await cast.hanna.post(run(others.id, '/confirm'))).status).to.equal(404)
    expect((await cast.hanna.get('/v1/analysis-runs')).json.total).to.equal(total + 1)
    expect((await app.olga.get('/v1/analysis-runs')).json.items[0].id).to.equal(others.id)
    await cast.hanna.post(run(mine.id, '/confirm'))
    expect((await reached(mine.id, 'done')).progress.queued).to.equal(2)
  })

  it('a recheck of an invalid period or unknown set is rejected', async () => {
    const wrong = await app.olga.post('/v1/analysis-runs', { from: 'now', to: '2026-01-01' })
    expect(wrong.json.message[0]).to.match(/^from must be/)
    const backwards = await app.olga.post('/v1/analysis-runs', { from: '2026-02-01', to: '2026-01-01' })
    expect(backwards.json.message).to.deep.equal(['to must be after the start of the period'])
    expect((await app.olga.post('/v1/analysis-runs', { ...PERIOD, ruleSetId: calls[0] })).status).to.equal(404)
  })
})

describe('rechecks with a model', () => {
  let app: TestApp
  const model = new ScriptedModel()
  before(async () => {
    await model.start()
    app = await startTestApp({ ...model.settings, ANALYSIS_CONCURRENCY: 1 })
    await createPublishedRuleSet(app.olga, 'manners')
    await insertCalls(app, [{ manager: 'Max', at: '2026-03-02T10:00:00Z', text: 'Добрый день' }])
  })
  after(async () => {
    await app.stop()
    await model.stop()
  })

  it('stopping a recheck cancels running checks, which are not retried', async () => {
    let fail = () => undefined as void
    model.responder = (_, response) => void (fail = () => sendModelError(response, 503))
    const { json } = await app.olga.post('/v1/analysis-runs', PERIOD)
    await app.olga.post(`/v1/analysis-runs/${json.id}/confirm`)
    await waitUntil('the model is asked', () => model.requests.length === 1)
    const { state, progress } = (await app.olga.post(`/v1/analysis-runs/${json.id}/cancel`)).json
    expect([state, progress.waiting]).to.deep.equal(['cancelled', 0])
    fail()
    await waitUntil(
      'the failure is in the ledger',
      async () => (await app.db.query(`SELECT FROM model_requests WHERE state = 'failed'`)).rowCount === 1,
    )
    const { rows } = await app.db.query('SELECT status, attempt_token AS token FROM analyses')
    expect(rows).to.deep.equal([{ status: 'CANCELLED', token: null }])
  })

  it('checks of a stopped recheck send no further model requests', async () => {
    await app.db.query('DELETE FROM analyses')
    model.requests.length = 0
    let finish = () => undefined as void
    // The incomplete reply makes a check send another request, unless it was cancelled.
    model.responder = (_, response) => void (finish = () => sendCriterionAnswers(response, []))
    const { json } = await app.olga.post('/v1/analysis-runs', PERIOD)
    await app.olga.post(`/v1/analysis-runs/${json.id}/confirm`)
    await waitUntil('the model is asked', () => model.requests.length === 1)
    await app.olga.post(`/v1/analysis-runs/${json.id}/cancel`)
    finish()
    // The worker of the cancelled check is free again and claims the next check.
    const [next] = await insertCalls(app, [{ manager: 'Max', at: '2026-05-02T10:00:00Z', text: 'Всего доброго' }])
    await app.olga.post(`/v1/recordings/${next}/analysis/rerun`)
    await waitUntil('the next call is asked about', () => model.requests.length > 1)
    expect(model.requests[1]!.transcript).to.contain('Всего доброго')
    const { rows } = await app.db.query('SELECT purpose FROM model_requests WHERE recording_id <> $1', [next])
    expect(rows.filter(({ purpose }) => purpose === 'repair')).to.deep.equal([])
  })
})
