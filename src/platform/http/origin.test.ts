import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { generateId } from '../lib/ids.ts'
import { PANEL_ROUTES } from '../../panel/pages.ts'
import { startTestPanel, type TestPanel } from '../../test/panel.ts'

const FOREIGN_HEADERS: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'no address' },
]

/** Replaces the path parameters with values that match no object. */
const fillParameters = (path: string) =>
  path
    .replace(/\{id\}|:id/g, generateId())
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

  const countRows = async () => {
    const tables = ['people', 'sessions', 'api_keys', 'recordings', 'paused_queues']
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
    // An error page reads the filters of the panel, and the audit log records that read.
    const changes = `(SELECT count(*) FROM audit WHERE action <> 'recordings.facets') AS audit`
    return (await app.db.query(`SELECT ${counts.join(', ')}, ${changes}`)).rows[0]
  }

  it('a foreign page with a cookie gets 403 from every changing API operation', async () => {
    const changing = listApiOperations().filter(({ method }) => method !== 'get')
    expect(changing.length).to.be.at.least(15)
    const before = await countRows()
    const violations: string[] = []
    for (const { method, path, body } of changing) {
      for (const headers of FOREIGN_HEADERS) {
        const json = body && { 'Content-Type': 'application/json' }
        const init = { method: method.toUpperCase(), headers: { Cookie: cookie, ...json, ...headers } }
        const { status } = await app.nobody.send(fillParameters(path), { ...init, ...(body && { body: '{}' }) })
        if (status !== 403) violations.push(`${method} ${path} with ${JSON.stringify(headers)}: ${status}`)
      }
    }
    expect(violations).to.deep.equal([])
    expect(await countRows()).to.deep.equal(before)
  })

  it('a foreign page gets 403 from every form of the panel', async () => {
    const forms = PANEL_ROUTES.filter(({ method }) => method !== 'get')
    expect(forms.map(({ path }) => path)).to.include.members(['/login', '/logout'])
    const before = await countRows()
    const violations: string[] = []
    for (const { path } of forms) {
      for (const headers of FOREIGN_HEADERS) {
        const init = {
          method: 'POST',
          body: new URLSearchParams({ name: 'x' }),
          headers: { Cookie: cookie, ...headers },
        }
        const { status } = await app.browser().send(fillParameters(path), init)
        if (status !== 403) violations.push(`${path} with ${JSON.stringify(headers)}: ${status}`)
      }
    }
    expect(violations).to.deep.equal([])
    expect(await countRows()).to.deep.equal(before)
  })

  it('foreign pages can link to the panel, and our own pages can change data', async () => {
    for (const headers of FOREIGN_HEADERS) {
      expect((await app.browser({ Cookie: cookie }).open('/recordings', headers)).status).to.equal(200)
    }
    const own = { Cookie: cookie, Origin: app.url }
    expect((await app.nobody.post('/v1/api-keys', { name: 'x' }, own)).status).to.equal(201)
    expect((await app.browser({ Cookie: cookie }).submit('/logout')).status).to.equal(303)
  })
})
