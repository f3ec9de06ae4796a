import { expect } from 'chai'
import type { QualityReportJson } from '../../reports/quality/schema.ts'
import type { RefusalsReportJson } from '../../reports/refusals/schema.ts'
import type { SalesReportJson } from '../../reports/sales/schema.ts'
import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import { EMPTY_WEEK_FIGURES, type WeekFigures } from '../../reports/weekly/week-figures.ts'
import { computeWeeklyKpis } from '../../reports/weekly/kpis.ts'
import { createPanelLanguages } from '../words.ts'
import { createFigureFormatter } from './figure-formatter.ts'
import { qualityReportPage } from './quality.ts'
import { lostDealsReportPage } from './refusals.ts'
import type { ReportPage } from './report.ts'
import { salesReportPage } from './sales.ts'
import { findKpi, formatKpiChance } from './weekly-figures.ts'
import { countWeeksSinceLastCalls, formatWeeklyLead } from './weekly-lead.ts'

const [english, russian] = createPanelLanguages('UTC').map((language) =>
  createFigureFormatter(language, { from: '2026-03-01', to: '2026-03-31' }, [50, 70]),
) as [ReturnType<typeof createFigureFormatter>, ReturnType<typeof createFigureFormatter>]

const createWeek = (score: number, more: Partial<WeekFigures> = {}): WeekFigures => ({
  ...EMPTY_WEEK_FIGURES,
  calls: 20,
  done: 20,
  checked: 20,
  score: 20 * score,
  met: 80,
  missed: 20,
  ...more,
})
const USUAL_WEEKS = [73, 74, 75, 76, 77, 74, 76, 75].map((score) => createWeek(score))
const createReport = (weeks: WeekFigures[], state: WeeklyReportJson['state'] = 'final') =>
  ({ state, kpis: computeWeeklyKpis(weeks, state === 'running') }) as WeeklyReportJson
const leadOf = (report: WeeklyReportJson) =>
  [english, russian].map((formatter) => formatWeeklyLead(report, formatter).text)

describe('panel: first sentence of the weekly report', () => {
  it('the sentence names a score outside its usual range before other figures', () => {
    const { text, also } = formatWeeklyLead(createReport([...USUAL_WEEKS, createWeek(62, { calls: 40 })]), english)
    expect(text).to.equal('The average score fell from 75 to 62, below its usual 73–77.')
    expect(also).to.deep.equal(['Calls: 40, above the usual 20'])
    expect(leadOf(createReport([...USUAL_WEEKS, createWeek(90)]))).to.deep.equal([
      'The average score rose from 75 to 90, above its usual 73–77.',
      'Средняя оценка выросла с 75 до 90 — выше обычных 73–77.',
    ])
  })

  it('the sentence names the rule behind a change of the score', () => {
    const name = { en: 'Agrees the next step', ru: 'Назначил следующий шаг' }
    const rule = { set: { key: 's', name }, rule: { key: 'r', name }, share: 0.38, previous: 0.54 }
    const report = { ...createReport([...USUAL_WEEKS, createWeek(62)]), cause: rule }
    expect(leadOf(report)).to.deep.equal([
      'The average score fell from 75 to 62, below its usual 73–77, mostly because fewer calls met “Agrees the next step”: 38% instead of 54%.',
      'Средняя оценка снизилась с 75 до 62 — ниже обычных 73–77, в основном из-за правила «Назначил следующий шаг»: выполнено в 38\u00a0% звонков, неделей раньше — 54\u00a0%.',
    ])
  })

  it('the score comes first if other changes could be chance', () => {
    const week = createWeek(75, { calls: 40 })
    const usual = USUAL_WEEKS.map((one, n) => ({ ...one, calls: n % 2 === 0 ? 5 : 39 }))
    const { text, also } = formatWeeklyLead(createReport([...usual, week]), english)
    expect(text).to.equal('The average score was 75, usually 73–77.')
    expect(also).to.deep.equal(['Calls: 40, above the usual 5–39'])
  })

  it('a week within all ranges is called usual', () => {
    expect(leadOf(createReport([...USUAL_WEEKS, createWeek(75)]))).to.deep.equal([
      'Everything is within the usual range.',
      'Всё в обычных пределах.',
    ])
  })

  it('the sentence compares nothing with too few weeks or scored calls', () => {
    expect(leadOf(createReport([EMPTY_WEEK_FIGURES, createWeek(75), createWeek(10)]))[0]).to.equal(
      'Average score: 10. Fewer than eight earlier weeks have data, so nothing is flagged yet.',
    )
    const few = { done: 3, checked: 3, met: 3, missed: 0, score: 30 }
    expect(leadOf(createReport([...USUAL_WEEKS, createWeek(0, few)]))).to.deep.equal([
      '3 calls with a score: too few to compare.',
      '3 звонка с оценкой — слишком мало для сравнения.',
    ])
  })

  it('the sentence of a running week gives no verdict', () => {
    expect(leadOf(createReport([...USUAL_WEEKS, createWeek(10, { calls: 21 })], 'running'))).to.deep.equal([
      '21 calls so far. Average score: 10.',
      'Пока 21 звонок. Средняя оценка: 10.',
    ])
  })

  it('an empty week says so, and the latest week with calls is found', () => {
    const report = createReport([...USUAL_WEEKS, EMPTY_WEEK_FIGURES, EMPTY_WEEK_FIGURES])
    expect(leadOf(report)).to.deep.equal(['No calls this week.', 'На этой неделе звонков нет.'])
    expect(countWeeksSinceLastCalls(report)).to.equal(2)
  })
})

describe('panel: chance labels', () => {
  const chanceOf = (last: WeekFigures, name: 'score' | 'calls' = 'score') =>
    formatKpiChance(findKpi(createReport([...USUAL_WEEKS, last]), name), english)

  it('a figure is called usual, possible chance or hardly chance, with the probability as title', () => {
    expect(chanceOf(createWeek(75)).text).to.equal('as usual')
    expect(chanceOf(createWeek(78)).text).to.equal('above usual, possibly chance')
    const { text, title } = chanceOf(createWeek(50))
    expect(text).to.equal('below usual, unlikely to be chance')
    expect(title).to.match(/^By chance alone, 0% of weeks/)
  })

  it('an unusual figure could be chance if equal earlier weeks give no probability', () => {
    expect(chanceOf(createWeek(75, { calls: 50 }), 'calls').text).to.equal('above usual, possibly chance')
  })

  it('figures of too few calls or weeks are not compared', () => {
    expect(chanceOf(createWeek(75, { checked: 9 })).text).to.equal('too few calls to compare')
    const [first] = createReport([EMPTY_WEEK_FIGURES, createWeek(75), createWeek(75)]).kpis
    expect(formatKpiChance(first!, english).text).to.equal('too few weeks to compare')
  })
})

describe('panel: first sentence of other reports', () => {
  const verdictOf = (report: ReportPage, data: unknown) =>
    [english, russian].map((formatter) => report.show(data as never, formatter, undefined as never).verdict)

  it('the sales report begins with won and lost deals, or says too few', () => {
    const createSales = (won: number, lost: number, silent = 0) => {
      const winRate = { value: won + lost < 10 ? null : won / (won + lost), numerator: won, denominator: won + lost }
      const none = { value: null, numerator: 0, denominator: 0 }
      const totals = {
        won,
        lost,
        created: 0,
        winRate,
        cohort: none,
        silent,
        amounts: [],
        cycleDays: {},
        callsBefore: {},
      }
      return { totals, weeks: [], managers: [], funnels: [], silent: [] } as unknown as SalesReportJson
    }
    expect(verdictOf(salesReportPage, createSales(42, 78, 1))).to.deep.equal([
      '42 won, 78 lost. Win rate: 35%. 1 open deal has had no call for 14 days.',
      'Выиграно: 42, проиграно: 78. Доля выигранных: 35\u00a0%. Без звонков 14 дней: 1 открытая сделка.',
    ])
    expect(verdictOf(salesReportPage, createSales(1, 1))).to.deep.equal([
      '2 closed deals: too few to compare.',
      '2 закрытые сделки — слишком мало для сравнения.',
    ])
  })

  it('the report of lost deals begins with the most frequent reason', () => {
    const createRefusals = (lost: number, first: number, unnamed = 0) => {
      const share = (numerator: number) => ({
        value: lost < 10 ? null : numerator / lost,
        numerator,
        denominator: lost,
      })
      const reasons = [
        { reason: null, share: share(unnamed) },
        { reason: 'Price', share: share(first) },
      ]
      return { lost, reasons, objections: [], stages: [], calls: [], managers: [] } as unknown as RefusalsReportJson
    }
    expect(verdictOf(lostDealsReportPage, createRefusals(40, 10, 14))).to.deep.equal([
      '40 deals lost, 14 without a reason. The reason named most often: “Price” (25%).',
      '40 проигранных сделок, без причины: 14. Чаще всего называют «Price» (25\u00a0%).',
    ])
    expect(verdictOf(lostDealsReportPage, createRefusals(40, 10))).to.deep.equal([
      '40 deals lost, most often because of “Price” (25%).',
      '40 проигранных сделок. Самая частая причина: «Price» (25\u00a0%).',
    ])
    expect(verdictOf(lostDealsReportPage, createRefusals(5, 5))[0]).to.equal('5 lost deals: too few to compare.')
  })

  it('the quality report begins with the most missed rule and the lowest score', () => {
    const name = { en: 'Greets', ru: 'Поздоровался' }
    const passRate = { value: 0.5, numerator: 10, denominator: 20 }
    const rule = { set: { key: 's', name }, rule: { key: 'r', name }, passRate, missed: 10, weakManagers: 0 }
    const createQuality = (score: number | null, count: number) => {
      const figures = { calls: 20, coverage: passRate, passRate, score: { value: score, count } }
      const speakers = { channels: 20, voices: 0, none: 0 }
      const managers = ['Anna', 'Boris'].map((manager) => ({ manager, managerId: manager, ...figures }))
      return {
        totals: figures,
        weeks: [],
        managers,
        rules: [rule],
        heat: [],
        sets: [],
        speakers,
      } as unknown as QualityReportJson
    }
    expect(verdictOf(qualityReportPage, createQuality(64.5, 20))).to.deep.equal([
      'The rule missed most often is “Greets”: met in 50% (10 of 20). Lowest average score: Anna, 65.',
      'Чаще всего не выполняют правило «Поздоровался»: выполнено в 50\u00a0% звонков (10 из 20). Самая низкая средняя оценка: Anna, 65.',
    ])
    expect(verdictOf(qualityReportPage, createQuality(null, 1))).to.deep.equal([
      '1 call with a score: too few to compare.',
      '1 звонок с оценкой — слишком мало для сравнения.',
    ])
  })
})
