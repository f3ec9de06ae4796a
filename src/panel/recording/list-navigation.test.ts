import { expect } from 'chai'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createLoggedInPerson } from '../../test/people.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { HTMX_REFRESH_HEADERS, startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

const CALLS = [
  { at: '2026-03-01T07:00:00Z', manager: 'Max', phone: '+375290000001', text: 'delivery today' },
  { at: '2026-03-02T07:00:00Z', manager: 'Anna', phone: '+375290000002', text: 'good afternoon' },
  { at: '2026-03-03T07:00:00Z', manager: 'Max', phone: '+375290000003', text: 'delivery and delivery' },
]

describe('panel: navigation between a call and its list', () => {
  let app: TestPanel
  let olga: PanelBrowser
  let ids: string[]
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    olga = await app.openOwnerBrowser()
    ids = await insertCalls(app, CALLS)
  })
  after(() => app.stop())

  const findNeighbourLinks = (text: string) => /<nav class="in-list".*?<\/nav>/s.exec(text)?.[0]
  const from = (list: string) => ({ Referer: `${app.panelUrl}${list}` })

  it('the page of a call shows its list position and links to its neighbours', async () => {
    const [first, second, third] = ids
    const middle = findNeighbourLinks((await olga.open(`/recordings/${second}`, from('/recordings'))).text)
    expect(middle).to.contain('<b>2 of 3</b>')
    expect(middle).to.contain(`<a href="/recordings/${third}?list=" rel="prev"`)
    expect(middle).to.contain(`<a href="/recordings/${first}?list=" rel="next"`)
    const ofMax = findNeighbourLinks((await olga.open(`/recordings/${third}`, from('/recordings?manager=Max'))).text)!
    expect(ofMax).to.contain('<b>1 of 2</b>').and.not.contain('rel="prev"')
    const [, next] = /<a href="([^"]*)" rel="next"/.exec(ofMax)!
    expect(next).to.equal(`/recordings/${first}?list=manager%3DMax`)
    // Without scripts, the list comes from the Referer, whatever else the browser sends about its origin.
    const { text } = await olga.open(next!, from(`/recordings/${third}`))
    expect(findNeighbourLinks(text)).to.contain('<b>2 of 2</b>').and.not.contain('rel="next"')
    expect(text).to.contain('class="trail"><span><a href="/recordings?manager=Max"')
  })

  it('a call opened without a list shows no position and no neighbours', async () => {
    for (const referrer of ['https://elsewhere.example/recordings', `${app.panelUrl}/queues`, '']) {
      const { text } = await olga.open(`/recordings/${ids[1]}`, { Referer: referrer })
      expect(findNeighbourLinks(text), referrer).to.equal(undefined)
      expect(text).not.to.match(/[?&;]list=/)
    }
  })

  it('the forms of a call keep its list, and deletion redirects to it', async () => {
    const [id] = await insertCalls(app, [{ at: '2026-04-01T07:00:00Z', manager: 'Max', status: 'FAILED' }])
    const { text } = await olga.open(`/recordings/${id}`, from('/recordings?manager=Max'))
    const [, edit] = /action="([^"]*\/edit[^"]*)"/.exec(text)!
    const saved = await olga.submit(edit!, { managerName: 'Max', phoneNumber: '+375 29 9' })
    expect(saved.headers.get('location')).to.equal(`/recordings/${id}?list=manager%3DMax`)
    const [, remove] = /action="([^"]*\/delete[^"]*)"/.exec(text)!
    expect((await olga.submit(remove!)).headers.get('location')).to.equal('/recordings?manager=Max')
  })

  it('the link to the list opens the page that contains the call', async () => {
    const many = await insertCalls(
      app,
      Array.from({ length: 30 }, (_, n) => ({ at: `2026-05-01T07:00:${10 + n}Z`, phone: '+375291112233' })),
    )
    const list = '/recordings?phone=1112233'
    const findBackHref = (text: string) => /class="trail"><span><a href="([^"]*)"/.exec(text)![1]
    const last = await olga.open(`/recordings/${many[0]}`, from(list))
    expect([findNeighbourLinks(last.text)!.includes('<b>30 of 30</b>'), findBackHref(last.text)]).to.deep.equal([
      true,
      '/recordings?phone=1112233&amp;page=2',
    ])
    const { text } = await olga.open(`/recordings/${many[5]}?list=phone%3D1112233%26status%3DQUEUED`)
    expect(findNeighbourLinks(text)).not.to.contain('<b>')
    await app.db.query('DELETE FROM recordings WHERE id = ANY($1)', [many])
  })

  it('the search of the list marks matches in the transcript of the call', async () => {
    const found = await olga.open(`/recordings/${ids[2]}?list=q%3Ddelivery`)
    expect(findNeighbourLinks(found.text)).to.contain('<b>1 of 2</b>')
    expect(found.text)
      .to.match(/<mark data-match="2"[^>]*>delivery<\/mark>/)
      .and.contain('name="q" value="delivery"')
    const byName = await olga.open(`/recordings/${ids[1]}?list=q%3DAnna`)
    expect(byName.text).to.contain('name="q" value=""').and.not.contain('class="found"')
    const asked = await olga.open(`/recordings/${ids[2]}?list=q%3Ddelivery&q=`)
    expect(asked.text).not.to.contain('<mark')
  })

  it('an owner sees a link to the access log of a call; managers do not', async () => {
    const href = `/audit?object=${ids[2]}&amp;kind=reads`
    const { text } = await olga.open(`/recordings/${ids[2]}`)
    expect(text).to.contain(`<a href="${href}">Access log</a>`)
    const log = await olga.open(href.replaceAll('&amp;', '&'))
    expect(log.text).to.contain('opened a call').and.contain('+375 29 000-00-03')
    await app.db.query(
      `INSERT INTO people (id, email, name, role, password_hash, rights)
       SELECT gen_random_uuid(), 'max@example.com', 'Max', 'manager', password_hash, '{}' FROM people LIMIT 1`,
    )
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: 'correct horse battery', next: '/' })
    const own = (await max.open(`/recordings/${ids[2]}`, from('/recordings'))).text
    expect(own).not.to.contain('/audit')
    expect(findNeighbourLinks(own), 'of what Max may see').to.contain('<b>1 of 2</b>')
  })
})

describe('panel: call in a paused queue', () => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  it('a queued call shows that its queue is paused, even to a manager', async () => {
    const [id, done] = await insertCalls(app, [{ manager: 'Max', status: 'QUEUED' }, { duration: 100 }])
    await app.db.query(
      "UPDATE recordings SET started_at = now() - interval '10 s', finished_at = now() WHERE id = $1",
      [done],
    )
    await createLoggedInPerson(app, 'Max')
    const max = app.browser()
    await max.submit('/login', { email: 'max@example.com', password: OWNER_CREDENTIALS.password, next: '/' })
    const pages = async () => [
      (await max.open('/recordings')).text,
      (await max.open(`/recordings/${id}`)).text,
      (await max.open(`/recordings/${id}`, HTMX_REFRESH_HEADERS)).text,
    ]
    for (const text of await pages()) expect(text).to.not.contain('queue paused')
    await app.olga.post('/v1/queues/transcription/pause')
    for (const text of await pages()) expect(text).to.contain('queue paused')
  })
})

describeInBrowser('panel: keys for the next and previous call', (chrome) => {
  let app: TestPanel
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    await insertCalls(app, CALLS)
  })
  after(() => app.stop())

  it('the keys j and k go to other calls, except in text fields', async () => {
    // Without the permission to listen, because these calls have no audio.
    const cookie = (await createLoggedInPerson(app, 'Max', { rights: { audio: false } })).headers.Cookie!
    const page = await chrome.open(`${app.panelUrl}/recordings?manager=Max`, { cookie })
    const waitForText = async (text: string) => {
      await page.getByText(text, { exact: true }).waitFor()
      await page.waitForLoadState() // key presses have no effect before the scripts have run
    }
    await page.locator('.calls .time a').first().click()
    await waitForText('1 of 2')
    await page.keyboard.press('j')
    await waitForText('2 of 2')
    await page.keyboard.press('/')
    await page.keyboard.type('k')
    expect(await page.locator('[name=q]').inputValue()).to.equal('k')
    await page.getByText('Transcript', { exact: true }).click()
    await page.keyboard.press('k')
    await waitForText('1 of 2')
  })
})
