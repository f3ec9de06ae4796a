import { expect } from 'chai'
import type { HomePageJson, HomeSectionJson } from '../../reports/home/schema.ts'
import type { PageContext } from '../frame/context.ts'
import { createPanelLanguages } from '../words.ts'
import { buildManagerHomeView } from './manager.ts'

const [english, russian] = createPanelLanguages('UTC')
const EMPTY_HOME = { myWeek: null, coaching: null, lostPoints: null, disputes: null }
const build = (home: Partial<HomePageJson>, language = english!) =>
  buildManagerHomeView(
    { ...EMPTY_HOME, ...home } as HomePageJson,
    { language, panel: { config: { SCORE_BANDS: [50, 70] } } } as unknown as PageContext,
  )

const WEEK: HomeSectionJson<'myWeek'> = {
  from: '2026-11-16',
  to: '2026-11-22',
  asOf: null,
  calls: 25,
  score: 69.4,
  low: 77,
  high: 88.6,
  weeks: [81, 69.4],
  latest: null,
  figures: [],
}

describe('panel: the home of a manager', () => {
  it('the lead compares the score with the usual range, and calls no change within it news', () => {
    const lead = (change: Partial<typeof WEEK>, language = english) =>
      build({ myWeek: { ...WEEK, ...change } }, language).week!.sentence
    expect(lead({})).to.equal('Last week your average score fell to 69, below your usual 77–89.')
    expect(lead({ score: 90 })).to.equal(
      'Last week was your best in nine weeks: an average score of 90 over 25 calls, above your usual 77–89.',
    )
    for (const score of [76.5, 81.2, 89.4]) {
      expect(lead({ score })).to.match(
        /^Last week your average score was \d\d over 25 calls, within your usual 77–89\.$/,
      )
    }
    expect(lead({ low: null })).to.equal('Last week your average score was 69 over 25 calls.')
    expect(lead({ low: null }, russian)).to.equal('Ваша средняя оценка за прошлую неделю — 69 по 25 звонкам.')
  })

  it('the difference of a figure is that of the shown values', () => {
    const figure = { numerator: null, denominator: null, flag: null, weeks: [] }
    const figures: (typeof WEEK)['figures'] = [
      { ...figure, name: 'calls', value: 25, before: 13.5 },
      { ...figure, name: 'rulesMet', value: 0.755, before: 0.8649, flag: 'below' },
    ]
    const shown = build({ myWeek: { ...WEEK, figures } }).week!.figures
    expect(shown.map(({ value, change, className, before }) => [value, change, className, before])).to.deep.equal([
      ['25', '+11', 'muted', 'previously: 14'],
      ['76%', '−10', 'failed-text', 'previously: 86%'],
    ])
  })

  const createRule = (set: string, key: string, name: string) => ({
    set: { key: set, name: { en: `Set ${set}`, ru: set } },
    rule: { key, name: { en: name, ru: name } },
  })

  it('lost points name the rule set where names repeat, count the misses and link their calls', () => {
    const counts = {
      points: 20,
      passRate: { value: 0.5833, numerator: 7, denominator: 12 },
      before: { value: null, numerator: 2, denominator: 7 },
    }
    const lostPoints = [
      { ...createRule('in', 'hello', 'Greets'), ...counts },
      { ...createRule('out', 'hi', 'Greets'), ...counts },
      { ...createRule('out', 'bye', 'Says goodbye'), ...counts },
    ]
    const rows = build({ myWeek: WEEK, lostPoints }).lostPoints!
    expect(rows.map(({ ruleSet }) => ruleSet)).to.deep.equal(['Set in', 'Set out', null])
    expect(rows[0]).to.include({ now: '5 of 12', before: '5 of 7' })
    const { searchParams } = new URL(rows[0]!.href!, 'http://panel')
    expect(Object.fromEntries(searchParams)).to.deep.equal({
      dateFrom: '2026-11-16',
      dateTo: '2026-11-22',
      rule: 'in/hello:missed',
    })
  })

  it('the coaching point names the rule set, and the cost of a miss if there is one', () => {
    const point = {
      ...createRule('in', 'hello', 'Greets'),
      points: 0,
      met: 3,
      judged: 10,
      hint: null,
      score: 60,
      reachable: null,
      weeks: [],
    }
    const about = (points: number) => build({ coaching: { point: { ...point, points }, calls: [] } }).coaching!.about
    expect(about(0)).to.equal('Rule set “Set in”: met in 3 of 10 calls in the last four weeks.')
    expect(about(1)).to.equal(
      'Rule set “Set in”: met in 3 of 10 calls in the last four weeks. Each miss costs 1 point.',
    )
  })

  const ANSWER: HomeSectionJson<'disputes'>[number] = {
    recordingId: 'r',
    phoneNumber: '+375291112233',
    callAt: '2026-11-16T08:00:00.000Z',
    rule: createRule('in', 'hello', 'Greets').rule,
    state: 'changed',
    verdict: 'met',
    disputedAt: '2026-11-17T08:00:00.000Z',
    decidedAt: '2026-11-18T08:00:00.000Z',
    decidedBy: 'Hanna',
    comment: 'Agreed with the dispute',
    score: 70,
    automaticScore: 60,
  }

  it('an answer names its call, and the reason of the panel is in the language of the reader', () => {
    const [answer] = build({ disputes: [ANSWER] }, russian).disputes!.latest
    expect(answer).to.include({ phone: '+375 29 111-22-33', comment: 'Возражение принято' })
    expect(answer!.call.text).to.equal('звонок 16 нояб. 08:00')
    const [own] = build({ disputes: [{ ...ANSWER, comment: 'Agreed' }] }, russian).disputes!.latest
    expect(own!.comment, 'of a person').to.equal('Agreed')
  })

  it('the home folds all but the ten latest answers', () => {
    const { latest, older, olderTitle } = build({ disputes: Array.from({ length: 13 }, () => ANSWER) }).disputes!
    expect([latest.length, older.length, olderTitle]).to.deep.equal([10, 3, 'Older: 3'])
  })
})
