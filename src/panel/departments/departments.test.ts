import { expect } from 'chai'
import { insertCalls } from '../../test/calls.ts'
import { createDepartment, createTestPeople, type TestPeople } from '../../test/people.ts'
import {
  openLoggedInBrowser,
  findElementText,
  HOSTILE_NAME,
  submitPanelForm as send,
  HOSTILE_NAME_HTML,
} from '../../test/panel-forms.ts'
import { startTestPanel, type PanelBrowser, type TestPanel } from '../../test/panel.ts'

describe('panel: departments', () => {
  let app: TestPanel
  let cast: TestPeople
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cast = await createTestPeople(app)
    olga = await app.openOwnerBrowser()
    const calls = ['Max', 'Max', 'Zed', ' zed', HOSTILE_NAME, null].map((manager) => ({
      manager,
      at: '2026-03-01T10:00:00Z',
    }))
    await insertCalls(app, calls)
  })
  after(() => app.stop())

  it('departments are listed with roster, and with links to people and calls', async () => {
    const { text } = await olga.open('/departments')
    expect(text).to.contain('<li><bdi>Anna</bdi></li>').and.contain(`href="/departments/${cast.sales}"`)
    const sales = text.slice(text.indexOf(`id="d-${cast.sales}"`), text.indexOf(`id="d-${cast.support}"`))
    expect(sales).to.match(new RegExp(`href="/recordings\\?department=${cast.sales}">.*</span>2</a>`))
    expect(sales).to.contain(`href="/people?department=${cast.sales}"`)
    expect(/\d+ calls without a department/.exec(text)?.[0]).to.equal('4 calls without a department')
  })

  it('an owner adds a department with typed names and suggested names of calls', async () => {
    const fresh = (await olga.open('/departments/new')).text
    expect(fresh).to.match(/<bdi>zed · 2<\/bdi>/i).and.contain(`value="${HOSTILE_NAME_HTML}"`).and.not.contain('Max ·')
    const fields: [string, string][] = [['name', ' New Ones '], ['managers', 'Ida Line\r\n\r\n  Ben Line '], ['found', 'Zed']]
    const { status, headers } = await send(olga, '/departments/new', fields)
    expect([status, headers.get('location')]).to.deep.equal([303, '/departments'])
    const { items } = (await app.olga.get('/v1/departments')).json
    const createdDepartment = items.find(({ name }: { name: string }) => name === 'New Ones')
    expect(createdDepartment.managers).to.deep.equal(['Ben Line', 'Ida Line', 'Zed'])
    expect((await olga.open('/departments')).text).to.contain('2 calls without a department.')
  }) // prettier-ignore

  it('a rejected department shows translated errors and keeps the typed values', async () => {
    const duplicateResponse = await send(olga, '/departments/new', [['name', 'SALES'], ['managers', `${HOSTILE_NAME}\nNew`], ['found', 'Zed']])
    expect(duplicateResponse.status).to.equal(409)
    expect(duplicateResponse.text).to.contain('A department with this name already exists.')
    expect(duplicateResponse.text).to.contain(`${HOSTILE_NAME_HTML}\nNew</textarea>`).and.contain('value="SALES"')
    const shared = await send(olga, `/departments/${cast.sales}`, [['name', 'Sales'], ['managers', 'Max\nOtto']])
    expect(shared.text).to.contain('Otto is in the roster of Support.')
    const [empty, named] = await Promise.all([
      send(olga, '/departments/new', [['name', '']], { 'Accept-Language': 'ru' }),
      send(olga, '/departments/new', [['name', 'sales']], { 'Accept-Language': 'ru' }),
    ])
    expect(findElementText(empty.text, 'f-name-error')).to.equal('Заполните это поле.')
    expect(named.text).to.contain('Отдел с таким названием уже есть.')
  }) // prettier-ignore

  it('a changed roster keeps the names of people who belong to the department', async () => {
    const path = `/departments/${cast.support}`
    expect((await olga.open(path)).text).to.contain('Otto</textarea>')
    const { status, headers } = await send(olga, path, [['name', 'Support'], ['managers', 'Carl']])
    expect([status, headers.get('location')]).to.deep.equal([303, path])
    expect((await app.olga.get(`/v1${path}`)).json.managers).to.deep.equal(['Carl', 'Otto'])
  }) // prettier-ignore

  it('an owner can delete only a department without people', async () => {
    const id = await createDepartment(app, HOSTILE_NAME)
    const path = `/departments/${id}`
    const pageText = (await olga.open(path)).text
    expect(pageText).to.contain(`action="${path}/delete"`).and.contain(`<bdi>${HOSTILE_NAME_HTML}</bdi>`)
    expect(pageText).not.to.contain('<img src=x')
    expect((await send(olga, `${path}/delete`, [])).status).to.equal(303)
    expect((await olga.open(path)).status).to.equal(404)
    const occupied = await send(olga, `/departments/${cast.sales}/delete`, [])
    expect(occupied.status).to.equal(409)
    expect(occupied.text).to.contain('The department has people. Move them to another department first.')
    const page = (await olga.open(`/departments/${cast.sales}`)).text
    expect(page).to.contain('before you delete it').and.not.contain('/delete"')
  })

  it('a head sees only their departments and cannot change them', async () => {
    const hanna = await openLoggedInBrowser(app, 'hanna@example.com')
    const { text } = await hanna.open('/departments')
    expect(text).to.contain('<bdi>Sales</bdi>').and.not.contain('Support').and.not.contain('/departments/new')
    expect(text).not.to.contain('without a department')
    for (const path of [`/departments/${cast.sales}`, '/departments/new']) {
      expect((await hanna.open(path)).status).to.equal(403)
    }
    expect((await send(hanna, '/departments/new', [['name', 'Mine']])).status).to.equal(403)
    expect((await send(hanna, `/departments/${cast.sales}/delete`, [])).status).to.equal(403)
  })

  describe('funnels of a department', () => {
    afterEach(() => app.db.query('DELETE FROM crm_funnels'))

    const save = (path: string, fields: Record<string, string>, headers = {}) =>
      olga.send(path, {
        method: 'POST',
        body: new URLSearchParams({ name: 'Support', managers: '', ...fields }),
        headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
      })
    const funnels = async (): Promise<number[]> => (await app.olga.get(`/v1/departments/${cast.support}`)).json.funnels
    const fieldOf = (text: string) => /<input type="text" id="f-funnels" name="funnels" value="([^"]*)"/.exec(text)?.[1]
    const errorOf = (text: string) => /id="f-funnels-error">([^<]*)</.exec(text)?.[1]

    it('without funnels from the CRM, an owner types funnel numbers', async () => {
      expect(fieldOf((await olga.open('/departments/new')).text)).to.equal('')
      const typedResponse = await save(`/departments/${cast.support}`, { withFunnels: 'typed', funnels: ' 5, 0;7  5 ' })
      expect(typedResponse.status).to.equal(303)
      expect(await funnels()).to.deep.equal([0, 5, 7])
      expect(fieldOf((await olga.open(`/departments/${cast.support}`)).text)).to.equal('0, 5, 7')
      await save(`/departments/${cast.support}`, { withFunnels: 'typed', funnels: '' })
      expect(await funnels()).to.deep.equal([])
      await save('/departments/new', { name: 'Others', withFunnels: 'typed', funnels: '3' })
      const { items } = (await app.olga.get('/v1/departments')).json
      expect(items.find(({ name }: { name: string }) => name === 'Others').funnels).to.deep.equal([3])
    })

    it('invalid funnel numbers are kept and named beside the field with other errors', async () => {
      const input = { name: '', withFunnels: 'typed', funnels: '0, five, -1, 99999999999' }
      for (const path of ['/departments/new', `/departments/${cast.support}`]) {
        const { status, text } = await save(path, input)
        expect([status, fieldOf(text)], path).to.deep.equal([400, input.funnels])
        expect(errorOf(text)).to.equal(
          'Not a funnel number: five, -1, 99999999999. Enter whole numbers separated by commas.',
        )
        expect(text).to.contain('id="f-name-error"')
      }
      const russian = await save('/departments/new', input, { 'Accept-Language': 'ru' })
      expect(errorOf(russian.text)).to.match(/^Не номер воронки: five, -1, 99999999999\. [А-я]/)
    })

    it('funnels from the CRM are chosen by name, with those typed before', async () => {
      await save(`/departments/${cast.support}`, { withFunnels: 'typed', funnels: '7' })
      await app.db.query(`INSERT INTO crm_funnels (id, name) VALUES (0, 'General')`)
      const { text } = await olga.open(`/departments/${cast.support}`)
      expect(fieldOf(text)).to.equal(undefined)
      expect(text)
        .to.match(/value="0"[^>]*>[\s\S]*General \(0\)/)
        .and.match(/value="7"[^>]* checked/)
      await save(`/departments/${cast.support}`, { withFunnels: 'chosen', funnels: '0' })
      expect(await funnels()).to.deep.equal([0])
    })
  })
})
