import { expect } from 'chai'
import { generateId } from '../../platform/lib/ids.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: reconciliation', () => {
  let app: TestPanel
  let olga: PanelBrowser
  const transcribedId = generateId()
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api', APP_TIMEZONE: 'Europe/Minsk' })
    olga = await app.openOwnerBrowser()
    await app.db.query(
      `INSERT INTO recordings (id, source, storage_key, size_bytes, status) VALUES ($1::uuid, 'crm', $1::text, 1, 'DONE')`,
      [transcribedId],
    )
    await app.db.query(`INSERT INTO crm_users (id, name, active) VALUES ('1', 'Anna & "Co"', true)`)
    const states = [
      ['received', null, transcribedId],
      ['skipped', 'short', null],
      ['skipped', 'unanswered', null],
      ['skipped', 'unanswered', null],
      ['awaiting-file', null, null],
      ['failed', null, null],
    ]
    for (const [n, [state, reason, recording]] of states.entries()) {
      await app.db.query(
        `INSERT INTO crm_calls (id, call_id, user_id, type, duration_seconds, started_at, load_state, skip_reason, recording_id)
         VALUES ($1::bigint, $1::text, $2, 2, 60, $3, $4, $5, $6)`,
        [n + 1, n === 5 ? null : '1', `2026-03-0${n < 5 ? 1 : 2}T09:00:00Z`, state, reason, recording],
      )
    }
    await app.db.query(
      `INSERT INTO crm_controls (day, portal_calls, own_calls, shrank_at) VALUES ('2026-03-01', 2, 5, now())`,
    )
  })
  after(() => app.stop())

  const open = async (path: string) => (await olga.open(path, { 'Accept-Language': 'en' })).text
  const text = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ').trim() // prettier-ignore
  const findLinks = (html: string) =>
    [...html.matchAll(/<a href="(\/reconciliation\/calls[^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, href, count]) => ({
      href: href!.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
      count: Number(count),
    }))

  it('every number links to a list with as many calls', async () => {
    const page = await open('/reconciliation?from=2026-03-01&to=2026-03-02')
    const links = findLinks(page.slice(page.indexOf('<main')))
    expect(links.length).to.be.greaterThan(12)
    for (const { href, count } of links) {
      const list = await open(href)
      expect([...list.matchAll(/<tr id="call-/g)].length, href).to.equal(count)
      expect(list).to.include(`<h2 id="calls">${count} call`)
    }
  })

  it('the list of calls shows manager, state and reason, and can be filtered', async () => {
    const list = await open('/reconciliation/calls?from=2026-03-01&to=2026-03-02')
    expect(text(list)).to.include('Anna &amp; &quot;Co&quot; — 1:00 skipped not answered')
    expect(list).to.include(`href="/recordings/${transcribedId}"`)
    const short = await open('/reconciliation/calls?from=2026-03-01&to=2026-03-02&state=skipped-short')
    expect([...short.matchAll(/<tr id="call-/g)].length).to.equal(1)
    const nobody = await open('/reconciliation/calls?from=2026-03-01&to=2026-03-02&manager=%22%22')
    expect(text(nobody)).to.include('no manager — 1:00 not loaded')
    expect((await olga.open('/reconciliation/calls?from=x')).status).to.equal(400)
  })

  it('the page begins with how many calls are missing', async () => {
    const page = await open('/reconciliation?from=2026-03-01&to=2026-03-02')
    expect(text(page)).to.include(
      '2 CRM calls are missing: 1 not loaded, 1 still to load or without a recording. Not all calls of 2 days were loaded.',
    )
    await app.db.query(
      `INSERT INTO crm_read_periods (from_at, to_at) VALUES ('2026-02-28T21:00:00Z', '2026-03-02T21:00:00Z')`,
    )
    await app.db.query(
      `UPDATE crm_calls SET load_state = 'skipped', skip_reason = 'short' WHERE load_state IN ('failed', 'awaiting-file')`,
    )
    expect(text(await open('/reconciliation?from=2026-03-01&to=2026-03-02'))).to.include(
      'No CRM call is missing: 1 received, 5 skipped.',
    )
    await app.db.query('DELETE FROM crm_read_periods')
    await app.db.query(`UPDATE crm_calls SET load_state = 'awaiting-file', skip_reason = NULL WHERE id = 5`)
    await app.db.query(`UPDATE crm_calls SET load_state = 'failed', skip_reason = NULL WHERE id = 6`)
  })

  it('the table of days sorts by a column', async () => {
    const listDays = async (sort: string) => {
      const page = await open(`/reconciliation?from=2026-03-01&to=2026-03-02&${sort}`)
      return [...page.matchAll(/<tr><th scope="row"><time datetime="([\d-]+)"/g)].map(([, day]) => day).slice(0, 2)
    }
    expect(await listDays('sort=table.2&order=desc')).to.deep.equal(['2026-03-01', '2026-03-02'])
    expect(await listDays('sort=table.2&order=asc')).to.deep.equal(['2026-03-02', '2026-03-01'])
  })

  it('the page lists incomplete days as ranges and links to Load history', async () => {
    await app.db.query(
      `INSERT INTO crm_read_periods (from_at, to_at) VALUES ('2026-03-03T21:00:00Z', '2026-03-04T21:00:00Z')`,
    )
    const page = await open('/reconciliation?from=2026-03-01&to=2026-03-05')
    expect(text(page)).to.match(/Incomplete days 5 Mar( 2026)?, 1 Mar( 2026)? – 3 Mar( 2026)? /)
    expect(page).to.include('href="/automation/history"')
  })

  it('the CRM’s count is shown beside ours, with advice for an alarm', async () => {
    const page = text(await open('/reconciliation?from=2026-03-01&to=2026-03-02'))
    expect(page).to.match(/1 Mar( 2026)? 2 5 .* fewer than before/)
    expect(page).to.include('check the connection.')
  })
})
