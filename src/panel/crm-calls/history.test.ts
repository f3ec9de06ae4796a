import { expect } from 'chai'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: history loads', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  it('an owner opens Load history from Automation, Sync steps', async () => {
    expect((await olga.open('/automation')).text).to.match(/href="\/automation\/steps"[^>]*>Sync steps</)
    expect((await olga.open('/automation/steps')).text).to.match(/href="\/automation\/history"[^>]*>Load history</)
    const { text } = await olga.open('/automation/history')
    expect(text)
      .to.contain('<h1>Load history</h1>')
      .and.match(/href="\/automation\/steps"[^>]*>Sync steps</)
    const russian = await app.openOwnerBrowser({ 'Accept-Language': 'ru' })
    expect((await russian.open('/automation/steps')).text).to.match(/history"[^>]*>Загрузить историю</)
    expect((await russian.open('/automation/history')).text).to.contain('<h1>Загрузить историю</h1>')
  })

  it('loads are shown in pages, and a page with a running load refreshes itself', async () => {
    await app.db.query(
      `WITH estimates AS (
         INSERT INTO crm_history_estimates (from_at, to_at, figures, allowed, created_at, expires_at)
         SELECT '2026-01-01', '2026-01-02', '{}', true, now() + n * interval '1 second', now() FROM generate_series(1, 30) n
         RETURNING id, created_at)
       INSERT INTO crm_history_loads (estimate_id, state, from_at, to_at, created_at)
       SELECT id, CASE WHEN row_number() OVER (ORDER BY created_at) = 1 THEN 'running' ELSE 'done' END,
              '2026-01-01', '2026-01-02', created_at FROM estimates`,
    )
    const rowsOf = (text: string) => [...text.matchAll(/<tr id="load-([^"]*)"/g)].map(([, id]) => id)
    const [first, second] = [await olga.open('/automation/history'), await olga.open('/automation/history?page=2')]
    expect([rowsOf(first.text).length, rowsOf(second.text).length]).to.deep.equal([25, 5])
    expect(new Set([...rowsOf(first.text), ...rowsOf(second.text)]).size).to.equal(30)
    expect(first.text).to.contain('href="/automation/history?page=2"').and.not.contain('hx-trigger="every 5s"')
    expect(second.text).to.contain('hx-get="/automation/history?page=2" hx-trigger="every 5s"')
  })

  it('an invalid day gets 400 with an error beside its field', async () => {
    const answer = await olga.submit('/automation/history', { from: '2026-01-01', to: '2026-13-01' })
    expect(answer.status).to.equal(400)
    expect(answer.text).to.match(/name="to"[^>]*aria-invalid="true"/)
  })
})
