import { expect } from 'chai'
import type { DataSource } from 'typeorm'
import { SHIPPED_RULE_SETS } from '../rules/shipped.ts'
import type { Core } from '../../platform/core.ts'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { MANNERS_RULES, createPublishedRuleSet } from '../../test/rule-sets.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { seedRuleSets } from './seed.ts'

describe('seeding of the shipped rule sets', () => {
  let app: TestApp
  let db: DataSource
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
    db = await connectDatabase(app.config.DATABASE_URL!, {})
  })
  after(async () => {
    await db.destroy()
    await app.stop()
  })

  const sets = async () => (await app.olga.get('/v1/rule-sets')).json.items
  const seed = (shipped = SHIPPED_RULE_SETS) =>
    seedRuleSets({ config: app.config, db, pool: poolOf(db) } as unknown as Core, shipped)
  const versions = async (id: string) =>
    (await app.olga.get(`/v1/rule-sets/${id}/versions`)).json.items.map(({ version, state }: never) => [version, state])
  /** Returns the first shipped rule set with another phrase, as in a later release. */
  const later = (word: string) => [
    {
      ...SHIPPED_RULE_SETS[0]!,
      rules: SHIPPED_RULE_SETS[0]!.rules.map((rule, n) => (n === 0 ? { ...rule, any: { ru: [word] } } : rule)),
    },
  ]

  it('the first start publishes the shipped rule sets in their order', async () => {
    const found = await sets()
    expect(found.map(({ key }: { key: string }) => key)).to.deep.equal(SHIPPED_RULE_SETS.map(({ key }) => key))
    for (const set of found) expect(set).to.include({ origin: 'shipped', version: 1, mayEdit: true, hasDraft: false })
    const { json } = await app.olga.get(`/v1/rule-sets/${found[0].id}`)
    expect(json.rules).to.deep.equal(JSON.parse(JSON.stringify(SHIPPED_RULE_SETS[0]!.rules)))
    expect(json.applies).to.deep.equal(SHIPPED_RULE_SETS[0]!.applies)
  })

  it('later and simultaneous starts do not change the shipped rule sets', async () => {
    const before = await sets()
    await Promise.all([seed(), seed(), seed()])
    expect(await sets()).to.deep.equal(before)
    await app.db.query('TRUNCATE rule_sets CASCADE')
    await Promise.all([seed(), seed(), seed(), seed()])
    const { rows } = await app.db.query(
      'SELECT count(*)::int AS sets, (SELECT count(*)::int FROM rule_set_versions) AS versions FROM rule_sets',
    )
    expect(rows[0]).to.deep.equal({ sets: SHIPPED_RULE_SETS.length, versions: SHIPPED_RULE_SETS.length })
  })

  it('changed shipped rules become a draft, or a retired version beside an existing draft', async () => {
    const [{ id }] = await sets()
    await seed(later('привет'))
    await seed(later('привет'))
    expect(await versions(id)).to.deep.equal([
      [2, 'draft'],
      [1, 'published'],
    ])
    await app.olga.put(`/v1/rule-sets/${id}/draft`, { revision: 1, rules: SHIPPED_RULE_SETS[0]!.rules })
    await seed(later('салют'))
    expect(await versions(id)).to.deep.equal([
      [3, 'retired'],
      [2, 'draft'],
      [1, 'published'],
    ])
    const draft = (await app.olga.get(`/v1/rule-sets/${id}`)).json.draft
    expect(draft.rules[0].any, 'the owner’s stays').to.deep.equal(
      JSON.parse(JSON.stringify(SHIPPED_RULE_SETS[0]!.rules[0]!.any)),
    )
    await app.olga.delete(`/v1/rule-sets/${id}/draft?revision=2`)
    const restored = (await app.olga.post(`/v1/rule-sets/${id}/versions/3/restore`)).json.draft
    expect(restored.rules[0].any).to.deep.equal({ ru: ['салют'] })
  })

  it('alternating starts of two releases add no further versions', async () => {
    await app.db.query('TRUNCATE rule_sets CASCADE')
    await seed()
    const [{ id }] = await sets()
    for (const shipped of [later('алло'), SHIPPED_RULE_SETS, later('алло'), SHIPPED_RULE_SETS]) await seed(shipped)
    expect(await versions(id)).to.deep.equal([
      [2, 'draft'],
      [1, 'published'],
    ])
    const { draft } = (await app.olga.get(`/v1/rule-sets/${id}`)).json
    expect(draft.rules[0].any).to.deep.equal({ ru: ['алло'] })
    await app.olga.put(`/v1/rule-sets/${id}/draft`, { revision: 1, rules: SHIPPED_RULE_SETS[0]!.rules.slice(1) })
    for (const shipped of [SHIPPED_RULE_SETS, later('алло')]) await seed(shipped)
    expect(await versions(id), 'nor where the draft was changed').to.have.length(2)
  })

  it('the seed does not restore archived sets or replace own sets of the same key', async () => {
    for (const { id } of await sets()) await app.olga.delete(`/v1/rule-sets/${id}`)
    await seed(later('здравствуйте'))
    expect(await sets()).to.deep.equal([])
    await app.db.query('TRUNCATE rule_sets CASCADE')
    const id = await createPublishedRuleSet(app.olga, SHIPPED_RULE_SETS[0]!.key)
    await seed([SHIPPED_RULE_SETS[0]!])
    expect((await app.olga.get(`/v1/rule-sets/${id}`)).json).to.deep.include({ origin: 'own', rules: MANNERS_RULES })
  })

  it('ANALYSIS_SEED_RULES=false loads no shipped rule sets', async () => {
    await app.db.query('TRUNCATE rule_sets CASCADE')
    await app.restart({ ANALYSIS_SEED_RULES: false })
    expect(await sets()).to.deep.equal([])
  })
})
