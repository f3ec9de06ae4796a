import { expect } from 'chai'
import type { AnalysisJson } from '../checks/check-schema.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { fetchAuditLog } from '../../test/audit.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import type { TestClient } from '../../test/client.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { makeTurnSegments, replaceTranscript } from '../../test/transcripts.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import type { RuleAgreementJson, PendingReviewJson } from './schema.ts'

describe('reviews and disputes of verdicts', () => {
  let app: TestApp
  let cast: TestPeople
  let setId: string
  before(async () => {
    app = await startTestApp({ ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
    setId = await createPublishedRuleSet(app.olga, 'manners')
  })
  after(() => app.stop())

  const read = async (id: string): Promise<AnalysisJson> => (await app.olga.get(`/v1/recordings/${id}/analysis`)).json
  async function runCheck(id: string): Promise<AnalysisJson> {
    await app.olga.post(`/v1/recordings/${id}/analysis/rerun`)
    return waitUntil('it is checked', async () => {
      const found = await read(id)
      return found.status === 'done' && found
    })
  }
  /** Inserts a call of the manager Max and checks it. */
  async function createCheckedCall(...lines: string[]): Promise<{ id: string; found: AnalysisJson }> {
    const [id] = await insertCalls(app, [{ manager: 'Max' }])
    await replaceTranscript(app, id!, makeTurnSegments(...lines))
    return { id: id!, found: await runCheck(id!) }
  }
  const of = (found: AnalysisJson, key: string) => found.findings.find(({ rule }) => rule.key === key)!
  const address = (id: string, found: AnalysisJson, key: string) =>
    `/v1/recordings/${id}/analysis/findings/${of(found, key).id}`
  const judge = (client: TestClient, id: string, found: AnalysisJson, key: string, verdict: string, comment?: string) =>
    client.patch(address(id, found, key), { verdict, ...(comment !== undefined && { comment }) })
  const waiting = async (query = '') => (await app.olga.get(`/v1/reviews?pageSize=100${query}`)).json

  it('a head overturns a verdict: the score changes, and the machine’s score is kept', async () => {
    const { id, found } = await createCheckedCall('Здравия желаю', 'Да', 'До свидания')
    expect(found).to.include({ score: 40, scoreAuto: 40 })
    const { status, json } = await judge(cast.hanna, id, found, 'greeting', 'met', 'He greets as soldiers do')
    expect(status).to.equal(200)
    expect(json).to.include({ score: 100, scoreAuto: 40, scoreBeforeCritical: 100 })
    expect(of(json, 'greeting')).to.deep.include({ verdict: 'met', decidedBy: 'person' })
    expect(of(json, 'greeting').review).to.deep.include({
      verdict: 'met',
      machineVerdict: 'missed',
      comment: 'He greets as soldiers do',
      person: { id: cast.hanna.id, name: 'Hanna' },
      dispute: null,
    })
    expect((await app.ida.get(`/v1/recordings/${id}`)).json.score).to.equal(100)
  })

  it('an overturned label moves to overturnedLabels and no longer matches the list filter', async () => {
    const rules = [
      { ...MANNERS_RULES[0]!, key: 'price', side: 'client' as const, any: { ru: ['дорого'] }, weight: undefined },
    ]
    const labels = await createPublishedRuleSet(app.olga, 'topics', { mode: 'label', rules })
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: { direction: ['OUTBOUND'] } })
    const { id, found } = await createCheckedCall('Добрый день', 'Это дорого')
    await app.olga.delete(`/v1/rule-sets/${labels}`)
    await app.olga.patch(`/v1/rule-sets/${setId}`, { applies: {} })
    expect(found.ruleSet, 'labels alone').to.equal(null)
    const listed = async () =>
      (await app.olga.get('/v1/recordings?rule=topics/price:met')).json.items.map((one: { id: string }) => one.id)
    expect([found.labels.length, found.overturnedLabels, await listed()]).to.deep.equal([1, [], [id]])
    const { json } = await app.olga.patch(`/v1/recordings/${id}/analysis/findings/${found.labels[0]!.id}`, {
      verdict: 'missed',
      comment: 'Not the price',
    })
    expect([json.labels, json.overturnedLabels.length, await listed()]).to.deep.equal([[], 1, []])
    expect(json.overturnedLabels[0]).to.deep.include({ verdict: 'missed', ruleSet: found.labels[0]!.ruleSet })
    expect(json.overturnedLabels[0].review).to.include({ comment: 'Not the price' })
    expect(Date.parse(json.updatedAt)).to.be.greaterThan(Date.parse(found.updatedAt!))
  })

  it('overturning a verdict requires a comment, confirming it does not', async () => {
    const { id, found } = await createCheckedCall('Добрый день', 'Да')
    for (const comment of [undefined, '  ']) {
      const refused = await judge(app.olga, id, found, 'greeting', 'missed', comment)
      expect([refused.status, refused.json.message]).to.deep.equal([
        400,
        ['comment must give a reason for changing the verdict'],
      ])
    }
    expect((await judge(app.olga, id, found, 'greeting', 'met')).status).to.equal(200)
    expect((await judge(app.olga, id, found, 'greeting', 'good')).json.message[0]).to.match(
      /^verdict must be one of met/,
    )
    expect((await app.olga.patch(`/v1/recordings/${id}/analysis/findings/x`, { verdict: 'met' })).status).to.equal(404)
  })

  it('a person’s disputed verdict can be confirmed without a comment', async () => {
    const { id, found } = await createCheckedCall('Добрый день', 'Да')
    await judge(app.olga, id, found, 'greeting', 'missed', 'Too quiet')
    await app.olga.post(`${address(id, found, 'greeting')}/dispute`, { comment: 'It is not' })
    const { status, json } = await judge(cast.hanna, id, found, 'greeting', 'missed')
    expect([status, of(json, 'greeting').verdict, of(json, 'greeting').decidedBy]).to.deep.equal([
      200,
      'missed',
      'person',
    ])
    expect((await judge(app.olga, id, found, 'greeting', 'unknown')).status, 'another').to.equal(400)
  })

  it('the last decision on a verdict applies, and earlier decisions stay on record', async () => {
    const { id, found } = await createCheckedCall('Добрый день', 'Да', 'До свидания')
    await judge(app.olga, id, found, 'greeting', 'missed', 'Too quiet')
    expect((await read(id)).score).to.equal(40)
    await judge(app.olga, id, found, 'greeting', 'met', 'Heard it again')
    expect((await read(id)).score).to.equal(100)
    const { rows } = await app.db.query('SELECT verdict FROM reviews WHERE recording_id = $1 ORDER BY id', [id])
    expect(rows.map(({ verdict }) => verdict)).to.deep.equal(['missed', 'met'])
    const { reviews } = of(await read(id), 'greeting')
    expect(reviews.map(({ kind, verdict, comment, person }) => [kind, verdict, comment, person.name])).to.deep.equal([
      ['verdict', 'missed', 'Too quiet', 'olga'],
      ['verdict', 'met', 'Heard it again', 'olga'],
    ])
    const write = app.db.query(`UPDATE reviews SET comment = '' WHERE recording_id = $1`, [id])
    expect(await write.catch((error: Error) => error.message)).to.contain('is not changed')
  })

  it('a decision applies to later checks by the same rule on the same transcript only', async () => {
    const { id, found } = await createCheckedCall('Привет', 'Да', 'До свидания')
    await judge(app.olga, id, found, 'greeting', 'met', 'It is one')
    expect(await runCheck(id)).to.include({ score: 100, scoreAuto: 40 })
    const heavier = MANNERS_RULES.map((rule) => (rule.key === 'greeting' ? { ...rule, weight: 10 } : rule))
    await publishRules(heavier)
    expect(of(await runCheck(id), 'greeting').decidedBy, 'weight decides no verdict').to.equal('person')
    const reworded = MANNERS_RULES.map((rule) =>
      rule.key === 'greeting' ? { ...rule, any: { ru: ['доброе утро'] } } : rule,
    )
    await publishRules(reworded)
    expect(of(await runCheck(id), 'greeting')).to.deep.include({ decidedBy: 'rules', verdict: 'missed', review: null })
    await publishRules(MANNERS_RULES)
    expect(of(await runCheck(id), 'greeting').decidedBy, 'the old rule is back').to.equal('person')
    await replaceTranscript(app, id, makeTurnSegments('Ага', 'Да'))
    expect(of(await runCheck(id), 'greeting').decidedBy, 'another text').to.equal('rules')
  })
  async function publishRules(rules: object[]): Promise<void> {
    await app.olga.put(`/v1/rule-sets/${setId}/draft`, { rules })
    await app.olga.post(`/v1/rule-sets/${setId}/publish`, { revision: 1 })
  }

  it('a manager can dispute a verdict on their call, which waits until a person decides', async () => {
    const { id, found } = await createCheckedCall('Здорово', 'Да', 'До свидания')
    const dispute = `${address(id, found, 'greeting')}/dispute`
    expect((await cast.otto.post(dispute, { comment: 'x' })).status).to.equal(404)
    expect((await app.ida.post(dispute, { comment: 'x' })).status).to.equal(403)
    expect((await cast.max.post(dispute, { comment: ' ' })).status).to.equal(400)
    const { status, json } = await cast.max.post(dispute, { comment: 'I did greet her' })
    expect(status).to.equal(201)
    expect(of(json, 'greeting').review!.dispute).to.deep.include({
      comment: 'I did greet her',
      person: { id: cast.max.id, name: 'Max' },
    })
    expect(json.score, 'nothing is decided by it').to.equal(40)
    const [item] = (await waiting('&reason=disputed')).items
    expect(item).to.deep.include({ reason: 'disputed', verdict: 'missed', dispute: 'I did greet her' })
    expect(item.recording).to.include({ id, managerName: 'Max' })
    await judge(cast.hanna, id, found, 'greeting', 'missed')
    expect((await waiting('&reason=disputed')).total).to.equal(0)
    const { review, reviews } = of(await read(id), 'greeting')
    expect(review).to.deep.include({ verdict: 'missed', dispute: null })
    expect(reviews.map(({ kind, verdict, comment }) => [kind, verdict, comment])).to.deep.equal([
      ['dispute', null, 'I did greet her'],
      ['verdict', 'missed', null],
    ])
  })

  it('pending reviews list critical, then unknown, then disputed verdicts of visible calls', async () => {
    await app.db.query('UPDATE findings SET waits = NULL')
    const rude = await createCheckedCall('Заткнитесь', 'Да')
    const [mono] = await insertCalls(app, [{ manager: 'Otto', text: 'Добрый день' }])
    const { id, found } = await createCheckedCall('Здорово', 'Да')
    await cast.max.post(`${address(id, found, 'greeting')}/dispute`, { comment: 'I did' })
    await runCheck(mono!)
    const { items, total } = await waiting('&reason=critical,unknown,disputed')
    expect(total).to.equal(3)
    const told = (items as PendingReviewJson[]).map(({ reason, rule, recording }) => [reason, rule.key, recording.id])
    expect(told).to.deep.equal([
      ['critical', 'insults', rude.id],
      ['unknown', 'insults', mono],
      ['disputed', 'greeting', id],
    ])
    const ofHanna = (await cast.hanna.get('/v1/reviews?reason=critical,unknown')).json
    expect(ofHanna.items.map(({ recording }: { recording: { id: string } }) => recording.id)).to.deep.equal([rude.id])
    expect((await waiting('&reason=late')).message[0]).to.match(/^reason must be one of/)
    await runCheck(rude.id)
    expect((await waiting('&reason=critical')).total, 'of an older check nothing waits').to.equal(1)
  })

  it('about one verdict of fifty waits for a random review, always the same ones', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`)
    await insertCalls(
      app,
      ids.map((id) => ({ id, manager: 'Max' })),
    )
    for (const id of ids) await replaceTranscript(app, id, makeTurnSegments('Добрый день', 'Да', 'До свидания'))
    const count = async (sql: string, values: unknown[]) => (await app.db.query(sql, values)).rowCount!
    /**
     * Runs a check of each call.
     * @param times how many checks each call then has
     * @returns the verdicts drawn at random for a review
     */
    async function runChecksAndListDrawn(times: number): Promise<string[]> {
      await app.db.query(
        'INSERT INTO analyses (id, recording_id, priority) SELECT n.id, n.call, 0 FROM unnest($1::uuid[], $2::uuid[]) AS n (id, call)',
        [ids.map(generateId), ids],
      )
      const done = `SELECT FROM analyses WHERE recording_id = ANY($1) AND status = 'DONE'`
      await waitUntil('all are checked', async () => (await count(done, [ids])) === times * ids.length)
      const { rows } = await app.db.query(
        `SELECT right(a.recording_id::text, 3) || ' ' || f.rule_key AS drawn FROM findings f JOIN analyses a ON a.id = f.analysis_id
          WHERE a.recording_id = ANY($1) AND f.waits = 'random' ORDER BY 1`,
        [ids],
      )
      return rows.map((row) => row.drawn)
    }
    // Of 360 verdicts, these have a SHA-256 of call and rule whose first 32 bits are divisible by 50.
    const expected = ['014', '041', '086', '106'].map((n) => `${n} insults`)
    expected.push('068 farewell', '090 farewell', '101 greeting')
    expect(await runChecksAndListDrawn(1)).to.have.members(expected)
    expect(await runChecksAndListDrawn(2), 'and again').to.have.members(expected)
  })

  /** Loads the agreement by rule: judged verdicts, agreed ones, the percentage, and whether the rule is flagged. */
  const agreement = async () =>
    (await waiting()).agreement.map(({ rule, judged, agreed, percent, flagged }: RuleAgreementJson) => [
      rule, judged, agreed, percent, flagged,
    ]) // prettier-ignore

  it('the agreement by rule flags rules below 85 % of at least ten verdicts', async () => {
    await app.db.query('TRUNCATE reviews')
    const { id, found } = await createCheckedCall('Добрый день', 'Да')
    await judge(app.olga, id, found, 'greeting', 'met')
    await judge(app.olga, id, found, 'farewell', 'missed')
    // Copies the reviews for other transcripts: people agree with 17 of 20 farewells and 21 of 25 greetings.
    for (const [key, judged, agreed] of [
      ['farewell', 20, 17],
      ['greeting', 25, 21],
    ]) {
      await app.db.query(
        `INSERT INTO reviews (id, recording_id, finding_id, rule_set_id, rule_key, rule_hash, transcript_hash, kind,
                              machine_verdict, verdict, comment, person_id, person_name)
         SELECT gen_random_uuid(), recording_id, finding_id, rule_set_id, rule_key, rule_hash, 'text ' || n, kind,
                machine_verdict, CASE WHEN n <= $3 THEN machine_verdict ELSE 'unknown' END, comment, person_id, person_name
           FROM reviews, generate_series(2, $2::int) AS n WHERE rule_key = $1`,
        [key, judged, agreed],
      )
    }
    expect(await agreement()).to.deep.equal([
      ['farewell', 20, 17, 85, false],
      ['greeting', 25, 21, 84, true],
    ])
    const [first] = (await waiting()).agreement
    expect(first).to.deep.include({ name: { en: 'Says goodbye', ru: 'Попрощался' } })
    expect(first.ruleSet).to.include({ id: setId, key: 'manners' })
  })

  it('a reworded rule starts with a new agreement', async () => {
    await app.db.query('TRUNCATE reviews')
    const { id, found } = await createCheckedCall('Алло', 'Да', 'До свидания')
    await judge(app.olga, id, found, 'greeting', 'met', 'It is a greeting')
    await judge(app.olga, id, found, 'farewell', 'met')
    const farewell = ['farewell', 1, 1, 100, false]
    expect(await agreement()).to.deep.equal([farewell, ['greeting', 1, 0, 0, false]])
    const mended = MANNERS_RULES.map((rule) => (rule.key === 'greeting' ? { ...rule, any: { ru: ['алло'] } } : rule))
    await publishRules(mended)
    expect(await agreement()).to.deep.equal([farewell])
    await judge(app.olga, id, await runCheck(id), 'greeting', 'met')
    expect(await agreement()).to.deep.equal([farewell, ['greeting', 1, 1, 100, false]])
    await publishRules(MANNERS_RULES)
    const greeting = ['greeting', 1, 0, 0, false]
    expect((await agreement())[1], 'with its old words what was said of them').to.deep.equal(greeting)
  })

  it('replaced and invented verdicts cannot be reviewed', async () => {
    const { id, found } = await createCheckedCall('Добрый день', 'Да')
    await runCheck(id)
    expect((await judge(app.olga, id, found, 'greeting', 'met')).status).to.equal(409)
    await app.db.query(`UPDATE analyses SET provider = 'mock' WHERE recording_id = $1`, [id])
    expect((await judge(app.olga, id, await read(id), 'greeting', 'met')).status).to.equal(409)
  })

  it('deleting a call deletes its reviews; the audit log has no comments', async () => {
    const { id, found } = await createCheckedCall('Здравия желаю', 'Да')
    await judge(app.olga, id, found, 'greeting', 'met', 'He greets as soldiers do')
    await cast.max.post(`${address(id, found, 'farewell')}/dispute`, { comment: 'She hung up on me' })
    await app.ida.delete(`/v1/recordings/${id}`)
    const { rows } = await app.db.query('SELECT FROM reviews WHERE recording_id = $1', [id])
    expect(rows).to.have.length(0)
    const said = async (action: string) => (await fetchAuditLog(app, `object=${id}&action=${action}`))[0]!
    expect((await said('analysis.review')).details).to.deep.equal({
      before: { verdict: 'missed' },
      after: { rule: 'greeting', ruleName: { en: 'Greets', ru: 'Поздоровался' }, verdict: 'met' },
    })
    expect((await said('analysis.dispute')).details).to.deep.equal({
      after: { rule: 'farewell', ruleName: { en: 'Says goodbye', ru: 'Попрощался' } },
    })
    const { rowCount } = await app.db.query(`SELECT FROM audit WHERE details::text ~ 'soldiers|hung up'`)
    expect(rowCount).to.equal(0)
  })
})
