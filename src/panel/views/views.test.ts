import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from '../../test/browser.ts'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { PanelBrowser, startTestPanel, type TestPanel } from '../../test/panel.ts'
import { insertShared } from '../../test/work-objects.ts'
import { waitUntil } from '../../test/wait.ts'

describe('panel: saved views', () => {
  let app: TestPanel
  let cast: TestPeople
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    await insertCalls(app, [
      { manager: 'Max', score: 40, duration: 95 },
      { manager: 'Anna', score: 30, duration: 95 },
      { manager: 'Otto', score: 20, duration: 95 },
    ])
  })
  after(() => app.stop())
  beforeEach(() => app.db.query('TRUNCATE saved_views CASCADE'))

  const openAs = (cookie: string): PanelBrowser => app.browser({ Cookie: cookie })
  const hanna = () => openAs(cast.hanna.headers.Cookie!)
  const save = (list: string, more: object = {}) => hanna().submit('/views/new', { name: 'Low', list, ...more })
  const filtersOf = async () => (await cast.hanna.get('/v1/views')).json.items[0].filters

  it('a view opens the list from which it was saved', async () => {
    const list = '/recordings?scoreBelow=50&dateTo=2026-11-21&lengthFrom=1%3A30&lengthTo=2%3A00&sort=score&order=asc'
    const { headers } = await save(list)
    expect(await filtersOf()).to.deep.equal({
      scoreBelow: '50',
      dateTo: '2026-11-22',
      minDurationSeconds: '90',
      maxDurationSeconds: '120.999',
      sort: 'score',
      order: 'asc',
    })
    const opened = new URL(headers.get('Location')!, 'http://panel').searchParams
    opened.delete('view')
    expect(Object.fromEntries(opened)).to.deep.equal(Object.fromEntries(new URL(list, 'http://panel').searchParams))
    const { text } = await hanna().open(headers.get('Location')!)
    expect(text).to.include('<bdi class="soft" title="Low">').and.not.include('Save changes')
  })

  it('a view of a list with a period stays relative', async () => {
    const { headers } = await save('/recordings?scoreBelow=50&period=thisWeek')
    expect(await filtersOf()).to.include({ scoreBelow: '50', period: 'thisWeek' })
    expect(headers.get('Location')).to.contain('period=thisWeek')
    expect((await hanna().open('/views')).text).to.include('This week · Score: below 50')
    expect((await hanna().open('/views/new?list=/recordings?period=lastWeek')).text).to.include('Last week')
  })

  it('offers to save changed filters to those who can change the view, and to discard them', async () => {
    const { headers } = await save('/recordings?scoreBelow=50', { departmentId: cast.sales })
    const changed = headers.get('Location')!.replace('scoreBelow=50', 'scoreBelow=35')
    expect((await hanna().open(changed)).text)
      .to.include('Save changes')
      .and.include('Discard changes')
    const { text } = await openAs(cast.max.headers.Cookie!).open(changed)
    expect(text).to.include('Discard changes').and.not.include('Save changes')
  })

  it('the counts have only calls that the person sees', async () => {
    const { id } = (await app.olga.post('/v1/views', { name: 'All', filters: {}, departmentId: cast.sales })).json
    const countFor = async (cookie: string) => {
      const { text } = await openAs(cookie).open('/views/counts')
      return new RegExp(`id="count-view-${id}"[^>]*>(\\d+)<`).exec(text)![1]
    }
    expect(await countFor(cast.hanna.headers.Cookie!)).to.equal('2')
    expect(await countFor(cast.max.headers.Cookie!)).to.equal('1')
    expect(await countFor((await app.openOwnerBrowser()).headers.Cookie!)).to.equal('3')
  })

  it('the menu shows a few views, those of the person first, and the page has all', async () => {
    for (let n = 0; n < 60; n++) await insertShared(app, 'saved_views', cast.max.id, cast.sales) // prettier-ignore
    const own = await insertShared(app, 'saved_views', cast.hanna.id)
    const { text } = await hanna().open('/views')
    const inMenu = [...text.matchAll(/count-view-([0-9a-f-]{36})/g)].map(([, id]) => id)
    expect([inMenu.length, inMenu[0]]).to.deep.equal([8, own])
    expect([...text.matchAll(/<tr id="v-/g)]).to.have.length(50)
    expect([...(await hanna().open('/views?page=2')).text.matchAll(/<tr id="v-/g)]).to.have.length(11)
    expect((await hanna().open('/views/counts')).text.match(/count-view-/g)).to.have.length(8)
  })

  it('shows errors beside their fields, and a view of others is not found', async () => {
    const { status, text } = await save('/recordings', { name: '' })
    expect([status, text.includes('id="f-name-error"')]).to.deep.equal([400, true])
    const hidden = await insertShared(app, 'saved_views', cast.otto.id)
    for (const path of ['', '/edit']) expect((await hanna().open(`/views/${hidden}${path}`)).status).to.equal(404)
    for (const action of ['edit', 'filters', 'subscription', 'delete'])
      expect((await hanna().submit(`/views/${hidden}/${action}`, { name: 'x' })).status, action).to.equal(404)
  })

  it('rejected filters of a shared view are explained', async () => {
    const shared = await insertShared(app, 'saved_views', cast.hanna.id, cast.sales)
    const browser = hanna()
    const list = '/recordings?manager=Otto'
    await browser.submit(`/views/${shared}/filters`, { list })
    expect((await browser.open('/views')).text).to.include('calls that match the filter manager')
    const { status, text } = await save(list, { departmentId: cast.sales })
    expect([status, text.includes('id="f-departmentId-error"')]).to.deep.equal([400, true])
  })

  it('the page that edits a view opens only for people who can change it', async () => {
    const shared = await insertShared(app, 'saved_views', cast.hanna.id, cast.sales)
    const open = async (cookie: string) => (await openAs(cookie).open(`/views/${shared}/edit`)).status
    expect([await open(cast.hanna.headers.Cookie!), await open(cast.max.headers.Cookie!)]).to.deep.equal([200, 404])
  })

  it('only the author of a shared view has the option to make it private', async () => {
    const shared = await insertShared(app, 'saved_views', cast.max.id, cast.sales)
    const hasOption = async (cookie: string) =>
      (await openAs(cookie).open(`/views/${shared}/edit`)).text.includes('Only you')
    expect([await hasOption(cast.max.headers.Cookie!), await hasOption(cast.hanna.headers.Cookie!)]).to.deep.equal([
      true,
      false,
    ])
    expect((await hanna().submit(`/views/${shared}/edit`, { name: 'Low', departmentId: cast.sales })).status).to.equal(
      303,
    )
  })

  it('too many notifications are explained', async () => {
    for (let n = 0; n < 11; n++) {
      const id = await insertShared(app, 'saved_views', cast.hanna.id)
      const browser = hanna()
      await browser.submit(`/views/${id}/subscription`, { on: 'true', back: '/views' })
      const notice = n < 10 ? 'You get a notification when a call enters' : 'You can subscribe to at most 10 views.'
      expect((await browser.open('/views')).text).to.include(notice)
    }
    const browser = hanna()
    await browser.submit('/views/new', { name: 'Low', list: '/recordings', notify: 'true' })
    expect((await browser.open('/views')).text).to.include('“Low” saved. You can subscribe to at most 10 views.')
  })

  describeInBrowser('panel: saved views in a browser', (chrome) => {
    const countInMenu = (page: Page, name: string) => page.locator('.side nav a', { hasText: name }).locator('.count')

    it('a person saves, opens, changes, renames and deletes a view', async () => {
      const page = await chrome.open(`${app.panelUrl}/recordings?scoreBelow=50`, {
        cookie: cast.hanna.headers.Cookie!,
        viewport: { width: 1440, height: 900 },
      })
      await page.getByRole('link', { name: 'Save as view' }).click()
      await page.getByLabel('Name').fill('Below 50')
      await page.getByLabel('Who sees it').selectOption('Sales')
      await page.getByRole('button', { name: 'Save' }).click()
      await waitUntil('the count is in the menu', async () => (await countInMenu(page, 'Below 50').textContent()) === '2') // prettier-ignore
      expect(await page.locator('.side nav a[aria-current=page]').allTextContents()).to.have.length(1)

      const notify = page.getByRole('switch', { name: 'Notify me of new calls in “Below 50”' })
      await notify.click()
      await waitUntil('it is on', async () => (await notify.getAttribute('aria-checked')) === 'true')

      await page.locator('#facet-manager a', { hasText: 'Anna' }).click()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await waitUntil('the count is new', async () => (await countInMenu(page, 'Below 50').textContent()) === '1')
      expect(await filtersOf()).to.include({ manager: 'Anna', scoreBelow: '50' })

      await page.getByRole('link', { name: 'All views' }).click()
      await waitUntil('the page counts too', async () => (await page.locator('td .count').textContent()) === '1')
      await page.getByRole('link', { name: 'Edit “Below 50”' }).click()
      await page.getByLabel('Name').fill('Anna below 50')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('td.name a', { hasText: 'Anna below 50' }).click()
      expect(await page.locator('h1 bdi').textContent()).to.equal('Anna below 50')
      await page.getByRole('link', { name: 'Edit “Anna below 50”' }).click()
      await page.getByText('Delete view').click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('No views yet').waitFor()
    })
  })
})
