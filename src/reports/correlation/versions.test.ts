import { expect } from 'chai'
import {
  insertCheckedCalls,
  insertDeals,
  insertRuleSetVersionCopy,
  findPublishedRuleSetVersionId,
  type CheckedCallRow,
} from '../../test/checked-calls.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import type { DealsPage } from '../deals/schema.ts'
import type { CorrelationReportJson } from './schema.ts'

const hourToIso = (n: number) => new Date(Date.parse('2026-02-02T09:00:00Z') + n * 3_600_000).toISOString()
const PERIOD = 'from=2026-02-01&to=2026-02-28'

describe('correlation: rule versions', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', CORRELATION_BOOTSTRAP_REPLICATES: 20 })
    const [first, other] = [
      await findPublishedRuleSetVersionId(app),
      await findPublishedRuleSetVersionId(app, 'outgoing-sales'),
    ]
    const second = await insertRuleSetVersionCopy(app, 2)
    // The first version scored deals 1 to 6 and 10, the second 7 to 10. The other rule set scored deals 11 to 13; deal 14 has no
    // score.
    const scored = [
      ...Array.from({ length: 6 }, () => first),
      ...Array.from({ length: 4 }, () => second),
      other,
      other,
      other,
    ]
    const calls = scored.map((version, n): CheckedCallRow => ({
      at: hourToIso(n),
      manager: 'Anna',
      score: 5 * n,
      version,
    }))
    const ids = await insertCheckedCalls(app, [
      ...calls,
      { at: hourToIso(20), manager: 'Anna', score: 70, version: first },
    ])
    await insertDeals(
      app,
      Array.from({ length: 14 }, (_, n) => ({
        id: n + 1,
        outcome: n % 2 === 0 ? ('won' as const) : ('lost' as const),
        createdAt: hourToIso(0),
        closedAt: hourToIso(100),
        calls: [...ids.slice(n, n + 1).filter(() => n < 13), ...(n === 9 ? [ids[13]!] : [])],
      })),
    )
  })
  after(() => app.stop())

  async function fetchReport(query = ''): Promise<CorrelationReportJson> {
    const { status, json, text } = await app.olga.get(`/v1/analytics/correlation?${PERIOD}${query}`)
    expect(status, text).to.equal(200)
    return json as CorrelationReportJson
  }
  const dealsOf = async (query: string) =>
    (await app.olga.get(`/v1/analytics/deals?${PERIOD}${query}`)).json as DealsPage

  it('the correlation report names the versions of all scores and the compared one', async () => {
    const { ruleVersion, versions } = await fetchReport()
    expect(ruleVersion).to.deep.equal({ set: 'incoming-sales', version: 1 })
    expect(
      versions.map(({ set, version, calls, deals, used }) => [set.key, version, calls, deals, used]),
    ).to.deep.equal([
      ['incoming-sales', 1, 7, 7, true],
      ['incoming-sales', 2, 4, 4, false],
      ['outgoing-sales', 1, 3, 3, false],
    ])
    expect(versions[2]!.set.name.en).to.equal('Outgoing sales call')
  })

  it('the correlation report counts deals of other versions apart from those of other sets', async () => {
    expect((await fetchReport()).deals).to.deep.include({
      used: 7,
      excluded: { noScore: 1, otherSet: 3, otherVersion: 3, oneSided: 0 },
    })
  })

  it('the correlation report compares the requested version, and its lists have the same counts', async () => {
    for (const [scoredBy, used, excluded] of [
      ['incoming-sales/1', 7, { noScore: 1, otherSet: 3, otherVersion: 3, oneSided: 0 }],
      ['incoming-sales/2', 4, { noScore: 1, otherSet: 3, otherVersion: 6, oneSided: 0 }],
      ['outgoing-sales/1', 3, { noScore: 1, otherSet: 10, otherVersion: 0, oneSided: 0 }],
    ] as const) {
      const { deals, ruleVersion, versions } = await fetchReport(`&scoredBy=${scoredBy}`)
      expect(deals, scoredBy).to.deep.include({ used, excluded })
      expect(`${ruleVersion!.set}/${ruleVersion!.version}`).to.equal(scoredBy)
      expect(versions.filter((version) => version.used)).to.have.length(1)
      expect((await dealsOf(`&scoredBy=${scoredBy}&compared=true`)).total).to.equal(used)
      expect((await dealsOf(`&scoredBy=${scoredBy}&compared=false`)).total).to.equal(14 - used)
    }
    const low = await dealsOf('&scoredBy=incoming-sales/2&scoreBelow=41')
    expect(low.items.map(({ id }) => id).toSorted()).to.deep.equal(['7', '8', '9'])
  })

  it('the correlation report names the requested version even without scores of it', async () => {
    const { json } = await app.olga.get(
      '/v1/analytics/correlation?from=2026-01-01&to=2026-01-31&scoredBy=incoming-sales/2',
    )
    const { ruleVersion, versions, verdict } = json as CorrelationReportJson
    expect([ruleVersion, verdict]).to.deep.equal([{ set: 'incoming-sales', version: 2 }, 'too-few'])
    expect(versions.map(({ version, calls, used }) => [version, calls, used])).to.deep.equal([[2, 0, true]])
  })

  it('the correlation report and its lists reject unknown versions', async () => {
    for (const path of ['correlation', 'deals']) {
      for (const scoredBy of ['incoming-sales/9', 'nothing/1']) {
        const { status, json } = await app.olga.get(`/v1/analytics/${path}?scoredBy=${scoredBy}`)
        expect([status, json.message[0]], `${path} ${scoredBy}`).to.deep.equal([
          400,
          'scoredBy must be the key of a rule set and the number of one of its versions, such as incoming-sales/2',
        ])
      }
      expect((await app.olga.get(`/v1/analytics/${path}?scoredBy=incoming-sales`)).status).to.equal(400)
    }
  })
})
