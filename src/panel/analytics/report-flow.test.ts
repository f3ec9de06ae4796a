import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { findPublishedRuleSetVersionId, insertCheckedCalls, type CheckedCallRow } from '../../test/checked-calls.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'
import { chooseHeatStep } from './heat.ts'

const MONDAY = Date.parse('2026-03-30T00:00:00Z')
const WEEK = '/analytics/weekly?week=2026-W14'

describe('panel: heat map', () => {
  it('the heat map has seven colours by distance from all managers', () => {
    const steps = [-25, -24, -15, -14, -5, -4, 0, 4, 5, 14, 15, 24, 25].map(chooseHeatStep)
    expect(steps.join(' ')).to.equal(
      'below-3 below-2 below-2 below-1 below-1 near near near above-1 above-1 above-2 above-2 above-3',
    )
  })
})

describeInBrowser('panel: links from reports to calls', (chrome) => {
  let app: TestPanel
  let cookie: string
  let lowest: string[]
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cookie = (await app.openOwnerBrowser()).headers.Cookie!
    const createCalls = (manager: string, scores: number[]) =>
      scores.map((score, n) => ({
        at: new Date(MONDAY + (30 + n) * 3_600_000).toISOString(),
        manager,
        score,
        duration: 90,
        verdicts: { greeting: 'met' as const, 'next-step': score < 50 ? ('missed' as const) : ('met' as const) },
      }))
    const ids = await insertCheckedCalls(app, [
      ...createCalls('Anna', [20, 30, 40, ...Array.from({ length: 9 }, () => 90)]),
      ...createCalls(
        'Boris',
        Array.from({ length: 10 }, () => 80),
      ),
    ])
    lowest = ids.slice(0, 3)
  })
  after(() => app.stop())

  it('the weekly report lists calls to hear, two clicks from the list of calls', async () => {
    const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie })
    let clicks = 0
    const click = async (selector: string) => {
      await page.locator(selector).first().click()
      clicks++
    }
    await click('nav a[href^="/analytics/weekly"]')
    await page.waitForURL(/\/analytics\/weekly/)
    await page.goto(app.panelUrl + WEEK)
    expect(await page.locator('.report-verdict').count()).to.equal(1)
    const links = await page.locator('ul.hear a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links.slice(0, 3)).to.deep.equal(lowest.map((id) => `/recordings/${id}?t=0#play`))
    await page.route('**/playback*', (route) => route.fulfill({ path: 'samples/call.wav' }))
    await click(`ul.hear a[href="/recordings/${lowest[0]}?t=0#play"]`)
    await page.waitForURL(`**/recordings/${lowest[0]}?t=0#play`)
    expect(clicks).to.equal(2)
  })

  it('the weekly report names the week by its dates, in title and columns', async () => {
    const page = await chrome.open(app.panelUrl + WEEK, { cookie })
    expect(await page.title()).to.include('Week of 30 Mar – 5 Apr 2026')
    const headers = await page.locator('.kpis thead th').allTextContents()
    expect(headers.slice(1, 5)).to.deep.equal(['30 Mar – 5 Apr', '12 weeks', 'Usual', '23–29 Mar'])
    expect(await page.locator('main').textContent()).to.not.include('This week')
  })

  it('arrow keys move between cells of the heat map, and Enter opens their calls', async () => {
    const page = await chrome.open(app.panelUrl + WEEK, { cookie })
    const current = async () => page.evaluate<string>('document.activeElement.closest("td")?.title ?? ""')
    await page.locator('[data-heat] td a[tabindex="0"]').focus()
    const first = await current()
    await page.keyboard.press('ArrowRight')
    const second = await current()
    expect(second).to.not.equal(first)
    await page.keyboard.press('ArrowDown')
    expect(await current())
      .to.include('Boris')
      .and.not.equal(second)
    await page.keyboard.press('ArrowUp')
    expect(await current()).to.equal(second)
    expect(await page.locator('[data-heat] td a[tabindex="0"]').count()).to.equal(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/recordings\?.*rule=/)
  })

  it('a header sorts its table, and keeps the filters', async () => {
    const page = await chrome.open(`${app.panelUrl}/analytics/quality?from=2026-03-30&to=2026-04-05`, { cookie })
    const names = async () => page.locator('[aria-labelledby=managers] tbody th').allTextContents()
    expect(await names()).to.deep.equal(['Anna', 'Boris'])
    await page.locator('[aria-labelledby=managers] th a', { hasText: 'Calls' }).click()
    await page.locator('[aria-labelledby=managers] th[aria-sort=descending]').waitFor()
    expect(await names()).to.deep.equal(['Anna', 'Boris'])
    await page.locator('[aria-labelledby=managers] th a', { hasText: 'Calls' }).click()
    await page.locator('[aria-labelledby=managers] th[aria-sort=ascending]').waitFor()
    expect(await names()).to.deep.equal(['Boris', 'Anna'])
    expect(new URL(page.url()).searchParams.get('from')).to.equal('2026-03-30')
  })

  it('the heat map shows one rule set, with tabs for the others', async () => {
    const at = '2026-06-02T08:00:00Z'
    const makeCalls = (fields: Pick<CheckedCallRow, 'version' | 'verdicts'>) =>
      ['Clara', 'David'].flatMap((manager) =>
        Array.from({ length: 10 }, () => ({ at, manager, score: 70, duration: 90, ...fields })),
      )
    await insertCheckedCalls(app, [
      ...makeCalls({ verdicts: { greeting: 'met' } }),
      ...makeCalls({
        version: await findPublishedRuleSetVersionId(app, 'outgoing-sales'),
        verdicts: { greeting: 'missed' },
      }),
    ])
    const page = await chrome.open(`${app.panelUrl}/analytics/quality?from=2026-06-01&to=2026-06-07`, { cookie })
    const cells = page.locator('[data-heat] tbody tr').first().locator('td a')
    expect(await cells.allTextContents()).to.deep.equal(['100'])
    const counts = () => page.locator('[data-heat] td:nth-child(2)').allTextContents()
    expect(await counts(), 'calls of the set, not of all').to.deep.equal(['10', '10', '20'])
    await page.getByRole('navigation', { name: 'Managers by rule' }).getByRole('link').last().click()
    await page.waitForURL(/set=outgoing-sales/)
    expect(await cells.allTextContents()).to.deep.equal(['0'])
    const arrow = () =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('[data-heat] th:nth-child(2) a'), '::after').content`,
      )
    expect(await arrow()).to.include('↕')
    await page.locator('[data-heat] th a', { hasText: 'Calls' }).click()
    await page.locator('[data-heat] th[aria-sort]').waitFor()
    expect(await arrow()).to.include('↓')
    expect(await cells.allTextContents()).to.deep.equal(['0'])
  })

  it('the heat map compares five calls, not four, and shows both managers’ scores', async () => {
    const makeCalls = (manager: string, count: number) =>
      Array.from({ length: count }, () => ({
        at: '2026-07-01T08:00:00Z',
        manager,
        score: 60,
        verdicts: { greeting: 'met' as const },
      }))
    await insertCheckedCalls(app, [...makeCalls('Emma', 5), ...makeCalls('Fred', 4)])
    const page = await chrome.open(`${app.panelUrl}/analytics/quality?from=2026-06-29&to=2026-07-05`, { cookie })
    const rows = await page.locator('[data-heat] tbody tr').allInnerTexts()
    expect(rows.map((row) => row.split(/\s+/))).to.deep.equal([
      ['Emma', '5', '60', '100'],
      ['Fred', '4', '60', '·'],
    ])
    expect(await page.locator('.heat-legend').innerText()).to.include('fewer than five calls, not compared')
  })

  it('a long table shows twelve rows and a link to all of them', async () => {
    const managers = Array.from({ length: 25 }, (_, n) => `Manager ${String(n).padStart(2, '0')}`)
    const at = '2026-05-12T10:00:00Z'
    await insertCheckedCalls(
      app,
      managers.map((manager) => ({ at, manager, score: 80, verdicts: { greeting: 'met' as const } })),
    )
    const page = await chrome.open(`${app.panelUrl}/analytics/quality?from=2026-05-11&to=2026-05-17`, { cookie })
    const rows = page.locator('[aria-labelledby=managers] tbody tr')
    const sortByName = () => page.locator('[aria-labelledby=managers] th a', { hasText: 'Manager' }).click()
    expect(await rows.count()).to.equal(12)
    await page.getByRole('link', { name: 'Show all 25' }).click()
    await page.waitForURL(/whole=managers/)
    expect(await rows.count()).to.equal(25)
    await sortByName()
    await page.locator('[aria-labelledby=managers] th[aria-sort]').first().waitFor()
    expect(await rows.count()).to.equal(25)
  })

  it('the first column and the header of the heat map stay in view', async () => {
    const page = await chrome.open(app.panelUrl + WEEK, { cookie, viewport: { width: 390, height: 400 } })
    const map = page.locator('.heat-scroll').first()
    await map.evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight))
    const [box, head, name] = await Promise.all(
      [map, map.locator('thead th').first(), map.locator('tbody th').last()].map((one) => one.boundingBox()),
    )
    expect(head!.x).to.be.closeTo(box!.x, 2)
    expect(head!.y).to.be.closeTo(box!.y, 2)
    expect(name!.x).to.be.closeTo(box!.x, 2)
  })
})
