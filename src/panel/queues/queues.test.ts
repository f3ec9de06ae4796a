import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { waitUntil } from '../../test/wait.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const REFRESH = { 'HX-Request': 'true' }

describe('panel: queues', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ TRANSCRIPTION_CONCURRENCY: 1, TRANSCRIPTION_ATTEMPTS: 2 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    for (const heldRequest of app.recognizer.pending.splice(0)) heldRequest.finish()
    await app.db.query('DELETE FROM recordings')
    await app.db.query('DELETE FROM paused_queues')
  })

  function parseRows(text: string, state: string): string[][] {
    const section = new RegExp(`aria-labelledby="jobs-${state}">.*?</table>`, 's').exec(text)?.[0] ?? ''
    return [...section.matchAll(/<tr id="j-.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<td.*?>(.*?)<\/td>/gs)].map(([, cell]) =>
        cell!
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      ),
    )
  }
  const status = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json.status

  it('the page shows running jobs with progress, queued ones in order, and delayed ones', async () => {
    await app.submitCall('PROCESSING', { phoneNumber: '+1', managerName: 'Max' })
    const recognition = await waitUntil('it is taken', () => app.recognizer.pending[0])
    recognition.progress(30, 60)
    const [low, high, later] = [
      await app.submitCall('QUEUED', { phoneNumber: '+2' }),
      await app.submitCall('QUEUED', { phoneNumber: '+3', priority: '5' }),
      await app.submitCall('QUEUED', { phoneNumber: '+4' }),
    ]
    await app.db.query(
      `UPDATE recordings SET attempts = 1, next_attempt_at = now() + interval '1 hour', last_error = 'It <b>stumbled</b>' WHERE id = $1`,
      [later],
    )
    const page = async () => (await olga.open('/queues')).text
    await waitUntil('progress', async () => (await page()).includes('50%'))
    const text = await page()
    const [running] = parseRows(text, 'active')
    expect(running!.slice(0, 4)).to.deep.equal(['+1', 'Max', '1:00', '50%'])
    expect(running![4], 'nothing is measured').to.match(/^since \d\d:\d\d$/)
    expect(text).to.contain('<progress max="100" value="50"')
    expect(parseRows(text, 'waiting').map((cells) => cells.slice(0, 2))).to.deep.equal([
      ['1', '+3'],
      ['2', '+2'],
    ])
    const [delayed] = parseRows(text, 'delayed')
    expect([delayed![0], delayed![2], delayed![4]]).to.deep.equal(['+4', '2', 'It &lt;b&gt;stumbled&lt;/b&gt;'])
    expect(delayed![3]).to.match(/^\d\d:\d\d$/)
    for (const id of [low, high, later]) expect(text).to.contain(`href="/recordings/${id}"`)
    expect(text).to.match(/aria-current="page">transcription 4/)
    expect(text).to.match(/>Queues <span[^>]*>3<\/span>/)
  })

  it('a refresh returns only the live part of the page', async () => {
    await app.submitCall('PROCESSING')
    const pageText = (await olga.open('/queues')).text
    expect(pageText).to.contain('hx-get="/queues" hx-trigger="every 2s"').and.contain('Last two weeks')
    const part = (await olga.open('/queues', REFRESH)).text
    expect(part.trimStart()).to.match(/^<div id="queue" hx-get="\/queues"/)
    expect(part, 'a count that it does not know stays').to.not.contain('count-recordings')
    expect(part).to.contain('hx-swap-oob').and.not.contain('<!doctype').and.not.contain('Last two weeks')
  })

  it('refreshes of an open page add no entries to the audit log', async () => {
    const entries = async () => (await app.db.query('SELECT count(*)::int AS n FROM audit')).rows[0].n
    await olga.open('/queues')
    await olga.open('/queues', REFRESH)
    const before = await entries()
    for (let n = 0; n < 3; n++) await olga.open('/queues', REFRESH)
    expect((await entries()) - before).to.equal(0)
  })

  const insertDelivery = (id: string) =>
    app.db.query<{ id: string }>(
      `INSERT INTO deliveries (id, recording_id, event, url, host, body, status, attempts, started_at, last_error)
       VALUES (gen_random_uuid(), $1, 'recording.done', 'https://crm.example.com/x', 'crm.example.com:443', '{}', 'FAILED', 6,
               '2025-03-01T07:00:00Z', 'answered 302') RETURNING id`,
      [id],
    )

  describeInBrowser('in a browser', (chrome) => {
    it('a refresh keeps focus, selection and scroll position', async () => {
      await app.submitCall('PROCESSING')
      const waiting = [await app.submitCall('QUEUED', { phoneNumber: '+1' }), await app.submitCall('QUEUED')]
      await insertCalls(
        app,
        Array.from({ length: 10 }, () => ({ status: 'FAILED', phone: '+7 5' })),
      )
      const page = await chrome.open(`${app.panelUrl}/queues`, {
        cookie: olga.headers.Cookie,
        viewport: { width: 1200, height: 500 },
      })
      await page.locator(`#j-${waiting[1]} button`).focus()
      await page.evaluate(
        `getSelection().selectAllChildren(document.querySelector('#j-${waiting[1]} .position')); scrollTo(0, 300)`,
      )
      await app.ida.post(`/v1/recordings/${waiting[0]}/cancel`)
      await page.locator(`#j-${waiting[0]}`).waitFor({ state: 'detached' })
      const focusScript = `[document.activeElement.closest('tr').id, scrollY, getSelection().rangeCount]`
      expect(await page.evaluate(focusScript)).to.deep.equal([`j-${waiting[1]}`, 300, 1])
      expect(await page.locator(`#j-${waiting[1]} .position`).innerText()).to.equal('1')
    })

    it('failed and queued counts fit the menu without touching, also in Russian', async () => {
      const [id] = await insertCalls(app, [{}])
      await insertDelivery(id!)
      await app.submitCall('PROCESSING')
      await app.submitCall('QUEUED')
      for (const width of [390, 1280]) {
        const page = await chrome.open(`${app.panelUrl}/queues`, {
          cookie: olga.headers.Cookie,
          locale: 'ru-RU',
          viewport: { width, height: 800 },
        })
        if (width === 390) await page.locator('.open-menu').click()
        const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!
        const [link, count, failed] = [
          await boxOf('.side a[href="/queues"]'),
          await boxOf('#count-queues'),
          await boxOf('#count-queues-failed > [aria-hidden]'),
        ]
        expect(failed.x + failed.width, `${width}`).to.be.at.most(link.x + link.width - 8)
        expect(failed.x - count.x - count.width, `${width}`).to.be.within(6, 20)
        expect(count.x - link.x, 'the numbers stand at the end').to.be.greaterThan(100)
        const gap = await page.locator('.tabs a[href$=callbacks]').evaluate((tab) => {
          const range = tab.ownerDocument.createRange()
          range.setStart(tab.firstChild, 0)
          range.setEnd(tab.firstChild, tab.firstChild!.textContent!.trimEnd().length)
          return tab.lastElementChild!.getBoundingClientRect().left - range.getBoundingClientRect().right
        })
        expect(gap, `${width}: the tab`).to.be.at.least(3)
      }
    })
  })

  it('an owner pauses and resumes a queue without scripts', async () => {
    expect((await olga.open('/queues/callbacks')).text).to.contain('action="/queues/callbacks/pause"')
    const answer = await olga.submit('/queues/callbacks/pause')
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/queues/callbacks'])
    const { text } = await olga.open('/queues/callbacks')
    expect(text).to.contain('Paused. Running jobs finish').and.contain('action="/queues/callbacks/resume"')
    expect((await olga.open('/queues')).text).to.not.contain('Running jobs finish')
    await olga.submit('/queues/callbacks/resume')
    expect((await olga.open('/queues/callbacks')).text).to.contain('/queues/callbacks/pause')
  })

  it('a queued call shows its duration and since when it waits', async () => {
    await app.olga.post('/v1/queues/transcription/pause')
    await app.submitCall('QUEUED', { phoneNumber: '+1' })
    const before = await app.submitCall('QUEUED', { phoneNumber: '+2' })
    const [again] = await insertCalls(app, [{ status: 'FAILED', phone: '+3' }])
    await app.db.query(`UPDATE recordings SET created_at = '2025-03-01T07:00Z'`)
    await app.db.query(`UPDATE recordings SET next_attempt_at = created_at, duration_seconds = 252.4 WHERE id = $1`, [
      before,
    ])
    expect((await app.ida.post(`/v1/recordings/${again}/retry`)).status).to.equal(200)
    const { text } = await olga.open('/queues')
    expect(text).to.contain('>In the queue</th>').and.contain('>Duration</th>')
    const lengths = Object.fromEntries(parseRows(text, 'waiting').map((cells) => [cells[1], cells[3]]))
    expect(lengths).to.deep.equal({ '+1': '—', '+2': '4:12', '+3': '—' })
    const since = Object.fromEntries(parseRows(text, 'waiting').map((cells) => [cells[1], cells[5]]))
    expect(since['+1']).to.match(/^since \d\d:\d\d$/)
    expect(since['+2']).to.equal('since 1 Mar 2025 10:00')
    expect(since['+3']).to.match(/^since \d\d:\d\d$/)
  })

  it('a paused queue shows no estimated times', async () => {
    await app.submitCall('PROCESSING')
    await app.submitCall('QUEUED')
    await insertCalls(
      app,
      Array.from({ length: 5 }, () => ({ duration: 60 })),
    )
    await app.db.query(
      `UPDATE recordings SET started_at = now() - interval '5 s', finished_at = now(), size_bytes = 10 WHERE status = 'DONE'`,
    )
    expect((await olga.open('/queues')).text).to.contain('from the speed of recent calls')
    await app.olga.post('/v1/queues/transcription/pause')
    const { text } = await olga.open('/queues')
    expect(parseRows(text, 'waiting')[0]![6]).to.equal('—')
    expect(text).to.not.contain('from the speed of recent calls')
  })

  it('failed jobs show their reasons, and an owner retries one or all', async () => {
    await app.olga.post('/v1/queues/transcription/pause')
    const ids = await insertCalls(app, [{ status: 'FAILED', phone: '+7' }, { status: 'FAILED' }, { status: 'FAILED' }])
    await app.db.query(`UPDATE recordings SET last_error = 'The model stumbled', attempts = 2`)
    await app.db.query(`UPDATE recordings SET error_code = 'UNSUPPORTED_AUDIO' WHERE id = $1`, [ids[0]])
    const { text } = await olga.open('/queues')
    const failed = parseRows(text, 'failed')
    expect(failed.map((cells) => cells[4])).to.have.members([
      'The file is damaged or has no audio.',
      'The model stumbled',
      'The model stumbled',
    ])
    expect(text, 'only failed calls that can be retried').to.contain('Retry failed (2)')
    expect(text).not.to.contain(`/queues/transcription/retry/${ids[0]}`)
    await olga.submit(`/queues/transcription/retry/${ids[0]}`)
    expect(await status(ids[0]!)).to.equal('QUEUED')
    await olga.submit('/queues/transcription/retry-failed')
    expect((await olga.open('/queues')).text).to.contain('2 jobs queued again.')
    expect(await status(ids[1]!)).to.equal('QUEUED')
  })

  it('an owner cancels a call, or learns that its status has changed', async () => {
    const id = await app.submitCall('PROCESSING')
    expect((await olga.submit(`/queues/transcription/cancel/${id}`)).headers.get('location')).to.equal('/queues')
    expect(await status(id)).to.equal('CANCELLED')
    await olga.submit(`/queues/transcription/cancel/${id}`)
    expect((await olga.open('/queues')).text).to.contain('status has changed')
  })

  it('the page shows ten jobs of each state and links to pages of all', async () => {
    await insertCalls(
      app,
      Array.from({ length: 60 }, () => ({ status: 'FAILED' })),
    )
    const { text } = await olga.open('/queues')
    expect(parseRows(text, 'failed')).to.have.lengthOf(10)
    expect(text).to.contain('href="/queues?state=failed">All 60')
    const first = (await olga.open('/queues?state=failed')).text
    expect(parseRows(first, 'failed')).to.have.lengthOf(50)
    expect(first).to.contain('1–50 of 60').and.contain('hx-get="/queues?state=failed"')
    const second = (await olga.open('/queues?state=failed&page=2')).text
    expect(parseRows(second, 'failed')).to.have.lengthOf(10)
    expect(second).to.contain('hx-get="/queues?state=failed&amp;page=2"')
  })

  it('the page of callbacks shows a delayed delivery with its reason', async () => {
    const [id] = await insertCalls(app, [{ phone: '+9' }])
    await app.db.query(
      `INSERT INTO deliveries (id, recording_id, event, url, host, attempts, next_attempt_at, last_error)
       VALUES (gen_random_uuid(), $1, 'recording.done', 'http://x/', 'x', 1, now() + interval '1 hour', 'answered 500')`,
      [id],
    )
    const { text } = await olga.open('/queues/callbacks')
    const [cells] = parseRows(text, 'delayed')
    expect([cells![0], cells![2], cells![4]]).to.deep.equal(['+9', '2', 'answered 500'])
    expect(text).to.not.contain('/cancel/')
  })

  it('failed callbacks are counted in tab and menu, and an owner resends one', async () => {
    await app.olga.post('/v1/queues/callbacks/pause')
    const [id] = await insertCalls(app, [{ phone: '+9' }])
    const { rows } = await insertDelivery(id!)
    const { text } = await olga.open('/queues/callbacks')
    const [cells] = parseRows(text, 'failed')
    expect(cells!.slice(0, 5)).to.deep.equal(['+9', 'crm.example.com:443', '6', '1 Mar 2025 10:00', 'answered 302'])
    expect(text).to.match(/callbacks 0 <span class="failed-text">1 failed<\/span>/)
    expect((await olga.open('/recordings')).text, 'the number, and what it is in words').to.contain(
      'class="count failed-text" title="1 failed"><span aria-hidden="true">1</span><span class="hidden">1 failed</span>',
    )
    const response = await olga.submit(`/queues/callbacks/resend/${id}/${rows[0]!.id}`)
    expect([response.status, response.headers.get('location')]).to.deep.equal([303, '/queues/callbacks'])
    const waiting = await olga.open('/queues/callbacks')
    expect(parseRows(waiting.text, 'waiting')).to.have.length(1)
    expect(waiting.text).not.to.contain('1 failed')
    await app.olga.post('/v1/queues/callbacks/resume')
  })

  it('empty queues say so; an unknown queue gets 404, other people 403', async () => {
    expect((await olga.open('/queues')).text).to.contain('All done. No failures.')
    for (const name of ['nothing', '..%2fpeople', '%00'])
      expect((await olga.open(`/queues/${name}`)).status, name).to.equal(404)
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, rights)
       SELECT gen_random_uuid(), 'hanna@example.com', 'Hanna', 'head', password_hash, '{"analytics": true}' FROM people LIMIT 1`,
    )
    const hanna = app.browser()
    await hanna.submit('/login', { email: 'hanna@example.com', password: 'correct horse battery', next: '/' })
    expect((await hanna.open('/queues')).status).to.equal(403)
    expect((await hanna.open('/recordings')).text).to.not.contain('href="/queues"')
  })
})
