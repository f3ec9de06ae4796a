import { expect } from 'chai'
import { createDepartment, createLoggedInPerson } from '../../test/people.ts'
import { insertCheckedCalls, insertDeals, insertFunnels } from '../../test/checked-calls.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import type { SalesReportJson } from '../../reports/sales/schema.ts'
import type { ReportFrame } from '../../reports/schema.ts'
import { createPanelLanguages } from '../words.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'
import { buildSalesView } from './sales.ts'
import { buildCoverageLinks, createFigureFormatter } from './figure-formatter.ts'

const [en, ru] = createPanelLanguages('UTC') as [
  ReturnType<typeof createPanelLanguages>[0],
  ReturnType<typeof createPanelLanguages>[0],
]
const WEEK = { week: '2026-W12', from: '2026-03-16', to: '2026-03-22', complete: true }
const FILTERED_PERIOD = { from: '2026-03-01', to: '2026-03-31' }

describe('panel: reports', () => {
  it('with a funnel filter, a note says that calls of all funnels count', () => {
    const frame = (funnel: number | null) =>
      ({
        filters: { manager: null, department: null, funnel },
        coverage: { calls: 120, done: 0, checked: 110, linked: 80 },
      }) as ReportFrame
    const said = (funnel: number | null, language = en) =>
      buildCoverageLinks(frame(funnel), createFigureFormatter(language, FILTERED_PERIOD, [50, 70]))[0]!.text
    expect(said(null)).to.equal('Based on 120 calls')
    expect(said(1)).to.equal('120 calls in all funnels')
    expect(said(0, ru)).to.equal('120 звонков во всех воронках')
  })

  it('a share shows its numerator and denominator, as text if it covers fewer than ten', () => {
    const shown = (numerator: number, denominator: number) =>
      createFigureFormatter(en, FILTERED_PERIOD, [50, 70]).share({
        value: denominator < 10 ? null : numerator / denominator,
        numerator,
        denominator,
      })
    expect(shown(7, 9)).to.deep.include({ text: '7 of 9', share: undefined })
    expect(shown(0, 0).text).to.equal('—')
    expect([shown(9, 12).text, shown(9, 12).share!.title]).to.deep.equal(['75%', '9 of 12'])
    const none = { value: null, numerator: 0, denominator: 0, count: 0 }
    const totals = {
      won: 13,
      lost: 0,
      created: 130,
      silent: 0,
      calls: 0,
      amounts: [],
      winRate: none,
      cycleDays: none,
      callsBefore: none,
    }
    const cohort = { value: 0.1, numerator: 13, denominator: 130 }
    const noteOf = (immature: boolean) => {
      const report = {
        totals: { ...totals, cohort, immature },
        weeks: [{ ...totals, ...WEEK, cohort, immature }],
        managers: [],
        funnels: [],
        silent: [],
      }
      return buildSalesView(
        report as unknown as SalesReportJson,
        createFigureFormatter(en, FILTERED_PERIOD, [50, 70]),
      ).cards.find(({ name }) => name === 'Win rate of new deals')!.note
    }
    expect([noteOf(false), noteOf(true)]).to.deep.equal(['13 of 130', '13 of 130, many are still open'])
  })

  describe('reports with their lists', () => {
    let app: TestPanel
    let olga: PanelBrowser
    before(async () => {
      app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
      olga = await app.openOwnerBrowser()
      const at = '2026-03-17T10:00:00Z'
      await insertCheckedCalls(
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

    it('a figure links to a list with the same count', async () => {
      const { status, text } = await olga.open('/analytics/quality?from=2026-03-16&to=2026-03-22')
      expect(status).to.equal(200)
      expect(text).to.contain('aria-label="9 of 12"').and.contain('75%')
      const listOf = async (pattern: RegExp) => (await olga.open(pattern.exec(text)![1]!.replaceAll('&amp;', '&'))).text
      expect(await listOf(/href="(\/recordings\?[^"]*rule=[^"]*)"[^>]*>3</))
        .to.contain('<b>3</b>')
        .and.contain('Agrees the next step, missed')
      expect(await listOf(/href="(\/recordings\?[^"]*rule=[^"]*)"[^>]*>75%</))
        .to.contain('<b>12</b>')
        .and.contain('Agrees the next step, determined')
      for (const figure of ['56', '12 have a score']) {
        expect(await listOf(new RegExp(`href="([^"]*scoreFrom=0[^"]*)"[^>]*>${figure}<`))).to.contain('<b>12</b>')
      }
    })

    it('amounts in several currencies link to the deals of each currency', async () => {
      const [createdAt, closedAt] = ['2026-02-16T10:00:00Z', '2026-02-18T10:00:00Z']
      await insertDeals(app, [
        { id: 11, outcome: 'won', createdAt, closedAt, amount: 100, currency: 'BYN' },
        { id: 12, outcome: 'won', createdAt, closedAt, amount: 200, currency: 'USD' },
        { id: 13, outcome: 'won', createdAt, closedAt, amount: 300, currency: 'USD' },
      ])
      const { text } = await olga.open('/analytics/sales?from=2026-02-16&to=2026-02-22')
      const links = [...text.matchAll(/href="([^"]*currency=USD[^"]*)"[^>]*>500 USD</g)].map(([, href]) => href!)
      expect(links.length, 'on the card and in the tables').to.be.greaterThan(2)
      const { text: paid } = await olga.open(links[0]!.replaceAll('&amp;', '&'))
      expect(paid).to.contain('>2 deals</h2>').and.not.contain('Deal 11')
      await app.db.query('DELETE FROM crm_deals')
    })

    it('a number of the correlation links to the compared deals', async () => {
      const { text } = await olga.open('/analytics/correlation?from=2026-03-16&to=2026-03-22')
      const [, list] = /href="(\/analytics\/deals\?[^"]*compared=true[^"]*)"/.exec(text)!
      const { text: deals } = await olga.open(list!.replaceAll('&amp;', '&'))
      expect(deals).to.contain('Scores and sales: compared').and.contain('No deals found.')
    })

    it('figures of deals link to their list, and a deal links to its calls', async () => {
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
      const linkOf = (text: string, pattern: RegExp) => pattern.exec(text)![1]!.replaceAll('&amp;', '&')
      const { text: refusals } = await olga.open(`/analytics/refusals?${days}`)
      const { text: priced } = await olga.open(
        linkOf(refusals, /href="(\/analytics\/deals\?[^"]*reason=Too[^"]*)"[^>]*>1</),
      )
      expect(priced).to.contain('>1 deal</h2>').and.contain('Deal 5').and.contain('Reason: Too expensive')
      const [later] = await insertCheckedCalls(app, [{ at: closedAt, manager: 'Anna' }])
      await app.db.query(`INSERT INTO crm_call_deals (recording_id, deal_id, linked_by) VALUES ($1, 5, 'phone')`, [
        later,
      ])
      const { text: calls } = await olga.open(linkOf(priced, /href="(\/recordings\?deal=5[^"]*)"[^>]*>1</))
      expect(calls, 'up to its end').to.contain('<b>1</b>').and.contain('Deal: 5').and.contain('name="deal"')
      await app.db.query('DELETE FROM recordings WHERE id = $1', [later])
      const { text: doors } = await olga.open(`/analytics/sales?${days}&funnel=1`)
      expect(doors).to.match(/<option value="1" selected>Doors/)
      const { text: won } = await olga.open(linkOf(doors, /href="(\/analytics\/deals\?[^"]*outcome=won[^"]*)"/))
      expect(won).to.contain('>1 deal</h2>').and.contain('Deal 7').and.not.contain('Deal 6')
    })

    it('a head who sees some calls of a deal sees how many of how many', async () => {
      const calls = await insertCheckedCalls(
        app,
        ['Anna', 'Clara', 'Clara'].map((manager) => ({ at: '2026-02-04T10:00:00Z', manager })),
      )
      await app.db.query(`UPDATE managers SET crm_user_id = '77' WHERE name = 'Clara'`)
      const [createdAt, closedAt] = ['2026-02-03T10:00:00Z', '2026-02-05T10:00:07Z']
      await insertDeals(app, [{ id: 9, outcome: 'won', responsible: '77', createdAt, closedAt, calls }])
      await createLoggedInPerson(app, 'Hanna', {
        role: 'head',
        departments: [await createDepartment(app, 'Sales', ['Clara'])],
      })
      const hanna = app.browser()
      await hanna.submit('/login', { email: 'hanna@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
      const days = 'from=2026-02-02&to=2026-02-08'
      for (const [person, said, total] of [
        [olga, '3', 3],
        [hanna, '2 of 3', 2],
      ] as const) {
        const { text } = await person.open(`/analytics/deals?${days}`)
        const [, href] = new RegExp(`href="(/recordings[^"]*)"[^>]*>${said}<`).exec(text)!
        expect(href).to.equal('/recordings?deal=9&amp;dateTo=2026-02-05T13%3A00%3A07')
        expect((await person.open(href!.replaceAll('&amp;', '&'))).text).to.contain(`<b>${total}</b> call`)
      }
    })

    it('the list of deals begins with their outcomes', async () => {
      const { text } = await olga.open('/analytics/deals?from=2026-02-02&to=2026-02-08')
      expect(text).to.contain('<p class="report-verdict">1 won.</p>')
    })

    it('the list of deals has sortable headers, which keep its filters', async () => {
      const { text } = await olga.open('/analytics/deals?from=2026-02-02&to=2026-02-08&outcome=won')
      const hrefs = [...text.matchAll(/class="sortable[^>]*><a href="([^"]*)"/g)].map(([, href]) => href!)
      expect(hrefs).to.have.length(10)
      expect(hrefs[5]).to.contain('outcome=won').and.contain('sort=amount&amp;order=desc')
      const sorted = await olga.open(hrefs[5]!.replaceAll('&amp;', '&'))
      expect(sorted.text).to.contain('aria-sort="descending"')
    })

    it('a report has a CSV file and shows errors of its period beside the field', async () => {
      const { text, headers } = await olga.open('/analytics/quality.csv?from=2026-03-16&to=2026-03-22')
      expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(text).to.contain('"managers","Anna","passRate",0.75,9,12')
      const response = await olga.open('/analytics/sales?from=2026-03-05&to=2026-03-01')
      expect(response.status).to.equal(400)
      expect(response.text).to.contain('Must not be after the end of the period.')
    })

    it('every report says that its period includes both days', async () => {
      for (const path of ['sales', 'quality', 'refusals', 'correlation', 'deals', 'load']) {
        expect((await olga.open(`/analytics/${path}`)).text, path).to.contain('Both days are included.')
      }
    })

    it('the report of lost deals is translated and explains that there are no deals', async () => {
      const { text } = await olga.open('/analytics/refusals', { 'Accept-Language': 'ru' })
      expect(text).to.contain('Проигранные сделки').and.contain('За этот период сделки не закрывались.')
    })
  })
})
