import { expect } from 'chai'
import { apiOperations } from '../../app/api.ts'
import { newId } from '../lib/ids.ts'
import { PANEL_ROUTES } from '../../panel/pages.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

const FOREIGN: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'no address' },
]

/** An address with values for its parameters. */
const filled = (path: string) =>
  path
    .replace(/\{id\}|:id/g, newId())
    .replace(/\{name\}|:name/g, 'callbacks')
    .replace(/\{\w+\}|:\w+/g, 'x')

describe('requests from foreign pages', () => {
  let app: TestPanel
  let cookie: string
  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    cookie = app.olga.headers.Cookie!
  })
  after(() => app.stop())

  const rows = async () => {
    const tables = ['people', 'sessions', 'api_keys', 'recordings', 'paused_queues']
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
    // The frame of an error page reads its data, which is recorded like any read.
    const changes = `(SELECT count(*) FROM audit WHERE action <> 'recordings.facets') AS audit`
    return (await app.db.query(`SELECT ${counts.join(', ')}, ${changes}`)).rows[0]
  }

  it('get 403 from every changing operation of the API when they bring a cookie, and change nothing', async () => {
    const changing = apiOperations().filter(({ method }) => method !== 'get')
    expect(changing.length).to.be.at.least(15)
    const before = await rows()
    const violations: string[] = []
    for (const { method, path, body } of changing) {
      for (const headers of FOREIGN) {
        const json = body && { 'Content-Type': 'application/json' }
        const init = { method: method.toUpperCase(), headers: { Cookie: cookie, ...json, ...headers } }
        const { status } = await app.nobody.send(filled(path), { ...init, ...(body && { body: '{}' }) })
        if (status !== 403) violations.push(`${method} ${path} with ${JSON.stringify(headers)}: ${status}`)
      }
    }
    expect(violations).to.deep.equal([])
    expect(await rows()).to.deep.equal(before)
  })

  it('get 403 from every form of the panel, and change nothing', async () => {
    const forms = PANEL_ROUTES.filter(({ method }) => method !== 'get')
    expect(forms.map(({ path }) => path)).to.include.members(['/login', '/logout'])
    const before = await rows()
    const violations: string[] = []
    for (const { path } of forms) {
      for (const headers of FOREIGN) {
        const init = {
          method: 'POST',
          body: new URLSearchParams({ name: 'x' }),
          headers: { Cookie: cookie, ...headers },
        }
        const { status } = await app.browser().send(filled(path), init)
        if (status !== 403) violations.push(`${path} with ${JSON.stringify(headers)}: ${status}`)
      }
    }
    expect(violations).to.deep.equal([])
    expect(await rows()).to.deep.equal(before)
  })

  it('may read what a link leads to, and pages of ours may change things', async () => {
    for (const headers of FOREIGN) {
      expect((await app.browser({ Cookie: cookie }).open('/recordings', headers)).status).to.equal(200)
    }
    const own = { Cookie: cookie, Origin: app.url }
    expect((await app.nobody.post('/v1/api-keys', { name: 'x' }, own)).status).to.equal(201)
    expect((await app.browser({ Cookie: cookie }).submit('/logout')).status).to.equal(303)
  })
})
