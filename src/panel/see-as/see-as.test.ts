import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createTestPeople, type TestPeople } from '../../test/people.ts'
import { PANEL_ROUTES } from '../pages.ts'
import { HTMX_IN_PLACE_HEADERS, startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: see as', () => {
  let app: TestPanel
  let cast: TestPeople
  let olga: PanelBrowser
  let maxs: string
  before(async () => {
    app = await startTestPanel()
    cast = await createTestPeople(app)
    const [first] = await insertCalls(app, [
      { manager: 'Max', phone: '111' },
      { manager: 'Otto', phone: '222' },
    ])
    maxs = first!
  })
  after(() => app.stop())
  beforeEach(async () => {
    olga = await app.openOwnerBrowser()
  })

  const startSeeAs = (browser = olga, id = cast.max.id) => browser.submit(`/people/${id}/see-as`)

  it('an owner sees what a person sees, with a notice on every page', async () => {
    expect((await olga.open(`/people/${cast.max.id}`)).text).to.contain(`action="/people/${cast.max.id}/see-as"`)
    const begun = await startSeeAs()
    expect([begun.status, begun.headers.get('location')]).to.deep.equal([303, '/'])
    const { text } = await olga.open('/recordings')
    expect(text).to.contain('Viewing as Max. Read-only.').and.contain('action="/see-as/end"')
    expect(text).to.contain('>111<').and.not.contain('>222<')
    expect(text).not.to.match(/href="\/(?:queues|system|audit|account)"/)
    for (const path of [`/recordings/${maxs}`, '/analytics/load', '/queues', '/nothing', '/account'])
      expect((await olga.open(path)).text, path).to.contain('action="/see-as/end"')
    const ended = await olga.submit('/see-as/end')
    expect([ended.status, ended.headers.get('location')]).to.deep.equal([303, `/people/${cast.max.id}`])
    expect((await olga.open('/recordings')).text)
      .to.contain('>222<')
      .and.not.contain('/see-as/end')
  })

  it('the view of another person has no buttons that add people or departments', async () => {
    const adds = async (path: string) =>
      (await olga.open(path)).text.includes(`class="button primary" href="${path}/new"`)
    expect([await adds('/people'), await adds('/departments')]).to.deep.equal([true, true])
    await startSeeAs(olga, cast.hanna.id)
    expect([await adds('/people'), await adds('/departments')]).to.deep.equal([false, false])
  })

  it('the view of another person rejects every form and every change through the API', async () => {
    await startSeeAs()
    const page = (await olga.open(`/recordings/${maxs}`)).text
    expect(page).not.to.match(/method="post" action="\/(?!see-as|log|language)|href="\/upload"/)
    for (const { method, path } of PANEL_ROUTES) {
      if (method !== 'post' || /^\/(?:see-as\/end|log(?:in|out)|language)$/.test(path)) continue
      const { status, text } = await olga.submit(
        path.replace(':id', maxs).replace(':name', 'x'),
        {},
        HTMX_IN_PLACE_HEADERS,
      )
      expect(status, path).to.equal(403)
      expect(text, path).to.contain('Return to your own view to make changes.')
    }
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    const deleted = await olga.send(`/v1/recordings/${maxs}`, { method: 'DELETE', headers })
    expect([deleted.status, (await olga.get(`/v1/recordings/${maxs}`)).status]).to.deep.equal([403, 200])
    expect((await app.ida.get(`/v1/recordings/${maxs}`)).status).to.equal(200)
  })

  it('only owners can view as another person; a forged cookie gets 403', async () => {
    const hanna = app.browser({ ...cast.hanna.headers })
    expect((await hanna.open(`/people/${cast.max.id}`)).text).not.to.contain('/see-as')
    expect((await startSeeAs(hanna)).status).to.equal(403)
    hanna.headers.Cookie += `; panel_see_as=${cast.max.id}`
    const { status, text } = await hanna.open('/recordings')
    expect([status, text.includes('action="/see-as/end"'), text.includes('111')]).to.deep.equal([403, true, false])
    const me = (await app.olga.get('/v1/auth/me')).json.person.id as string
    expect((await startSeeAs(olga, me)).status).to.equal(403)
    expect((await olga.open(`/people/${me}`)).text).not.to.contain('/see-as')
  })

  it('the view keeps the owner’s language and ends at logout', async () => {
    await startSeeAs(olga, cast.hanna.id)
    await app.olga.patch(`/v1/people/${cast.hanna.id}`, { language: 'en' })
    await olga.submit('/language', { language: 'ru', next: '/recordings' })
    expect((await olga.open('/recordings')).text).to.contain('Вы смотрите как Hanna.')
    await olga.submit('/logout')
    await olga.logIn()
    expect((await olga.open('/recordings')).text).not.to.contain('/see-as/end')
    await app.olga.patch('/v1/auth/me', { language: null })
  })
})
