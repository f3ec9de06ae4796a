import { expect } from 'chai'
import { insertChecked, insertDeals, insertFunnels } from '../../test/company.ts'
import type { CorrelationJson } from '../../analytics/correlation/schema.ts'
import { createLanguages } from '../words.ts'
import { startTestPanel, type Browser, type TestPanel } from '../start-panel.test.ts'
import { correlationView } from './correlation.ts'

const [en, ru] = createLanguages('UTC') as [
  ReturnType<typeof createLanguages>[0],
  ReturnType<typeof createLanguages>[0],
]
const NARROWED = { from: '2026-03-01', to: '2026-03-31' }

const found = (verdict: CorrelationJson['verdict'], low: number | null, value: number, high: number | null) =>
  ({
    verdict,
    a: { value, low, high, level: 0.95, pairs: 5200 },
    pooled: { value: 0.7, pairs: 9000, differs: false },
    deals: { used: 400, won: 150, lost: 250, excluded: { noScore: 0, otherVersion: 0, oneSided: 0 } },
    managers: [],
    bands: [],
    rules: [],
    sensitivity: { withoutLastCall: { value: 0.5, pairs: 1 }, sameTalkTime: { value: 0.5, pairs: 1 } },
  }) as unknown as CorrelationJson

describe('panel: reports', () => {
  it('says what scores and sales have to do with each other, and never a cause', () => {
    const said = (report: CorrelationJson) => correlationView(report, en, NARROWED).verdict
    expect(said(found('higher', 0.55, 0.61, 0.67))).to.equal(
      'Won deals tend to have higher-scored calls: in about 61 of 100 pairs of one manager (55–67). This does not show that raising scores raises sales.',
    )
    expect(said(found('none', 0.44, 0.5, 0.56))).to.equal(
      'No link visible; one weaker than 56 of 100 pairs would usually be missed.',
    )
    expect(said(found('lower', 0.3, 0.38, 0.45))).to.match(/^Lost deals score higher: check the rules\./)
    expect(said(found('too-few', null, 0.9, null))).to.match(/^Too few deals/)
    for (const language of [en, ru]) {
      const words = JSON.stringify(language.words.analytics) + String(said(found('higher', 0.55, 0.61, 0.67)))
      expect(words).to.not.match(/affect|causes?\b|влия|приводит к/i)
    }
    expect(correlationView(found('higher', 0.55, 0.61, 0.67), ru, NARROWED).verdict).to.contain('61 из 100 пар')
  })

  describe('of calls', () => {
    let app: TestPanel
    let olga: Browser
    before(async () => {
      app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
      olga = await app.olgasBrowser()
      const at = '2026-03-17T10:00:00Z'
      await insertChecked(
        app,
        Array.from({ length: 12 }, (_, n) => ({
          at,
          manager: 'Anna',
          score: 50 + n,
          verdicts: { 'next-step': n < 9 ? ('met' as const) : ('missed' as const) },
        })),
      )
    })
    after(() => app.stop())

    it('each figure leads to the list that counts the same', async () => {
      const { status, text } = await olga.open('/analytics/quality?from=2026-03-16&to=2026-03-22')
      expect(status).to.equal(200)
      expect(text).to.contain('aria-label="9 of 12"').and.contain('75 %')
      const [, list] = /href="(\/recordings\?[^"]*rule=[^"]*)"[^>]*>3</.exec(text)!
      const { text: listed } = await olga.open(list!.replaceAll('&amp;', '&'))
      expect(listed).to.contain('<b>3</b>').and.contain('next-step, missed')
    })

    it('each figure of deals leads to their list, and each deal to its calls', async () => {
      await insertFunnels(app, [
        { id: 0, name: 'Windows', stages: [['PRICE', 'Too expensive', 'lost']] },
        { id: 1, name: 'Doors', stages: [] },
      ])
      const [call] = (await app.db.query<{ id: string }>('SELECT id FROM recordings ORDER BY id LIMIT 1')).rows
      const [createdAt, closedAt] = ['2026-03-16T10:00:00Z', '2026-03-18T10:00:00Z']
      await insertDeals(app, [
        { id: 5, outcome: 'lost', stage: 'PRICE', createdAt, closedAt, calls: [call!.id] },
        { id: 6, outcome: 'lost', createdAt, closedAt },
        { id: 7, funnel: 1, outcome: 'won', createdAt, closedAt },
      ])
      const days = 'from=2026-03-16&to=2026-03-22'
      const linkOf = (text: string, wanted: RegExp) => wanted.exec(text)![1]!.replaceAll('&amp;', '&')
      const { text: refusals } = await olga.open(`/analytics/refusals?${days}`)
      const { text: priced } = await olga.open(
        linkOf(refusals, /href="(\/analytics\/deals\?[^"]*reason=Too[^"]*)"[^>]*>1</),
      )
      expect(priced).to.contain('>1 deal</h2>').and.contain('Deal 5').and.contain('Reason: Too expensive')
      const { text: calls } = await olga.open(linkOf(priced, /href="(\/recordings\?deal=5)"[^>]*>1</))
      expect(calls).to.contain('<b>1</b>').and.contain('Deal: 5').and.contain('name="deal"')
      const { text: doors } = await olga.open(`/analytics/sales?${days}&funnel=1`)
      expect(doors).to.match(/<option value="1" selected>Doors/)
      const { text: won } = await olga.open(linkOf(doors, /href="(\/analytics\/deals\?[^"]*outcome=won[^"]*)"/))
      expect(won).to.contain('>1 deal</h2>').and.contain('Deal 7').and.not.contain('Deal 6')
    })

    it('is a file for a spreadsheet, and says beside the field what is wrong with a period', async () => {
      const { text, headers } = await olga.open('/analytics/quality.csv?from=2026-03-16&to=2026-03-22')
      expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(text).to.contain('"managers","Anna","passRate",0.75,9,12')
      const wrong = await olga.open('/analytics/sales?from=2026-03-05&to=2026-03-01')
      expect(wrong.status).to.equal(400)
      expect(wrong.text).to.contain('It lies after the end.')
    })

    it('speaks Russian, and says that deals come from the CRM where there are none', async () => {
      const { text } = await olga.open('/analytics/refusals', { 'Accept-Language': 'ru' })
      expect(text).to.contain('Отказы').and.contain('Сделки приходят из CRM')
    })
  })
})
