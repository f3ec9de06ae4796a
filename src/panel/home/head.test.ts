import { expect } from 'chai'
import type { HomePageJson, HomeSectionJson } from '../../reports/home/schema.ts'
import type { WeeklyReportJson } from '../../reports/weekly/schema.ts'
import { computeWeeklyKpis } from '../../reports/weekly/kpis.ts'
import { EMPTY_WEEK_FIGURES } from '../../reports/weekly/week-figures.ts'
import { createFigureFormatter } from '../analytics/figure-formatter.ts'
import { formatWeeklyLead } from '../analytics/weekly-lead.ts'
import type { PageContext } from '../frame/context.ts'
import { createPanelLanguages } from '../words.ts'
import { buildHeadHomeView } from './head.ts'

const [english] = createPanelLanguages('UTC')
const build = (home: Partial<HomePageJson>) =>
  buildHeadHomeView(
    { lastWeek: null, waiting: null, lowest: null, outOfRange: null, ...home } as HomePageJson,
    '',
    undefined,
    {
      language: english!,
      person: { departments: [], rights: {} },
      panel: { config: { SCORE_BANDS: [50, 70] } },
    } as unknown as PageContext,
  )

const createWeek = (score: number, calls = 20) => ({
  ...EMPTY_WEEK_FIGURES,
  calls,
  done: calls,
  checked: calls,
  score: calls * score,
})
const USUAL_WEEKS = [73, 74, 75, 76, 77, 74, 76, 73].map((score) => createWeek(score))

describe('panel: the home of a head', () => {
  const lead = (last: ReturnType<typeof createWeek>) => {
    const kpis = computeWeeklyKpis([...USUAL_WEEKS, last])
    const week: HomeSectionJson<'lastWeek'> = {
      from: '2026-11-16',
      to: '2026-11-22',
      asOf: null,
      week: '2026-W47',
      calls: last.calls,
      managers: 3,
      kpis,
      cause: null,
    }
    const report = { ...week, state: 'final' } as unknown as WeeklyReportJson
    const { sentence, also } = build({ lastWeek: week }).lastWeek!
    const weekly = formatWeeklyLead(report, createFigureFormatter(english!, { from: '', to: '' }, [50, 70]))
    expect([sentence, also]).to.deep.equal([weekly.text, weekly.also.join('. ')])
    return [sentence, also]
  }

  it('the age of a verdict counts calendar days, as the dates beside it', () => {
    const lateYesterday = `${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T23:59:59.000Z`
    const item = {
      findingId: 'f',
      recordingId: 'r',
      reason: 'disputed' as const,
      rule: { key: 'k', name: { en: 'Greets', ru: 'Поздоровался' }, points: 5, critical: false },
      managerName: 'Anna',
      callAt: lateYesterday,
      quote: null,
    }
    const items = [lateYesterday, new Date().toISOString()].map((waitingSince) => ({ ...item, waitingSince }))
    const waiting = build({ waiting: { critical: 0, disputed: 2, oldestAt: lateYesterday, items } }).waiting!
    expect(waiting.counts).to.equal('2 disputes, oldest call from 1 day ago')
    expect(waiting.items.map(({ age }) => age)).to.deep.equal(['1 day', 'today'])
  })

  it('the lead is that of the weekly report, and no change within the usual range is news', () => {
    expect(lead(createWeek(76))).to.deep.equal(['Everything is within the usual range.', ''])
    expect(lead(createWeek(76, 21))).to.deep.equal([
      'The average score was 76, usually 73–77.',
      'Calls: 21, above the usual 20',
    ])
    expect(lead(createWeek(60))[0]).to.equal('The average score fell from 73 to 60, below its usual 73–77.')
  })
})
