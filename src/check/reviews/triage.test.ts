import { expect } from 'chai'
import type { AnalysisJson } from '../checks/check-schema.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { Rule } from '../rules/types.ts'
import type { PendingReviewJson } from './schema.ts'

const OBJECTION_RULE: Rule = {
  key: 'objection',
  name: { en: 'Answers the objection', ru: 'Отрабатывает возражение' },
  kind: 'reply',
  side: 'any',
  after: { side: 'any', any: { ru: ['дорого'] }, within: 3 },
  any: { ru: ['зато'] },
  weight: 10,
}

describe('pending reviews', () => {
  let app: TestApp
  let people: TestPeople
  let manners: string
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    people = await createTestPeople(app)
    manners = await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('UPDATE findings SET waits = NULL'))

  const readAnalysis = async (id: string): Promise<AnalysisJson> =>
    (await app.olga.get(`/v1/recordings/${id}/analysis`)).json
  async function createCheckedCall(manager: string, at: string, ...lines: string[]): Promise<string> {
    const [id] = await insertCalls(app, [{ manager, at }])
    await replaceTranscript(app, id!, makeTurnSegments(...lines))
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('it is checked', async () => (await readAnalysis(id!)).status === 'done')
    return id!
  }
  async function findFinding(id: string, rule: string) {
    const finding = (await readAnalysis(id)).findings.find(({ rule: { key } }) => key === rule)!
    return { ...finding, path: `/v1/recordings/${id}/analysis/findings/${finding.id}` }
  }
  async function dispute(id: string, rule: string, comment: string): Promise<string> {
    const { path } = await findFinding(id, rule)
    expect((await app.olga.post(`${path}/dispute`, { comment })).status).to.equal(201)
    return path
  }
  const list = async (query: string, client: TestClient = app.olga): Promise<PendingReviewJson[]> =>
    (await client.get(`/v1/reviews?${query}`)).json.items

  it('a pending review has the sentence in context, the dispute, the scores and the history', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да', 'Это Макс', 'Слушаю', 'Ага', 'Пока')
    await dispute(id, 'greeting', 'I say my name at 0:04')
    const [item] = await list('reason=disputed')
    expect(item!.dispute).to.equal('I say my name at 0:04')
    expect(item!.context!.lines.map(({ text }) => text)).to.deep.equal(['Алло', 'Да', 'Это Макс', 'Слушаю', 'Ага'])
    expect(item!.context).to.deep.include({ sentence: 2, start: 4, end: 6, searched: { from: 0, to: 12 } })
    expect(item!.score).to.deep.equal({ now: 0, ifMet: 60, ifMissed: 0 })
    expect(item!.reviews.map(({ kind, person }) => [kind, person.name])).to.deep.equal([['dispute', 'olga']])
  })

  it('a time that a dispute names matches lines by their whole seconds', async () => {
    const [id] = await insertCalls(app, [{ manager: 'Max', at: '2026-03-01T10:00:00Z' }])
    const lines = makeTurnSegments('Алло', 'Да', 'Это Макс', 'Слушаю')
    const late = lines.map((line) => ({ ...line, start: line.start + 0.14, end: line.end + 0.14 }))
    await replaceTranscript(app, id!, late)
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('it is checked', async () => (await readAnalysis(id!)).status === 'done')
    await dispute(id!, 'greeting', 'I say my name at 0:04')
    const [item] = await list('reason=disputed')
    expect(item!.context).to.include({ sentence: 2, start: 4.14 })
  })

  it('words that a dispute quotes select their line', async () => {
    const id = await createCheckedCall(
      'Max',
      '2026-03-01T10:00:00Z',
      'Алло',
      'Это Макс, здравствуйте.',
      'Да',
      'Пока',
      'Ага',
    )
    await dispute(id, 'greeting', 'Я сказал «это Макс здравствуйте»')
    const [item] = await list('reason=disputed')
    expect(item!.context).to.include({ sentence: 1, start: 2 })
  })

  it('the whole searched part is listed on request', async () => {
    const words = Array.from({ length: 9 }, (_, n) => `Слово ${n}`)
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', ...words)
    await dispute(id, 'greeting', 'I did')
    const [item] = await list('reason=disputed')
    expect(item!.context!.lines).to.have.length(3)
    const [whole, ...others] = await list(`finding=${item!.id}&searched=true`)
    expect(others).to.deep.equal([])
    expect(whole!.context!.lines.map(({ text }) => text)).to.deep.equal(words)
  })

  it('decided reviews are listed with the newest decision first', async () => {
    const paths: string[] = []
    for (const day of [1, 2, 3]) {
      const id = await createCheckedCall('Max', `2026-04-0${day}T10:00:00Z`, 'Алло', 'Да')
      paths.push(await dispute(id, 'greeting', 'I did'))
    }
    for (const n of [1, 0]) await app.olga.patch(paths[n]!, { verdict: 'missed' })
    const days = (await list('decided=true&from=2026-04-01&to=2026-04-03')).map(({ reason, recording }) => [
      reason,
      recording.callAt.slice(0, 10),
    ])
    expect(days).to.deep.equal([
      [null, '2026-04-01'],
      [null, '2026-04-02'],
    ])
  })

  it('a person cannot repeat their dispute before a decision', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const path = await dispute(id, 'greeting', 'I did')
    expect((await app.olga.post(`${path}/dispute`, { comment: 'I did' })).status).to.equal(409)
    expect((await people.max.post(`${path}/dispute`, { comment: 'I did' })).status).to.equal(201)
    await app.olga.patch(path, { verdict: 'missed' })
    expect((await app.olga.post(`${path}/dispute`, { comment: 'I did' })).status).to.equal(201)
  })

  it('a pending review has the first phrases of its rule', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    await dispute(id, 'greeting', 'I did')
    const [item] = await list('reason=disputed')
    expect(item!.phrases).to.deep.equal({
      count: 2,
      examples: { en: ['good morning'], ru: ['добрый день'] },
      side: 'agent',
    })
  })

  it('a pending review shows the quoted sentence, else the end of the searched part', async () => {
    const rude = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да', 'Ну заткнитесь', 'Что?')
    await dispute(rude, 'farewell', 'I did')
    const items = await list('reason=critical,disputed')
    const sentences = items.map(({ rule, context }) => [
      rule.key,
      context!.lines.find(({ segment }) => segment === context!.sentence)!.text,
    ])
    expect(sentences).to.deep.equal([
      ['insults', 'Ну заткнитесь'],
      ['farewell', 'Что?'],
    ])
  })

  it('the random sample begins with the newest call', async () => {
    const march = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const may = await createCheckedCall('Max', '2026-05-01T10:00:00Z', 'Алло', 'Да')
    // Replaces the findings that the service has chosen by chance.
    await app.db.query(
      `UPDATE findings SET waits = CASE rule_key WHEN 'farewell' THEN 'random' END WHERE analysis_id IN (
         SELECT id FROM analyses WHERE is_current AND recording_id = ANY($1::uuid[]))`,
      [[march, may]],
    )
    expect((await list('reason=random')).map(({ recording }) => recording.id)).to.deep.equal([may, march])
  })

  it('pending reviews can be filtered by manager, department, rule and day', async () => {
    const max = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const otto = await createCheckedCall('Otto', '2026-03-02T10:00:00Z', 'Алло', 'Да')
    for (const id of [max, otto]) await dispute(id, 'greeting', 'I did')
    await dispute(otto, 'farewell', 'I did')
    const find = async (query: string) =>
      (await list(`reason=disputed&${query}`)).map(({ recording, rule }) => `${recording.managerName} ${rule.key}`)
    expect(await find('manager=Max')).to.deep.equal(['Max greeting'])
    expect(await find(`department=${people.support}`)).to.have.members(['Otto greeting', 'Otto farewell'])
    expect(await find('rule=manners/farewell')).to.deep.equal(['Otto farewell'])
    expect(await find('from=2026-03-02')).to.have.members(['Otto greeting', 'Otto farewell'])
    expect(await find('to=2026-03-01')).to.deep.equal(['Max greeting'])
  })

  it('the counts of pending reviews cover only visible calls', async () => {
    const max = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const otto = await createCheckedCall('Otto', '2026-03-02T10:00:00Z', 'Алло', 'Да')
    for (const id of [max, otto]) await dispute(id, 'greeting', 'I did')
    const count = async (client: TestClient, query = '') => (await client.get(`/v1/reviews/counts${query}`)).json
    expect((await count(app.olga)).waiting.disputed).to.equal(2)
    expect((await count(people.hanna)).waiting.disputed).to.equal(1)
    const filtered = await count(app.olga, '?rule=manners/farewell')
    expect(filtered.waiting.disputed).to.equal(0)
    const greeting = filtered.rules.find(({ rule }: { rule: { key: string } }) => rule.key === 'greeting')
    expect(greeting, 'other rules stay to choose from').to.deep.include({ count: 2 })
  })

  it('undoing a decision restores verdict, score and dispute; the history keeps both entries', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да', 'До свидания')
    const path = await dispute(id, 'greeting', 'I did')
    const before = await readAnalysis(id)
    const decided = (await people.hanna.patch(path, { verdict: 'met', comment: 'He did' })).json
    expect(decided.score).to.equal(100)
    expect((await app.olga.post(`${path}/undo`)).status, 'of somebody else').to.equal(409)
    const { status, json } = await people.hanna.post(`${path}/undo`)
    expect([status, json.score]).to.deep.equal([200, before.score])
    const finding = await findFinding(id, 'greeting')
    expect(finding).to.include({ verdict: 'missed', decidedBy: 'rules' })
    expect(finding.review!.dispute!.comment).to.equal('I did')
    expect(finding.reviews.map(({ kind }) => kind)).to.deep.equal(['dispute', 'verdict', 'undo'])
    expect(await list('reason=disputed')).to.have.length(1)
    expect((await people.hanna.post(`${path}/undo`)).status, 'twice').to.equal(409)
  })

  it('an undone decision affects neither later checks nor the agreement', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const { path } = await findFinding(id, 'greeting')
    const agreement = async () => JSON.stringify((await app.olga.get('/v1/reviews')).json.agreement)
    const before = await agreement()
    await app.olga.patch(path, { verdict: 'met', comment: 'He did' })
    expect(await agreement()).not.to.equal(before)
    await app.olga.post(`${path}/undo`)
    expect(await agreement()).to.equal(before)
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    await waitUntil('it is checked again', async () => (await findFinding(id, 'greeting')).path !== path)
    expect(await findFinding(id, 'greeting')).to.include({ verdict: 'missed', decidedBy: 'rules' })
  })

  it('rejects a decision if somebody else has reviewed the verdict meanwhile', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const path = await dispute(id, 'greeting', 'I did')
    expect((await people.hanna.patch(path, { verdict: 'missed', knownReviews: 1 })).status).to.equal(200)
    expect((await app.olga.patch(path, { verdict: 'missed', knownReviews: 1 })).status).to.equal(409)
    expect((await app.olga.patch(path, { verdict: 'missed', knownReviews: 2 })).status).to.equal(200)
  })

  it('the counts include the person’s decisions of today, without undone ones', async () => {
    const id = await createCheckedCall('Max', '2026-03-01T10:00:00Z', 'Алло', 'Да')
    const count = async () => (await people.hanna.get('/v1/reviews/counts')).json.today
    const before = await count()
    const { path } = await findFinding(id, 'greeting')
    await people.hanna.patch(path, { verdict: 'met', comment: 'He did' })
    const farewell = await findFinding(id, 'farewell')
    await people.hanna.patch(farewell.path, { verdict: 'missed' })
    expect(await count()).to.deep.equal({
      decided: before.decided + 2,
      changedToMet: before.changedToMet + 1,
    })
    await people.hanna.post(`${farewell.path}/undo`)
    expect((await count()).decided).to.equal(before.decided + 1)
  })

  it('a review of an answer has the answer, or the part after the unanswered words', async () => {
    await app.olga.delete(`/v1/rule-sets/${manners}`)
    const set = await createPublishedRuleSet(app.olga, 'objections', { rules: [OBJECTION_RULE] })
    const lines = [
      'Алло',
      'Это дорого',
      'Зато надолго',
      'Да',
      'Ага',
      'Пока',
      'Да',
      'Пока',
      'Дорого',
      'Да',
      'Ага',
      'Пока',
    ]
    const answered = await createCheckedCall('Max', '2026-03-01T10:00:00Z', ...lines.slice(0, 4))
    const unanswered = await createCheckedCall(
      'Max',
      '2026-03-02T10:00:00Z',
      ...lines.filter((line) => !/Зато/.test(line)),
    )
    for (const id of [answered, unanswered]) await dispute(id, 'objection', 'Why?')
    const [met, missed] = await list(`reason=disputed&ruleSet=${set}`)
    expect(met!.context).to.include({ sentence: 2, start: 4, searched: null })
    expect(met!.evidence.map(({ quote }) => quote)).to.deep.equal(['дорого', 'Зато'])
    expect(missed!.context!.sentence).to.equal(1)
    const { from, to } = missed!.context!.searched!
    expect([from, to]).to.deep.equal([missed!.evidence[0]!.start, missed!.evidence.at(-1)!.end + 3])
  })
})
