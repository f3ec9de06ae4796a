import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createRuleSet, MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { BacktestJson } from './schema.ts'

const PERIOD = { from: '2026-03-01', to: '2026-04-01' }

describe('trials and backtests of drafts', () => {
  let app: TestApp
  let cast: TestPeople
  let setId: string
  let calls: string[]
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    setId = await createPublishedRuleSet(app.olga, 'manners')
    const lines = [
      ['Добрый день', 'Да', 'До свидания'],
      ['Здравия желаю', 'Да', 'До свидания'],
      ['Добрый день', 'Да', 'Отвали'],
    ]
    calls = await insertCalls(
      app,
      lines.map((_, n) => ({ manager: n === 0 ? 'Otto' : 'Max', at: `2026-03-0${n + 1}T10:00:00Z` })),
    )
    for (const [n, id] of calls.entries()) await replaceTranscript(app, id, makeTurnSegments(...lines[n]!))
  })
  after(() => app.stop())

  const at = (id = setId) => `/v1/rule-sets/${id}`
  /** The draft adds a soldiers' greeting and one more insult, and removes the rule of the farewell. */
  const rules = [
    { ...MANNERS_RULES[0]!, any: { ru: ['добрый день', 'здравия желать'] } },
    { ...MANNERS_RULES[2]!, any: { ru: ['заткнитесь', 'отвали'] } },
  ]
  const draft = async (revision = 0) => (await app.olga.put(`${at()}/draft`, { revision, rules })).json.draft.revision
  const moveFirst = async (id: string) => {
    const [first] = (await app.olga.get('/v1/rule-sets')).json.items
    return app.olga.post(`${at(id)}/move`, { beforeId: first.id })
  }
  async function runBacktest(): Promise<BacktestJson> {
    const { status, json } = await app.olga.post(`${at()}/backtests`, PERIOD)
    expect(status).to.equal(201)
    return waitUntil('the backtest is done', async () => {
      const found: BacktestJson = (await app.olga.get(`/v1/backtests/${json.id}`)).json
      return found.state === 'done' && found
    })
  }

  it('a trial of a draft judges a call and stores nothing', async () => {
    expect((await app.olga.post(`${at()}/draft/try`, { recordingId: calls[1] })).json.message).to.equal(
      'The rule set has no draft',
    )
    await draft()
    const { status, json } = await app.olga.post(`${at()}/draft/try`, { recordingId: calls[1] })
    expect(status).to.equal(200)
    expect(json).to.include({ score: 100, model: null, usage: null, cost: null })
    expect(json.findings.map(({ rule, verdict }: never) => [rule, verdict])).to.deep.equal([
      ['greeting', 'met'],
      ['insults', 'met'],
    ])
    expect(json.findings[0].evidence[0].quote).to.equal('Здравия желаю')
    expect((await app.olga.get(`/v1/recordings/${calls[1]}/analysis`)).json.status).to.equal('none')
    const tried = await app.olga.post(`${at()}/draft/try`, {
      recordingId: calls[1],
      rules: MANNERS_RULES,
      wordsOnly: true,
    })
    expect(tried.json.score, 'by rules that are not stored').to.equal(40)
    const invalid = await app.olga.post(`${at()}/draft/try`, {
      recordingId: calls[1],
      rules: [{ ...rules[0], any: {} }],
    })
    expect([invalid.status, invalid.json.message]).to.deep.equal([400, ['rules[0].any (rule greeting): Add a phrase.']])
    const unseen = await app.olga.post(`${at()}/draft/try`, { recordingId: setId })
    expect(unseen.status).to.equal(404)
  })

  it('an estimate counts calls and words of a period, without tokens if no model judges', async () => {
    const { json } = await app.olga.post(`${at()}/draft/estimate`, PERIOD)
    expect(json).to.deep.include({ calls: 3, inputTokens: null, outputTokens: null, cost: null })
    expect(json.words).to.be.within(5, 30)
    const now = await app.olga.send(`${at()}/draft/estimate`, { method: 'POST' })
    expect(now.json.calls, 'without a body: the last 30 days, which hold no call').to.equal(0)
    const since = await app.olga.post(`${at()}/draft/estimate`, { from: PERIOD.from })
    expect(since.json.calls, 'until now').to.equal(3)
    for (const [to, count] of [
      ['2026-03-02', 2],
      ['2026-03-03', 3],
      ['2026-03-03T10:00:00Z', 2],
    ] as const) {
      const until = await app.olga.post(`${at()}/draft/estimate`, { from: PERIOD.from, to })
      expect(until.json.calls, `a day is included, a time is not: ${to}`).to.equal(count)
    }
    const wrong = await app.olga.post(`${at()}/draft/estimate`, { from: '2026-04-01', to: '2026-03-01' })
    expect([wrong.status, wrong.json.message]).to.deep.equal([400, ['to must be after the start of the period']])
  })

  it('a backtest compares rates, scores, new zeros and agreement of draft and published version', async () => {
    for (const id of calls) await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    const found = await waitUntil('the second call is checked', async () => {
      const { json } = await app.olga.get(`/v1/recordings/${calls[1]}/analysis`)
      return json.status === 'done' && json
    })
    await app.olga.patch(`/v1/recordings/${calls[1]}/analysis/findings/${found.findings[0].id}`, {
      verdict: 'met',
      comment: 'It is a greeting',
    })
    const test = await runBacktest()
    expect(test).to.include({ total: 3, done: 3, skipped: 0, changed: 3 })
    const of = (key: string) => test.rules.find(({ rule }) => rule === key)!
    expect(of('greeting')).to.deep.include({
      oldRate: 66.7,
      newRate: 100,
      judged: 1,
      oldAgreed: 0,
      newAgreed: 1,
    })
    expect(of('farewell').new).to.equal(null)
    expect(of('farewell').name.ru, 'also of rules that the draft has no more').to.equal('Попрощался')
    expect(test.newZeros).to.deep.equal([{ rule: 'insults', name: MANNERS_RULES[2]!.name, calls: 1 }])
    expect(test.warnings).to.deep.equal([{ rule: 'greeting', name: MANNERS_RULES[0]!.name, code: 'alwaysMet' }])
    expect(test.isCurrent).to.equal(true)
    const listed = (await app.olga.get(`${at()}/backtests`)).json
    expect([listed.total, listed.items[0].id, listed.items[0].person.name]).to.deep.equal([1, test.id, 'olga'])
    expect(test.histogram).to.deep.equal({
      old: [0, 0, 0, 0, 1, 0, 1, 0, 0, 1],
      new: [1, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    })
    const { json } = await app.olga.get(`/v1/backtests/${test.id}/calls`)
    expect(json.total).to.equal(3)
    expect(json.items[0]).to.include({ recordingId: calls[1], oldScore: 40, newScore: 100 })
    expect(json.items[0].recording).to.deep.include({ managerName: 'Max', callAt: '2026-03-02T10:00:00.000Z' })
    const [greeting] = json.items[0].changes
    expect(greeting).to.include({ rule: 'greeting', old: 'missed', new: 'met' })
    expect(greeting.newEvidence[0].quote).to.equal('Здравия желаю')
  })

  it('a draft with new zeros in its backtest is published only after their confirmation', async () => {
    const { draft: now } = (await app.olga.get(at())).json
    const refused = await app.olga.post(`${at()}/publish`, { revision: now.revision })
    expect([refused.status, refused.json.message]).to.deep.equal([
      409,
      'These rules would give calls a new score of 0: insults. Confirm them in confirmNewZeros',
    ])
    const meant = await app.olga.post(`${at()}/publish`, { revision: now.revision, confirmNewZeros: ['insults'] })
    expect(meant.json.version).to.equal(2)
    const next = (await app.olga.put(`${at()}/draft`, { rules: MANNERS_RULES })).json.draft
    expect(next.revision, 'as that of the draft before it').to.equal(now.revision)
    const [before] = (await app.olga.get(`${at()}/backtests`)).json.items
    expect(before.isCurrent, 'the draft of now has other rules').to.equal(false)
    const totals = await Promise.all(
      ['current=true', 'current=false', 'state=done&current=false', 'state=failed'].map(
        async (query) => (await app.olga.get(`${at()}/backtests?${query}`)).json.total,
      ),
    )
    expect(totals).to.deep.equal([0, 1, 1, 0])
    expect((await app.olga.post(`${at()}/publish`, { revision: next.revision })).json.version).to.equal(3)
  })

  it('publishing also needs a confirmation of new zeros without a missed critical rule', async () => {
    const { id, draft } = await createRuleSet(app.olga, 'strict', {
      rules: [{ ...MANNERS_RULES[0]!, any: { ru: ['отвали'] } }, MANNERS_RULES[2]!],
    })
    await moveFirst(id)
    const { json } = await app.olga.post(`${at(id)}/backtests`, PERIOD)
    const { newZeros } = await waitUntil('the backtest is done', async () => {
      const found: BacktestJson = (await app.olga.get(`/v1/backtests/${json.id}`)).json
      return found.state === 'done' && found
    })
    expect(newZeros.map(({ rule, calls }) => [rule, calls])).to.deep.equal([['noPoints', 2]])
    expect(newZeros[0]!.name.en).to.match(/^No points/)
    const publish = (more = {}) => app.olga.post(`${at(id)}/publish`, { revision: draft.revision, ...more })
    expect((await publish()).json.message).to.contain('These rules would give calls a new score of 0: noPoints.')
    expect((await publish({ confirmNewZeros: ['insults'] })).status).to.equal(409)
    expect((await publish({ confirmNewZeros: ['noPoints'] })).json.version).to.equal(1)
  })

  it('a backtest lists calls whose score changes without a changed verdict', async () => {
    const id = await createPublishedRuleSet(app.olga, 'stricter')
    await moveFirst(id)
    const stricter = MANNERS_RULES.map((rule) => (rule.key === 'farewell' ? { ...rule, critical: true } : rule))
    expect((await app.olga.put(`${at(id)}/draft`, { rules: stricter })).status).to.equal(200)
    const { json } = await app.olga.post(`${at(id)}/backtests`, PERIOD)
    const { changed } = await waitUntil('the backtest is done', async () => {
      const found: BacktestJson = (await app.olga.get(`/v1/backtests/${json.id}`)).json
      return found.state === 'done' && found
    })
    const { items, total } = (await app.olga.get(`/v1/backtests/${json.id}/calls`)).json
    expect([changed, total]).to.deep.equal([1, 1])
    expect(items[0]).to.deep.include({ recordingId: calls[2], oldScore: 60, newScore: 0, changes: [] })
  })

  it('a backtest stores the number of words at its start', async () => {
    const { id } = await createRuleSet(app.olga, 'words')
    const { json } = await app.olga.post(`${at(id)}/backtests`, PERIOD)
    const words = async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.estimate.words
    await waitUntil('it is done', async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.state === 'done')
    expect(await words())
      .to.equal(json.estimate.words)
      .and.to.be.greaterThan(5)
    const { rows } = await app.db.query('SELECT text FROM transcripts WHERE recording_id = $1', [calls[0]])
    await app.db.query('UPDATE transcripts SET text = $2 WHERE recording_id = $1', [calls[0], 'слово '.repeat(1000)])
    expect(await words()).to.equal(json.estimate.words)
    await app.db.query('UPDATE transcripts SET text = $2 WHERE recording_id = $1', [calls[0], rows[0].text])
  })

  it('a worker resumes a backtest whose process died, and a running backtest can be cancelled', async () => {
    await draft()
    const { json } = await app.olga.post(`${at()}/backtests`, { ...PERIOD, limit: 1 })
    expect(json.total).to.equal(1)
    await waitUntil('it has ended', async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.state === 'done')
    expect((await app.olga.post(`/v1/backtests/${json.id}/cancel`)).status).to.equal(409)
    await app.db.query('DELETE FROM backtest_calls WHERE backtest_id = $1', [json.id])
    await app.db.query(
      `UPDATE backtests SET status = 'PROCESSING', done = 0, finished_at = NULL, attempt_token = gen_random_uuid(),
              lease_until = now() + interval '1 minute' WHERE id = $1`,
      [json.id],
    )
    expect((await app.olga.get(`/v1/backtests/${json.id}`)).json.state).to.equal('running')
    await app.db.query('UPDATE backtests SET lease_until = now() WHERE id = $1', [json.id])
    await waitUntil(
      'another has gone on',
      async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.state === 'done',
    )
    await app.db.query(
      `UPDATE backtests SET status = 'PROCESSING', finished_at = NULL, attempt_token = gen_random_uuid(),
              lease_until = now() + interval '1 minute' WHERE id = $1`,
      [json.id],
    )
    const cancelled = (await app.olga.post(`/v1/backtests/${json.id}/cancel`)).json
    expect(cancelled.state).to.equal('cancelled')
    expect(cancelled.finishedAt).to.be.a('string')
    expect((await app.olga.post(`/v1/backtests/${json.id}/cancel`)).status).to.equal(409)
  })

  it('a backtest fails after its last attempt; the jobs API does not list its queue', async () => {
    const { json } = await app.olga.post(`${at()}/backtests`, { ...PERIOD, limit: 1 })
    await waitUntil('it has ended', async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.state === 'done')
    await app.db.query('DELETE FROM backtest_calls WHERE backtest_id = $1', [json.id])
    await app.db.query(`UPDATE transcripts SET segments = '{}' WHERE recording_id = $1`, [calls[2]])
    await app.db.query(
      `UPDATE backtests SET status = 'QUEUED', done = 0, attempts = 2, finished_at = NULL WHERE id = $1`,
      [json.id],
    )
    await waitUntil(
      'it has failed',
      async () => (await app.olga.get(`/v1/backtests/${json.id}`)).json.state === 'failed',
    )
    const { rows } = await app.db.query('SELECT last_error FROM backtests WHERE id = $1', [json.id])
    expect(rows[0].last_error).to.equal('The service could not check the calls of the test run')
    await replaceTranscript(app, calls[2]!, makeTurnSegments('Добрый день', 'Да', 'Отвали'))
    expect((await app.olga.get('/v1/queues/backtests/jobs')).status).to.equal(404)
    expect(await (await fetch(app.metricsUrl)).text()).to.contain('queue="backtests"')
  })

  it('a backtest selects the newest calls in scope and skips those with too few words', async () => {
    await app.db.query(`UPDATE recordings SET direction = 'OUTBOUND' WHERE id = $1`, [calls[1]])
    const of = async (key: string, applies: object, limit?: number): Promise<BacktestJson> => {
      const { id } = await createRuleSet(app.olga, key, { applies })
      const begun = (await app.olga.post(`${at(id)}/backtests`, { ...PERIOD, ...(limit && { limit }) })).json
      const { json } = await app.olga.post(`${at(id)}/draft/estimate`, PERIOD)
      return waitUntil('the backtest is done', async () => {
        const found = (await app.olga.get(`/v1/backtests/${begun.id}`)).json
        return found.state === 'done' && { ...found, estimated: json.calls }
      })
    }
    // The newest call has no direction, so it must not use up the limit of 1.
    expect(await of('outgoing', { direction: ['OUTBOUND'] }, 1)).to.include({ total: 1, skipped: 0, estimated: 1 })
    expect(await of('unknown', { direction: [null] })).to.include({ total: 2, skipped: 0, estimated: 2 })
    expect(await of('sales', { departmentIds: [cast.sales] })).to.include({ total: 2, skipped: 0, estimated: 2 })
    expect(await of('wordy', { minWords: 5 })).to.include({ total: 3, skipped: 1, estimated: 3 })
  })

  it('a head can backtest only sets of their departments, on the calls that they see', async () => {
    const { hanna, sales } = cast
    expect((await hanna.post(`${at()}/backtests`, PERIOD)).status).to.equal(403)
    const ours = await createRuleSet(hanna, 'ours', { applies: { departmentIds: [sales] } })
    const { status, json } = await hanna.post(`${at(ours.id)}/backtests`, PERIOD)
    expect([status, json.total]).to.deep.equal([201, 2])
    const all = (await app.olga.post(`${at()}/backtests`, PERIOD)).json
    expect((await hanna.get(`/v1/backtests/${all.id}`)).status).to.equal(404)
    expect((await hanna.get(`/v1/backtests/${all.id}/calls`)).status).to.equal(404)
  })
})
