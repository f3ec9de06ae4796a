import { expect } from 'chai'
import type { CorrelationReportJson } from '../../reports/correlation/schema.ts'
import { insertCheckedCalls, insertDeals, insertRuleSetVersionCopy } from '../../test/checked-calls.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { createPanelLanguages } from '../words.ts'
import { buildCorrelationView } from './correlation.ts'
import { createFigureFormatter } from './figure-formatter.ts'

const [en, ru] = createPanelLanguages('UTC') as [
  ReturnType<typeof createPanelLanguages>[0],
  ReturnType<typeof createPanelLanguages>[0],
]
const FILTERED_PERIOD = { from: '2026-03-01', to: '2026-03-31' }

const createReport = (
  verdict: CorrelationReportJson['verdict'],
  low: number | null,
  value: number,
  high: number | null,
) =>
  ({
    verdict,
    a: { value, low, high, level: 0.95, pairs: 5200 },
    pooled: { value: 0.7, pairs: 9000, differs: false },
    deals: { used: 400, won: 150, lost: 250, excluded: { noScore: 0, otherSet: 0, otherVersion: 0, oneSided: 0 } },
    managers: [],
    bands: [],
    rules: [],
    sensitivity: { withoutLastCall: { value: 0.5, pairs: 1 }, sameTalkTime: { value: 0.5, pairs: 1 } },
    ruleVersion: null,
    versions: [],
    bootstrap: { requested: 1000, valid: 1000, void: 0 },
  }) as unknown as CorrelationReportJson

describe('panel: correlation report', () => {
  it('the verdict describes how scores and sales are related and never names a cause', () => {
    const formatVerdictText = (report: CorrelationReportJson) =>
      buildCorrelationView(report, createFigureFormatter(en, FILTERED_PERIOD, [50, 70])).verdict
    expect(formatVerdictText(createReport('higher', 0.55, 0.61, 0.67))).to.equal(
      'Calls of won deals usually score higher: in about 61 of 100 pairs of the same manager (55–67). This does not prove that higher scores raise sales.',
    )
    expect(formatVerdictText(createReport('none', 0.44, 0.5, 0.56))).to.equal(
      'No relationship found. One weaker than 56 of 100 pairs would usually go unnoticed.',
    )
    expect(formatVerdictText(createReport('lower', 0.3, 0.38, 0.45))).to.match(
      /^Lost deals score higher\. Check the rules\./,
    )
    expect(formatVerdictText(createReport('too-few', null, 0.9, null))).to.match(/^Too few deals/)
    for (const language of [en, ru]) {
      const words =
        JSON.stringify(language.words.analytics) + String(formatVerdictText(createReport('higher', 0.55, 0.61, 0.67)))
      expect(words).to.not.match(/affect|causes?\b|влия|приводит к/i)
    }
    expect(
      buildCorrelationView(
        createReport('higher', 0.55, 0.61, 0.67),
        createFigureFormatter(ru, FILTERED_PERIOD, [50, 70]),
      ).verdict,
    ).to.contain('61 из 100 пар')
  })

  it('the charts show pair shares from 50% and win rates by score, with intervals', () => {
    const band = {
      from: 40,
      to: 60,
      winRate: { value: 0.3, numerator: 12, denominator: 40 },
      low: 0.1807,
      high: 0.4543,
    }
    const few = { from: 0, to: 40, winRate: { value: null, numerator: 1, denominator: 3 }, low: 0.06, high: 0.79 }
    const report = { ...createReport('higher', 0.55, 0.61, 0.67), bands: [few, band] }
    const [pairs, bands] = buildCorrelationView(report, createFigureFormatter(en, FILTERED_PERIOD, [50, 70])).charts
    expect(pairs!.points.map(({ text }) => text)).to.include('All calls: Won deal scored higher 61, between 55 and 67')
    expect(pairs!.ends).to.include('All calls: 61')
    // The bar starts at 50% (y = 50) and grows up to 61%; the whisker spans 55% to 67%.
    expect(pairs!.bars[0]!.path).to.match(/^M1\.5 39h7v11h-7z/)
    expect(pairs!.base).to.equal('M0 50h40')
    expect(pairs!.whiskers).to.equal('M4 33h2M5 33V45M4 45h2')
    expect(bands!.points.map(({ text }) => text)).to.deep.equal([
      'Score 0–40: Win rate —',
      'Score 40–60: Win rate 30%, between 18% and 45%',
    ])
    expect(bands!.bars[0]!.path, 'none of fewer than ten').to.equal('M11.5 70h7v30h-7z')
    expect(
      buildCorrelationView(report, createFigureFormatter(ru, FILTERED_PERIOD, [50, 70])).charts[0]!.points[0]!.text,
    ).to.contain('61, от 55 до 67')
  })

  it('the basis lists excluded deals, rule version, interval level and empty resamples', () => {
    const set = { key: 'sales', name: { en: 'Sales call', ru: 'Продажа' } }
    const other = { key: 'outgoing', name: { en: 'Outgoing call', ru: 'Исходящий' } }
    const counts = { version: 3, calls: 70, deals: 50, used: true }
    const report: CorrelationReportJson = {
      ...createReport('higher', 0.55, 0.61, 0.67),
      versions: [
        { ...counts, set },
        { ...counts, set, version: 2, used: false },
        { ...counts, set: other, used: false },
      ],
      ruleVersion: { set: 'sales', version: 3 },
      bootstrap: { requested: 20, valid: 19, void: 1 },
    }
    report.a.level = 0.905
    report.deals.excluded = { noScore: 20, otherSet: 4, otherVersion: 0, oneSided: 8 }
    const formatVerdictText = (language: typeof en, given = report) =>
      buildCorrelationView(given, createFigureFormatter(language, FILTERED_PERIOD, [50, 70])).basis!
    expect(formatVerdictText(en)).to.deep.equal([
      {
        text: 'Closed deals not compared: 32',
        href: '/analytics/deals?from=2026-03-01&to=2026-03-31&scoredBy=sales%2F3&compared=false',
      },
      '(20 without a scored call before closing, 4 scored by other rule sets (“Outgoing call”), 8 of managers with only won or only lost deals).',
      'Scores by “Sales call”, version 3.',
      '90.5% interval from 20 resamples of the deals, 1 of them without a pair.',
    ])
    expect(JSON.stringify(formatVerdictText(ru)))
      .to.contain('«Продажа», версия 3')
      .and.contain('Интервал 90,5\u00a0%')
      .and.contain('4 с оценками по другим наборам правил («Исходящий»)')
    const [choice] = buildCorrelationView(report, createFigureFormatter(en, FILTERED_PERIOD, [50, 70])).choices!
    expect(choice!.options.map(({ value, text }) => `${value} ${text}`)).to.deep.equal([
      ' most calls',
      'sales/3 “Sales call”, version 3: 70 calls',
      'sales/2 “Sales call”, version 2: 70 calls',
      'outgoing/3 “Outgoing call”, version 3: 70 calls',
    ])
    const none = { ...report, verdict: 'no-interval' as const, a: { ...report.a, low: null, high: null, level: null } }
    expect(formatVerdictText(en, none).at(-1)).to.equal('Resamples of the deals without a pair: 1 of 20.')
    expect(
      formatVerdictText(en, {
        ...none,
        deals: createReport('none', 0, 0, 0).deals,
        ruleVersion: null,
        bootstrap: { requested: 20, valid: 0, void: 0 },
      }),
    ).to.deep.equal([])
  })

  it('with too few deals, the report shows only counts', () => {
    const pairs = { value: null, pairs: 14 }
    const rule = {
      set: { key: 's', name: { en: 'S', ru: 'S' } },
      rule: { key: 'r', name: { en: 'Greets', ru: 'Greets' } },
    }
    const report = {
      ...createReport('too-few', null, 0, null),
      a: { ...pairs, low: null, high: null, level: null },
      pooled: { ...pairs, differs: false },
      managers: [{ managerId: null, manager: 'Anna', ...pairs, won: 2, lost: 7 }],
      rules: [{ ...rule, met: 5, unmet: 4, difference: null, p: null, q: null, notable: false }],
      sensitivity: { withoutLastCall: pairs, sameTalkTime: pairs },
    }
    const view = buildCorrelationView(report, createFigureFormatter(en, FILTERED_PERIOD, [50, 70]))
    expect(JSON.stringify({ ...view, notes: [] })).to.not.contain(' %')
    expect(view.charts).to.deep.equal([])
    const rows = view.tables.flatMap((table) => table.rows.map(({ cells }) => cells.map(({ text }) => text)))
    expect(rows)
      .to.deep.include(['14', '—'])
      .and.to.deep.include(['2', '7', '14', '—'])
      .and.to.deep.include(['5', '4', '—', 'too few deals to compare'])
  })

  describe('choice of a rule version', () => {
    let app: TestPanel
    let olga: PanelBrowser
    before(async () => {
      app = await startTestPanel({ API_RUN_MODE: 'api' })
      olga = await app.openOwnerBrowser()
    })
    after(() => app.stop())

    it('a person chooses the rule version, and a note names a changed version', async () => {
      const second = await insertRuleSetVersionCopy(app, 2)
      const at = '2026-02-04T10:00:00Z'
      const versions = [undefined, undefined, undefined, second, second]
      const calls = await insertCheckedCalls(
        app,
        versions.map((version) => ({ at, manager: 'Vera', score: 50, ...(version && { version }) })),
      )
      await insertDeals(
        app,
        calls.map((call, n) => ({
          id: 21 + n,
          outcome: n % 2 === 0 ? 'won' : 'lost',
          createdAt: at,
          closedAt: '2026-02-05T10:00:00Z',
          calls: [call],
        })),
      )
      const page = '/analytics/correlation?from=2026-02-02&to=2026-02-08'
      const first = await olga.open(page)
      expect(first.text)
        .to.contain('<option value="incoming-sales/1">“Incoming sales call”, version 1: 3 calls</option>')
        .and.contain('Scores by “Incoming sales call”, version 1.')
        .and.not.contain('Last time')
      olga.headers.Cookie += `; ${/scored_by=[^;]*/.exec(first.headers.get('set-cookie')!)![0]}`
      expect((await olga.open(page)).text).to.not.contain('Last time')
      const chosen = await olga.open(`${page}&scoredBy=incoming-sales%2F2`)
      expect(chosen.text)
        .to.contain('<option value="incoming-sales/2" selected>')
        .and.contain(
          'Scores now come from “Incoming sales call”, version 2. Last time this report used “Incoming sales call”, version 1.',
        )
      const [, list] = /href="(\/analytics\/deals\?[^"]*compared=true[^"]*)"[^>]*>2</.exec(chosen.text)!
      expect((await olga.open(list!.replaceAll('&amp;', '&'))).text)
        .to.contain('>2 deals</h2>')
        .and.contain('Scores by: “Incoming sales call”, version 2')
      const { text: csv } = await olga.open(
        `/analytics/correlation.csv?from=2026-02-02&to=2026-02-08&scoredBy=incoming-sales%2F2`,
      )
      expect(csv).to.contain('"ruleVersion","","version",2')
      const response = await olga.open(`${page}&scoredBy=incoming-sales%2F9`, { 'Accept-Language': 'ru' })
      expect([response.status, response.text.includes('Нет такой версии правил.')]).to.deep.equal([400, true])
    })
  })
})
