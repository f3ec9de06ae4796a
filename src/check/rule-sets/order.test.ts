import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createPublishedRuleSet, createRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('order of rule sets', () => {
  let app: TestApp
  let people: TestPeople
  let ids: Record<'first' | 'second' | 'third' | 'labels', string>
  let calls: string[]
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    people = await createTestPeople(app)
    const publish = (key: string, more = {}) => createPublishedRuleSet(app.olga, key, more)
    ids = {
      first: await publish('first', { applies: { minWords: 2 } }),
      second: await publish('second', { applies: { direction: ['INBOUND'] } }),
      third: await publish('third'),
      labels: await publish('labels', { mode: 'label', rules: [LABEL_RULE] }),
    }
    const now = new Date().toISOString()
    calls = await insertCalls(app, [
      { manager: 'Max', at: now, direction: 'INBOUND' },
      { manager: 'Max', at: now, direction: 'INBOUND' },
      { manager: 'Otto', at: now, direction: 'OUTBOUND' },
    ])
    const texts = [['Good morning'], ['Hello'], ['Goodbye']]
    for (const [n, id] of calls.entries()) await replaceTranscript(app, id, makeTurnSegments(...texts[n]!))
  })
  after(() => app.stop())

  const LABEL_RULE = {
    key: 'price',
    name: { en: 'Price', ru: 'Цена' },
    kind: 'said',
    side: 'client',
    any: { en: ['price'] },
  } as const
  const move = (id: string, beforeId: string | null, client = app.olga) =>
    client.post(`/v1/rule-sets/${id}/move`, { beforeId })
  const listKeys = async (client = app.olga): Promise<string[]> =>
    (await client.get('/v1/rule-sets')).json.items.map(({ key }: { key: string }) => key)
  const fetchReach = async (id: string, client = app.olga) => (await client.get(`/v1/rule-sets/${id}/reach`)).json
  const restoreOrder = async () => {
    for (const id of [ids.first, ids.second, ids.third, ids.labels]) await move(id, null)
  }
  const fetchScoringSet = (call: string) =>
    waitUntil('the call is checked', async () => {
      const { json } = await app.olga.get(`/v1/recordings/${call}/analysis`)
      return json.status === 'done' && json.ruleSet.key
    })

  it('an owner can move a set before another one; the audit log records it', async () => {
    expect(await listKeys()).to.deep.equal(['first', 'second', 'third', 'labels'])
    const { status, json } = await move(ids.third, ids.first)
    expect([status, json.position]).to.deep.equal([200, 1])
    expect(await listKeys()).to.deep.equal(['third', 'first', 'second', 'labels'])
    const entry = (await app.olga.get(`/v1/audit?action=rules.move&object=${ids.third}`)).json.items[0]
    expect(entry.details).to.deep.equal({ before: { position: 3 }, after: { position: 1 } })
    await restoreOrder()
    expect(await listKeys()).to.deep.equal(['first', 'second', 'third', 'labels'])
  })

  it('a new order of sets applies to later checks, not to existing results', async () => {
    await app.olga.post(`/v1/recordings/${calls[0]}/analysis/rerun`)
    expect(await fetchScoringSet(calls[0]!)).to.equal('first')
    await move(ids.third, ids.first)
    expect(await fetchScoringSet(calls[0]!)).to.equal('first')
    await app.olga.post(`/v1/recordings/${calls[2]}/analysis/rerun`)
    expect(await fetchScoringSet(calls[2]!)).to.equal('third')
    await restoreOrder()
  })

  it('two simultaneous moves of rule sets both take effect', async () => {
    const answers = await Promise.all([move(ids.third, ids.first), move(ids.labels, ids.second)])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(await listKeys()).to.deep.equal(['third', 'first', 'labels', 'second'])
    await restoreOrder()
  })

  it('a set cannot move into the other group, and archived sets cannot move', async () => {
    const applies = { departmentIds: [people.sales] }
    const ours = await createPublishedRuleSet(app.olga, 'of-sales', { applies })
    const rejected = await move(ours, ids.first)
    expect([rejected.status, rejected.json.message[0]]).to.deep.equal([
      400,
      'beforeId must be another set from the same group as the moved set: sets for departments or sets for all calls',
    ])
    expect((await move(ids.first, ids.first)).status).to.equal(400)
    await app.olga.delete(`/v1/rule-sets/${ours}`)
    const other = await createPublishedRuleSet(app.olga, 'of-sales-too', { applies })
    expect([(await move(ours, null)).status, (await move(other, ours)).status]).to.deep.equal([409, 409])
    await app.olga.delete(`/v1/rule-sets/${other}`)
  })

  it('a head can move only sets of their departments', async () => {
    const { hanna, sales, support } = people
    const applies = { departmentIds: [sales] }
    const [one, two] = [await createRuleSet(hanna, 'one', { applies }), await createRuleSet(hanna, 'two', { applies })]
    const theirs = await createRuleSet(app.olga, 'theirs', { applies: { departmentIds: [support] } })
    expect((await move(two.id, one.id, hanna)).status).to.equal(200)
    expect((await listKeys(hanna)).slice(0, 2)).to.deep.equal(['two', 'one'])
    expect((await move(ids.third, null, hanna)).status).to.equal(403)
    expect((await move(two.id, theirs.id, hanna)).status).to.equal(404)
    for (const { id } of [one, two, theirs]) await app.olga.delete(`/v1/rule-sets/${id}`)
  })

  it('the reach counts the recent calls that a set and the preceding sets get', async () => {
    const { json: draft } = await app.olga.get(`/v1/rule-sets/${ids.third}`)
    expect(await fetchReach(ids.third)).to.deep.include({
      isLimited: false,
      calls: 3,
      received: 1,
      preceding: [
        { id: ids.first, name: { en: 'first', ru: 'first' }, calls: 1, canPassIt: true },
        { id: ids.second, name: { en: 'second', ru: 'second' }, calls: 1, canPassIt: true },
      ],
    })
    expect(draft.key).to.equal('third')
    await move(ids.third, ids.second)
    expect(await fetchReach(ids.third)).to.include({ calls: 3, received: 2 })
    expect(await fetchReach(ids.second)).to.include({ calls: 2, received: 0 })
    expect(await fetchReach(ids.labels)).to.deep.include({ calls: 3, received: 3, preceding: [] })
    await restoreOrder()
  })

  it('the reach counts only calls that the person sees', async () => {
    const { hanna, sales } = people
    const { id } = await createRuleSet(hanna, 'sales-only', { applies: { departmentIds: [sales] } })
    expect(await fetchReach(id, hanna)).to.deep.include({ calls: 2, received: 2, preceding: [] })
    const late = await createRuleSet(app.olga, 'late')
    const { preceding } = await fetchReach(late.id)
    expect(preceding[0]).to.include({ id: ids.first, canPassIt: true })
    expect((await hanna.get(`/v1/rule-sets/${late.id}/reach`)).status).to.equal(403)
    for (const one of [id, late.id]) await app.olga.delete(`/v1/rule-sets/${one}`)
  })

  it('a backtest judges only calls that no preceding set scores', async () => {
    const revision = 0
    const { rules } = (await app.olga.get(`/v1/rule-sets/${ids.third}`)).json
    await app.olga.put(`/v1/rule-sets/${ids.third}/draft`, { revision, rules: rules.slice(0, 2) })
    const period = { from: '2000-01-01', to: new Date(Date.now() + 60_000).toISOString() }
    const { json: started } = await app.olga.post(`/v1/rule-sets/${ids.third}/backtests`, period)
    const done = await waitUntil('the backtest is done', async () => {
      const { json } = await app.olga.get(`/v1/backtests/${started.id}`)
      return json.state === 'done' && json
    })
    expect(done).to.include({ total: 3, done: 3, skipped: 0, scoredByOthers: 2 })
    const { met, missed, notApplicable, unknown } = done.rules[0].new
    expect(met + missed + notApplicable + unknown).to.equal(1)
  })
})
