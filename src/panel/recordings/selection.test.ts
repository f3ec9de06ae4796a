import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import { HTMX_IN_PLACE_HEADERS, startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: actions on selected calls', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())
  afterEach(async () => {
    app.recognizer.answer = undefined
    await app.db.query('DELETE FROM recordings')
  })

  const statusOf = async (id: string) => (await app.ida.get(`/v1/recordings/${id}`)).json?.status
  const select = (ids: string[]): [string, string][] => ids.map((id) => ['id', id])

  it('a person can retry, cancel, assign and delete selected calls with plain forms', async () => {
    app.recognizer.answer = (recognition) => recognition.fail('UNSUPPORTED_AUDIO', 'not a sound')
    const failed = await app.submitCall('FAILED')
    app.recognizer.answer = undefined // retried calls stay in progress
    const [done] = await insertCalls(app, [{}])
    const back = '/recordings?status=FAILED&page=2'
    const retried = await olga.submit('/recordings/retry', [...select([failed, done!, 'x']), ['back', back]])
    expect([retried.status, retried.headers.get('location')]).to.deep.equal([303, back])
    expect(await statusOf(failed)).not.to.equal('FAILED')
    expect(retried.headers.getSetCookie().join()).to.match(
      /panel_notice=1%20call%20queued.*1%20call%20skipped.*HttpOnly/i,
    )
    const shown = await olga.open('/recordings')
    expect(shown.text).to.contain(
      '1 call queued again. 1 call skipped because of its status. 1 call was not found or is not accessible to you.',
    )
    expect((await olga.open('/recordings')).text, 'once').not.to.contain('queued again')
    await olga.submit('/recordings/cancel', select([failed]))
    expect(await statusOf(failed)).to.equal('CANCELLED')
    const named = [...select([failed, done!]), ['managerName', ' Otto '] as [string, string]]
    await olga.submit('/recordings/manager', named)
    expect((await olga.open('/recordings')).text).to.contain('Manager of 2 calls changed.')
    for (const id of [failed, done!]) {
      expect((await app.ida.get(`/v1/recordings/${id}`)).json.managerName).to.equal('Otto')
    }
    await olga.submit('/recordings/delete', select([failed, done!, done!]))
    expect((await olga.open('/recordings')).text).to.contain('2 calls deleted.')
    expect(await statusOf(done!)).to.equal(undefined)
    await olga.submit('/recordings/delete', select([done!, '..', '../api-keys', 'x'.repeat(36)]))
    const { text } = await olga.open('/recordings')
    expect(text).to.contain('4 calls were not found or are not accessible to you.').and.not.contain('deleted')
  })

  it('people who can edit rules can recheck selected calls; others get 403', async () => {
    const [done, failed] = await insertCalls(app, [{ text: 'да' }, { status: 'FAILED' }])
    await olga.submit('/recordings/recheck', select([done!, failed!]))
    expect((await olga.open('/recordings')).text)
      .to.contain('1 call queued for a check. 1 call skipped because of its status.')
      .and.contain('formaction="/recordings/recheck"')
    const { items } = (await app.olga.get('/v1/audit?action=analysis.rerun')).json
    expect(items.map(({ object }: { object: { id: string } }) => object.id)).to.deep.equal([done])
    const max = await createLoggedInPerson(app, 'Max', { rights: { manageRecordings: true } })
    const browser = app.browser({ Cookie: max.headers.Cookie! })
    expect((await browser.submit('/recordings/recheck', select([done!]))).status).to.equal(403)
  })

  it('an action without a selection changes nothing, and a foreign return address is ignored', async () => {
    const response = await olga.submit('/recordings/delete', { back: 'https://evil.example/' })
    expect(response.headers.get('location')).to.equal('/recordings')
    expect((await olga.open('/recordings')).text).to.contain('Select at least one call.')
    expect(
      (await olga.submit('/recordings/retry', select(Array.from({ length: 101 }, (_, n) => `x${n}`)))).status,
    ).to.equal(400)
  })

  it('htmx can submit the selection and then shows the notice', async () => {
    const [failed] = await insertCalls(app, [{ status: 'FAILED' }])
    const response = await olga.submit('/recordings/retry', select([failed!]), HTMX_IN_PLACE_HEADERS)
    expect([response.status, response.headers.get('location')]).to.deep.equal([303, '/recordings'])
    expect((await olga.open('/recordings', HTMX_IN_PLACE_HEADERS)).text).to.match(
      /<main id="content".*1 call queued again/s,
    )
  })

  it('selected calls can be exported as csv, jsonl or zip', async () => {
    const [one, , three] = await insertCalls(app, [{ text: 'first' }, { text: 'second' }, { text: 'third' }])
    const csv = await olga.open(`/recordings/export?format=csv&id=${one}&id=${three}`)
    expect(csv.status).to.equal(200)
    expect(csv.headers.get('content-type')).to.contain('text/csv')
    expect(csv.headers.get('content-disposition')).to.match(/^attachment; filename=".+\.csv"$/)
    expect(csv.headers.get('x-transcripts-matching')).to.equal('2')
    expect(csv.headers.get('x-transcripts-exported')).to.equal('2')
    expect(csv.text).to.contain('first').and.contain('third').and.not.contain('second')
    expect((await olga.open('/recordings/export?format=jsonl')).text.trim().split('\n')).to.have.length(3)
    const zip = await olga.open(`/recordings/export?format=zip&id=${one}`)
    expect(zip.headers.get('content-type')).to.equal('application/zip')
    expect(zip.text.slice(0, 2)).to.equal('PK')
  })

  it('an export without a selection contains all calls that match the filters', async () => {
    await insertCalls(app, [
      { manager: 'Anna', text: 'from Anna' },
      { manager: 'Boris' },
      { manager: 'Anna', status: 'FAILED' },
    ])
    const { text } = await olga.open('/recordings?manager=Anna&page=3&pageSize=50')
    expect(text)
      .to.contain('href="/recordings/export?manager=Anna&amp;format=csv" download')
      .and.contain('1 transcript<')
    const file = await olga.open('/recordings/export?manager=Anna&status=FAILED&format=jsonl')
    expect(file.text.trim().split('\n')).to.have.length(1)
    expect(file.text).to.contain('from Anna')
    expect((await olga.open('/recordings/export?format=exe')).status).to.equal(404)
    expect((await olga.open('/recordings/export?format=csv&phone=x')).status).to.equal(400)
    expect((await olga.open('/recordings?status=FAILED')).text).to.contain('/recordings/export?format=csv')
  })

  describeInBrowser('in a browser', (chrome) => {
    async function openAndSelect(ids: string[]) {
      const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie: olga.headers.Cookie })
      const select = (id: string) => page.locator(`#r-${id} [name=id]`).check()
      for (const id of ids) await select(id)
      return { page, select }
    }

    it('buttons show the number of selected calls; retry appears only with failed calls', async () => {
      const [one, two, failed] = await insertCalls(app, [{}, {}, { status: 'FAILED' }])
      const { page, select } = await openAndSelect([one!, two!])
      const offered = () =>
        page.locator(':is(#selection > button, #selection > details > summary):visible').allInnerTexts()
      expect(await offered()).to.deep.equal(['Change manager', 'Check 2 again', 'Export 2', 'Delete 2'])
      await page.getByText('Delete 2', { exact: true }).click()
      await page.getByText('Calls to delete: 2', { exact: true }).waitFor()
      await select(failed!)
      expect(await offered()).to.deep.equal(['Change manager', 'Retry 1', 'Check 2 again', 'Export 2', 'Delete 3'])
    })

    for (const locale of ['en-GB', 'ru-RU']) {
      it(`selection actions fit one line at 1280 px without moving the table (${locale})`, async () => {
        await app.olga.post('/v1/queues/transcription/pause')
        await insertCalls(app, [
          { status: 'QUEUED' },
          ...Array.from({ length: 30 }, (_, n) => ({
            status: n % 2 ? 'DONE' : 'FAILED',
            score: n % 2 ? 40 : undefined,
          })),
        ])
        const viewport = { width: 1280, height: 800 }
        const cookie = olga.headers.Cookie!
        const page = await chrome.open(`${app.panelUrl}/recordings`, { cookie, viewport, locale })
        await page.locator('.bands .score-low').waitFor()
        const top = () => page.locator('.calls').evaluate((table) => table.getBoundingClientRect().top)
        const before = await top()
        await page.locator('#all').check()
        await page.locator('[data-select-whole]').click()
        expect(await top()).to.equal(before)
        const actions = page.locator('#selection > :is(button, details):visible')
        const boxes = await actions.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
        expect(boxes).to.have.length(6)
        expect(new Set(boxes.map(({ y, height }) => Math.round(y + height / 2))).size).to.equal(1)
        expect(Math.max(...boxes.map(({ height }) => height))).to.be.below(30)
        expect(boxes.at(-1)!.right).to.be.at.most(1280)
        await app.olga.post('/v1/queues/transcription/resume')
      })
    }

    it('cancelling selected transcriptions needs a confirmation that shows their number', async () => {
      // First, because the recognizer would otherwise claim the queued calls.
      await app.olga.post('/v1/queues/transcription/pause')
      const [waiting, done] = await insertCalls(app, [{ status: 'QUEUED' }, {}])
      const { page } = await openAndSelect([waiting!, done!])
      await page.getByText('Cancel transcription (1)', { exact: true }).click()
      await page.getByText('Transcriptions to cancel: 1', { exact: true }).waitFor()
      expect(await statusOf(waiting!)).to.equal('QUEUED')
      await page.getByRole('button', { name: 'Cancel transcription', exact: true }).click()
      await page.getByText('1 call cancelled.').waitFor()
      expect(await statusOf(waiting!)).to.equal('CANCELLED')
      await app.olga.post('/v1/queues/transcription/resume')
    })

    it('an action works after the menu that changes the manager was open', async () => {
      const [one] = await insertCalls(app, [{ manager: 'Max' }])
      const { page } = await openAndSelect([one!])
      await page.getByText('Change manager', { exact: true }).click()
      await page.locator('[name=managerName]').waitFor()
      await page.getByRole('button', { name: 'Check 1 again' }).click()
      await page.getByText('1 call queued for a check.').waitFor()
    })

    it('the notice of an action does not move the list', async () => {
      const [one] = await insertCalls(app, [{}, {}])
      const { page } = await openAndSelect([one!])
      const top = () => page.evaluate<number>(`document.querySelector('#list table').getBoundingClientRect().top`)
      const before = await top()
      await page.getByText('Delete 1', { exact: true }).click()
      await page.getByRole('button', { name: 'Delete calls' }).click()
      await page.getByText('1 call deleted.').waitFor()
      await page.locator(`#r-${one}`).waitFor({ state: 'detached' })
      expect(await top(), 'a notice is some 40 pixels high').to.be.closeTo(before, 2)
    })
  })
})
