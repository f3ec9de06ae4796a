import { expect } from 'chai'
import { fetchAuditLog } from '../../test/audit.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { createRuleSet, MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('rule sets', () => {
  let app: TestApp
  let cast: TestPeople
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', ANALYSIS_SEED_RULES: false })
    cast = await createTestPeople(app)
  })
  after(() => app.stop())

  const at = (id: string) => `/v1/rule-sets/${id}`
  const reworded = (word: string) => MANNERS_RULES.map((rule) => ({ ...rule, any: { ru: [word] } }))

  it('a new rule set has a draft; published versions keep their rules', async () => {
    const made = await createRuleSet(app.olga, 'flow')
    expect(made).to.deep.include({
      key: 'flow',
      mode: 'score',
      origin: 'own',
      version: null,
      rules: null,
      hasDraft: true,
    })
    expect(made.draft).to.deep.include({ version: 1, revision: 1, rules: MANNERS_RULES, note: null })
    expect(made.draft.author.name).to.equal('olga')
    const saved = (await app.olga.put(`${at(made.id)}/draft`, { revision: 1, rules: reworded('привет'), note: 'N' }))
      .json
    expect(saved.draft).to.deep.include({ version: 1, revision: 2, note: 'N' })
    const published = (await app.olga.post(`${at(made.id)}/publish`, { revision: 2 })).json
    expect(published).to.deep.include({ version: 1, rules: reworded('привет'), draft: null, hasDraft: false })
    await app.olga.put(`${at(made.id)}/draft`, { revision: 0, rules: reworded('салют') })
    await app.olga.post(`${at(made.id)}/publish`, { revision: 1, note: 'Warmer' })
    const { json } = await app.olga.get(`${at(made.id)}/versions`)
    expect(json.items.map(({ version, state, note }: never) => [version, state, note])).to.deep.equal([
      [2, 'published', 'Warmer'],
      [1, 'retired', 'N'],
    ])
    const first = (await app.olga.get(`${at(made.id)}/versions/1`)).json
    expect(first.rules).to.deep.equal(reworded('привет'))
    expect(first.publisher.name).to.equal('olga')
    expect(first.hash).to.not.equal(json.items[0].hash)
    for (const none of ['3', '0', 'x', '99999999999']) {
      expect((await app.olga.get(`${at(made.id)}/versions/${none}`)).status, none).to.equal(404)
    }
  })

  it('the database rejects changes to the rules of a published version', async () => {
    const id = await createPublishedRuleSet(app.olga, 'immutable')
    const write = app.db.query(`UPDATE rule_set_versions SET rules = '[]' WHERE rule_set_id = $1`, [id])
    expect(await write.catch((error: Error) => error.message)).to.contain('keeps its rules')
  })

  it('a request with a stale draft revision is rejected', async () => {
    const { id } = await createRuleSet(app.olga, 'stale')
    const draft = `${at(id)}/draft`
    expect((await app.olga.put(draft, { revision: 1, rules: reworded('первый') })).status).to.equal(200)
    const message = 'The draft was changed, published or discarded. Reload it'
    for (const answer of [
      await app.olga.put(draft, { revision: 1, rules: reworded('второй') }),
      await app.olga.put(draft, { rules: reworded('второй') }),
      await app.olga.post(`${at(id)}/publish`, { revision: 1 }),
      await app.olga.delete(`${draft}?revision=1`),
    ]) {
      expect([answer.status, answer.json.message]).to.deep.equal([409, message])
    }
    expect((await app.olga.get(at(id))).json.draft.rules).to.deep.equal(reworded('первый'))
    expect((await app.olga.delete(`${draft}?revision=2`)).status).to.equal(204)
    expect((await app.olga.get(at(id))).json.draft).to.equal(null)
    expect((await app.olga.put(draft, { revision: 2, rules: MANNERS_RULES })).status, 'a draft that is gone').to.equal(
      409,
    )
  })

  it('of simultaneous saves and publications, one succeeds and the others get 409', async () => {
    const { id } = await createRuleSet(app.olga, 'race')
    const publish = () => app.olga.post(`${at(id)}/publish`, { revision: 1 })
    const write = () => app.olga.put(`${at(id)}/draft`, { revision: 1, rules: reworded('ура') })
    const answers = await Promise.all([publish(), write(), publish(), write(), publish()])
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    expect(answers.filter(({ status }) => status === 409)).to.have.length(4)
    const { json } = await app.olga.get(`${at(id)}/versions`)
    expect(json.total).to.equal(1)
  })

  it('an owner can restore any version as a draft if there is no draft', async () => {
    const id = await createPublishedRuleSet(app.olga, 'restored')
    await app.olga.put(`${at(id)}/draft`, { rules: reworded('иначе') })
    await app.olga.post(`${at(id)}/publish`, { revision: 1 })
    const restored = (await app.olga.post(`${at(id)}/versions/1/restore`)).json
    expect(restored.draft).to.deep.include({ version: 3, revision: 1, rules: MANNERS_RULES })
    expect(restored.version, 'nothing is published by it').to.equal(2)
    const again = await app.olga.post(`${at(id)}/versions/1/restore`)
    expect([again.status, again.json.message]).to.deep.equal([
      409,
      'A draft already exists. Publish or discard it first',
    ])
    expect((await app.olga.post(`${at(id)}/versions/9/restore`)).status).to.equal(404)
  })

  it('a rejected draft lists all violations by field and rule, and the stored draft stays', async () => {
    const { id } = await createRuleSet(app.olga, 'wrong')
    const [greeting, farewell] = MANNERS_RULES
    const rules = [
      { ...greeting, any: { ru: [''] }, colour: 'red' },
      { ...farewell, key: 'greeting', any: { en: ['one two three four five six seven eight nine ten eleven'] } },
      { ...farewell, key: 'a', after: { rule: 'b' } },
      { ...farewell, key: 'b', after: { rule: 'a' } },
      { ...farewell, key: 'c', any: { ru: ['это {кто}'] } },
    ].map((rule) => ({ ...rule, weight: 0 }))
    const { status, json } = await app.olga.put(`${at(id)}/draft`, { revision: 1, rules })
    expect(status).to.equal(400)
    const said = (json.message as string[]).join('\n')
    for (const part of [
      /^rules\[0\]\.any\.ru\[0\] \(rule greeting\): /m,
      /^rules\[0\]\.colour \(rule greeting\): Unknown field/m,
      /^rules\[1\]\.key \(rule greeting\): Two rules/m,
      /^rules\[1\]\.any\.en\[0\] \(rule greeting\): /m,
      /^rules\[2\]\.after\.rule \(rule a\): A rule cannot follow itself/m,
      /^rules\[4\]\.any\.ru\[0\] \(rule c\): .*кто/m,
      /^rules: Give points to at least one rule/m,
    ]) {
      expect(said).to.match(part)
    }
    const russian = await app.olga.send(`${at(id)}/draft`, {
      method: 'PUT',
      body: JSON.stringify({ revision: 1, rules: [{ ...greeting, any: {} }] }),
      headers: { 'Content-Type': 'application/json', 'Accept-Language': 'ru,en;q=0.5' },
    })
    expect(russian.json.message).to.deep.equal(['rules[0].any (rule greeting): Добавьте фразу.'])
    expect((await app.olga.get(at(id))).json.draft).to.include({ revision: 1 })
    for (const [body, first] of [
      [{ revision: 1, rules: [] }, /^rules: /],
      [{ revision: 1, rules: 'all' }, /^rules must be an array/],
      [{ revision: 1 }, /^rules is required/],
      [{ revision: '1', rules: MANNERS_RULES }, /^revision must be/],
      [
        { revision: 1, rules: MANNERS_RULES, name: { en: 'Other', ru: 'Другой' } },
        /^name must be the same as in the set/,
      ],
      [{ revision: 1, rules: MANNERS_RULES, mode: 'label' }, /^mode must be the same as in the set/],
    ] as const) {
      const answer = await app.olga.put(`${at(id)}/draft`, body)
      expect(answer.status).to.equal(400)
      expect(answer.json.message[0]).to.match(first)
    }
    const both = await app.olga.put(`${at(id)}/draft`, {
      revision: 1,
      rules: [{ ...greeting, any: {} }],
      colour: 'red',
    })
    expect(both.json.message, 'beside the rules and in them').to.deep.equal([
      'colour is not a known field',
      'rules[0].any (rule greeting): Add a phrase.',
    ])
    const nowhere = await app.olga.post('/v1/rule-sets', {
      key: 'nowhere',
      name: { en: 'Nowhere', ru: 'Нигде' },
      mode: 'score',
      applies: { direction: [] },
      rules: [{ ...greeting, weight: 0 }],
    })
    expect(nowhere.status).to.equal(400)
    expect(nowhere.json.message[0]).to.match(/^applies\.direction must/)
    expect(nowhere.json.message[1]).to.match(/^rules: Give points to at least one rule/)
    const made = await app.olga.post('/v1/rule-sets', { key: 'No Key', mode: 'score', rules: MANNERS_RULES })
    expect(made.json.message.join()).to.match(/key must/)
  })

  it('a response lists up to 1000 violations, counts the others and shortens long keys', async () => {
    const { id } = await createRuleSet(app.olga, 'faulty')
    const empty = (n: number) => ({ ru: Array.from({ length: n }, () => '') })
    const faulty = (rules: object[]) => app.olga.put(`${at(id)}/draft`, { revision: 1, rules })
    const few = (await faulty([{ ...MANNERS_RULES[0]!, any: empty(60) }])).json.message as string[]
    expect(few.filter((one) => one.startsWith('rules[0].any.ru['))).to.have.length(60)
    const rules = Array.from({ length: 6 }, (_, n) => ({
      ...MANNERS_RULES[0]!,
      key: `${n}${'x'.repeat(5000)}`,
      any: empty(199),
    }))
    const many = await faulty(rules)
    const message = many.json.message as string[]
    expect(message).to.have.length(1001)
    // There are 1,194 empty phrases and 6 invalid keys, which makes 1,200 violations.
    expect(message.at(-1)).to.equal('rules: 200 more problems.')
    expect(many.text.length).to.be.lessThan(300_000)
    const other = (await app.olga.put(`${at(id)}/draft`, { revision: 'x', rules })).json.message as string[]
    expect(other[0]).to.match(/^revision must be/)
    expect(other).to.have.length(1002)
  })
  it('a draft request can repeat the unchanged fields of its set', async () => {
    const { id } = await createRuleSet(app.olga, 'whole')
    const { json } = await app.olga.get(at(id))
    const { key, name, mode, applies, draft } = json
    const answer = await app.olga.put(`${at(id)}/draft`, { revision: 1, key, name, mode, applies, rules: draft.rules })
    expect(answer.status).to.equal(200)
  })

  it('the key of a rule set is unique until the set is archived', async () => {
    const { id } = await createRuleSet(app.olga, 'taken')
    const body = { key: 'taken', name: { en: 'x', ru: 'x' }, mode: 'score', rules: MANNERS_RULES }
    const refused = await app.olga.post('/v1/rule-sets', body)
    expect([refused.status, refused.json.message]).to.deep.equal([409, 'Another rule set has this key'])
    await app.olga.delete(at(id))
    expect((await app.olga.post('/v1/rule-sets', body)).status).to.equal(201)
    expect((await app.olga.put(`${at(id)}/draft`, { revision: 1, rules: MANNERS_RULES })).json.message).to.equal(
      'The rule set is archived',
    )
    expect((await app.olga.patch(at(id), { position: 7 })).status, 'a change, as described').to.equal(409)
    expect((await app.olga.delete(at(id))).status, 'archived again, as described').to.equal(409)
    const archived = (await app.olga.get('/v1/rule-sets?archived=true')).json.items
    expect(archived.map((set: { id: string }) => set.id)).to.include(id)
  })

  it('a head can edit sets of their departments and copy sets for all calls', async () => {
    const { hanna, max, sales, support } = cast
    const id = await createPublishedRuleSet(app.olga, 'everybody')
    expect((await hanna.put(`${at(id)}/draft`, { rules: MANNERS_RULES })).status).to.equal(403)
    const copy = await hanna.post('/v1/rule-sets', { key: 'ours', copyOf: id, applies: { departmentIds: [sales] } })
    expect(copy.status).to.equal(201)
    expect(copy.json).to.deep.include({ mayEdit: true, origin: 'own', name: { en: 'everybody', ru: 'everybody' } })
    expect(copy.json.draft.rules).to.deep.equal(MANNERS_RULES)
    const asked = (await app.olga.get('/v1/rule-sets')).json.items.map(({ key }: { key: string }) => key)
    expect(asked[0], 'it is asked before those for all calls').to.equal('ours')
    for (const departmentIds of [[], [support], [sales, support]]) {
      const { status, json } = await hanna.patch(at(copy.json.id), { applies: { departmentIds } })
      expect([status, json.message]).to.deep.equal([
        400,
        ['applies.departmentIds must contain at least one department and only your own'],
      ])
    }
    const seen = (await max.get(at(copy.json.id))).json
    expect(seen, 'a manager reads what is published').to.deep.include({ mayEdit: false, hasDraft: false, draft: null })
    expect((await max.get(`${at(copy.json.id)}/versions`)).json.total).to.equal(0)
    expect((await cast.otto.get(at(copy.json.id))).status).to.equal(404)
    const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'
    expect((await app.olga.patch(at(id), { applies: { departmentIds: [nobody] } })).json.message).to.deep.equal([
      `applies.departmentIds contains unknown departments: ${nobody}`,
    ])
  })

  it('the audit log records creation, publication, change and archiving of a rule set', async () => {
    const id = await createPublishedRuleSet(app.olga, 'audited')
    await app.olga.patch(at(id), { position: 7 })
    await app.olga.delete(at(id))
    const entries = await fetchAuditLog(app, `object=${id}`)
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'rules.archive',
      'rules.change',
      'rules.publish',
      'rules.create',
    ])
    expect(entries[1]!.details!.after).to.deep.equal({ position: 7 })
    expect(entries[2]!.details).to.deep.include({ before: { version: null } })
    expect(entries[0]!.object).to.include({ type: 'ruleSet', name: 'audited' })
  })
})
