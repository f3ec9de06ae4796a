import { expect } from 'chai'
import { Temporal } from 'temporal-polyfill'
import { storeWeeklyReports } from '../../reports/weekly/store-reports.ts'
import { connectDatabase, poolOf } from '../../platform/db/db.ts'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { insertCheckedCalls, type CheckedCallRow } from '../../test/checked-calls.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const MONDAY = Date.parse('2026-03-29T22:00:00Z')
const createWeekOfCalls = (manager: string, weeksAgo: number, scores: number[]): CheckedCallRow[] =>
  scores.map((score, n) => ({
    at: new Date(MONDAY + (30 + n - weeksAgo * 168) * 3_600_000).toISOString(),
    manager,
    score,
    duration: 90,
    verdicts: { greeting: 'met', 'next-step': score < 50 ? 'missed' : 'met' },
  }))
const WEEK = '/analytics/weekly?week=2026-W14'
const SHEETS = '/analytics/weekly/sheets?week=2026-W14'
const repeatScore = (count: number, score: number) => Array.from({ length: count }, () => score)

describe('panel: weekly report', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let calls: string[]
  /** The page as rendered before any call exists. */
  let nothingYet: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Berlin' })
    olga = await app.openOwnerBrowser()
    nothingYet = await text('/analytics/weekly')
    calls = await insertCheckedCalls(app, [
      ...createWeekOfCalls('Anna', 0, [20, 30, 40, ...repeatScore(12, 90)]),
      ...createWeekOfCalls('Boris', 0, [61, 62]),
      ...Array.from({ length: 8 }, (_, n) =>
        createWeekOfCalls('Anna', n + 1, repeatScore(11, n === 1 ? 49 : 70)),
      ).flat(),
    ])
    const department = await createDepartment(app, 'Sales', ['Boris'])
    await createLoggedInPerson(app, 'Hanna', { role: 'head', departments: [department] })
  })
  after(() => app.stop())

  const text = async (path: string, browser = olga, headers = {}) => (await browser.open(path, headers)).text
  async function makeReports(time: string): Promise<void> {
    const db = await connectDatabase(app.config.DATABASE_URL!, { poolSize: 2 })
    await storeWeeklyReports({ db, pool: poolOf(db), config: app.config }, Temporal.Instant.from(time))
    await db.destroy()
  }
  const hannas = async () => {
    const browser = app.browser()
    await browser.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    return browser
  }

  it('before the first weekly report, the page says when it will appear', () => {
    expect(nothingYet).to.contain('The first report appears at 07:00 on the Monday')
  })

  it('the report shows unusual figures, calls to hear with reasons, and that it is provisional', async () => {
    await makeReports('2026-04-06T05:00:00Z')
    const page = await text(WEEK)
    expect(page).to.contain('Week of 30 Mar – 5 Apr 2026').and.contain('Calls: 17, above the usual 11')
    expect(page).to.contain('Provisional').and.contain('until 8 Apr 2026, 07:00')
    expect(page).to.contain(`/recordings/${calls[0]}?t=0#play`).and.contain('missed: Agrees the next step')
    expect(page).to.match(/data-play-tracks="\d">Play all</)
    expect(page).to.contain(`data-track="/recordings/${calls[0]}/playback" data-from="0"`)
    expect(page).to.contain('Incoming sales call: met in 34 of 48 calls in four weeks, 71%')
    const [, judged] = /href="([^"]*rule=[^"]*judged)"[^>]*>Incoming sales call: met in 34 of 48/.exec(page)!
    expect(await text(judged!.replaceAll('&amp;', '&'))).to.contain('<b>48</b>')
    await makeReports('2026-04-08T05:00:00Z')
    expect(await text(WEEK)).to.not.contain('Provisional')
  })

  it('a manager summary contains only the figures and calls of that manager', async () => {
    const sheets = (await text(SHEETS)).split('<article').slice(1)
    expect(sheets.map((sheet) => ['Anna', 'Boris'].filter((name) => sheet.includes(name)))).to.deep.equal([
      ['Anna'],
      ['Boris'],
    ])
    const [annas, boriss] = sheets.map((sheet) => calls.filter((id) => sheet.includes(id)))
    expect(annas).to.deep.equal(calls.slice(0, 3))
    expect(boriss).to.deep.equal(calls.slice(15, 17))
    expect(await text(`${SHEETS}&manager=Boris`)).to.not.contain('Anna')
  })

  it('a head sees only their department in the weekly report', async () => {
    const head = await hannas()
    for (const path of [WEEK, SHEETS]) {
      expect(await text(path, head), path)
        .to.contain('Boris')
        .and.not.contain('Anna')
    }
  })

  it('the weekly report has a CSV file; an invalid week gets 400', async () => {
    const { headers, text: csv } = await olga.open('/analytics/weekly.csv?week=2026-W14&manager=Anna')
    expect(headers.get('content-disposition')).to.contain('weekly-report_2026-03-30_2026-04-05.csv')
    expect(csv).to.contain('"kpis","calls","figure",15').and.not.contain('Boris')
    const rejected = await olga.open('/analytics/weekly?week=2026-W99')
    expect(rejected.status).to.equal(400)
    expect(rejected.text).to.contain('role="alert">Must be a week such as 2026-W12 that has begun.<')
  })

  it('a note marks the report of a week that was not stored', async () => {
    const page = await text('/analytics/weekly?week=2026-W13')
    expect(page)
      .to.contain('Week of 23–29 Mar 2026')
      .and.contain('The report for this week was not stored. This one uses today’s data.')
      .and.match(/<option value="2026-W13" selected>/)
      .and.contain('<option value="2026-W14">')
    expect(page.match(/<option value="20\d\d-W\d\d"/g)!.length).to.be.at.least(26)
    const sheets = (await text('/analytics/weekly/sheets?week=2026-W13')).split('<article').slice(1)
    expect(sheets).to.have.length(1)
    expect(sheets[0]).to.contain('The report for this week was not stored.')
    expect(await text('/analytics/weekly/sheets?week=2026-W14')).to.not.contain(
      'The report for this week was not stored.',
    )
    expect(await text('/analytics/weekly?week=2026-W14')).to.not.contain('The report for this week was not stored.')
  })

  it('the report explains what a flag means and how many flags can be chance', async () => {
    const chanceNote = 'about two in nine figures are flagged by chance alone'
    expect(await text(WEEK)).to.contain(chanceNote)
    expect(await text(SHEETS)).to.contain(chanceNote)
    expect(await text(WEEK, olga, { 'Accept-Language': 'ru' })).to.contain('примерно два показателя из девяти')
  })

  it('the report opens without its heat map if that cannot be computed', async () => {
    await app.db.query('ALTER TABLE rule_set_versions RENAME published_at TO away')
    const page = await text(WEEK)
    await app.db.query('ALTER TABLE rule_set_versions RENAME away TO published_at')
    expect(page)
      .to.contain('Calls: 17')
      .and.contain('This part could not be calculated.')
      .and.contain(`href="${WEEK}">Retry`)
    expect(await text(WEEK)).to.contain('data-heat')
  })

  it('the heat map of a stored week says how it differs from the report', async () => {
    await makeReports('2026-04-08T05:00:00Z')
    const before = await text(WEEK)
    expect(before)
      .to.match(/as of 8 Apr( 2026)? 07:00/)
      .and.not.contain('since the report')
    const [late] = await insertCheckedCalls(app, createWeekOfCalls('Anna', 0, [10]))
    expect(await text(WEEK)).to.contain('Current figures, with 1 call added since the report.')
    await app.db.query('DELETE FROM recordings WHERE id = $1', [late])
    await app.db.query('UPDATE recordings SET score = 99 WHERE id = $1', [calls[1]])
    expect(await text(WEEK)).to.contain('Current figures: calls or verdicts have changed since the report.')
    await app.db.query('UPDATE recordings SET score = 30 WHERE id = $1', [calls[1]])
  })

  it('the report shows a deleted call without a link', async () => {
    await app.db.query('DELETE FROM recordings WHERE id = $1', [calls[0]])
    for (const path of [WEEK, SHEETS]) {
      expect(await text(path), path)
        .to.contain('no longer available; missed: Agrees the next step')
        .and.contain(`/recordings/${calls[1]}#play`)
        .and.not.contain(`/recordings/${calls[0]}`)
    }
  })

  it('the weekly report is in Russian for a Russian reader', async () => {
    const page = await text(WEEK, olga, { 'Accept-Language': 'ru' })
    expect(page).to.contain('Звонки для прослушивания').and.contain('не выполнено: Назначил следующий шаг')
  })
})
