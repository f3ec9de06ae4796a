import http from 'node:http'
import { expect } from 'chai'
import { findFreePort } from '../platform/lib/free-port.ts'
import { ServiceProcess } from '../test/service-process.ts'
import { sendRawRequest } from '../test/raw-request.ts'
import { startTestPanelServer, startTestPanel, type PanelBrowser, type TestPanel } from '../test/panel.ts'

const POLICY =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self';media-src 'self';connect-src 'self';" +
  "form-action 'self';frame-ancestors 'none';base-uri 'none'"

describe('panel: HTTP server', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel()
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  it('the panel answers the health check', async () => {
    const { status, json } = await app.browser().open('/healthz')
    expect([status, json]).to.deep.equal([200, { status: 'ok' }])
  })

  it('the panel serves metrics only on a separate port', async () => {
    const metricsPort = await findFreePort()
    const panel = new ServiceProcess('dashboard', { host: '127.0.0.1', panelPort: 0, metricsPort, apiUrl: app.url })
    try {
      const own = await panel.waitUntilReady()
      const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      expect(await metrics.text()).to.match(/^process_resident_memory_bytes \d/m)
      expect((await fetch(`http://127.0.0.1:${own}/metrics`)).status).to.equal(404)
    } finally {
      await panel.stop()
    }
  })

  it('every response has the content security policy and the other security headers', async () => {
    for (const path of ['/login', '/recordings', '/nothing', '/healthz', '/recordings/x']) {
      const { headers } = await olga.open(path)
      expect(headers.get('content-security-policy'), path).to.equal(POLICY)
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff')
      expect(headers.get('x-frame-options'), path).to.equal('DENY')
      expect(headers.get('referrer-policy'), path).to.equal('same-origin')
      expect(headers.get('cache-control'), path).to.equal('no-store')
    }
  })

  it('pages contain no inline scripts or styles and no addresses of other hosts', async () => {
    for (const path of ['/login', '/recordings', '/nothing']) {
      const { text } = await olga.open(path)
      expect(text, path).not.to.match(/<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/)|(src|href)="(https?:)?\/\//)
    }
  })

  it('browsers can cache compressed assets under the hash of their content', async () => {
    const { text } = await olga.open('/login')
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(new Set(paths.map((path) => path.split('/').pop()))).to.deep.equal(
      new Set(['icon.svg', 'panel.css', 'htmx.js', 'panel.js']),
    )
    for (const path of paths) {
      const { status, headers } = await olga.open(path, { 'Accept-Encoding': 'br' })
      expect(status, path).to.equal(200)
      if (!path.endsWith('.svg')) expect(headers.get('content-encoding'), path).to.equal('br')
      expect(headers.get('cache-control'), path).to.equal('public, max-age=31536000, immutable')
      expect((await olga.open(path, { 'If-None-Match': headers.get('etag')! })).status, path).to.equal(304)
    }
    const old = await olga.open('/assets/000000000000/panel.css')
    expect([old.status, old.headers.get('cache-control')]).to.deep.equal([200, 'no-cache'])
    expect((await olga.open('/assets/000000000000/secrets.css')).status).to.equal(404)
  })

  it('the panel compresses pages', async () => {
    const { headers } = await olga.open('/recordings', { 'Accept-Encoding': 'br' })
    expect(headers.get('content-encoding')).to.equal('br')
  })

  it('the panel rejects forms from other sites with 403 and changes nothing', async () => {
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': '', Origin: 'null' },
    ]
    for (const headers of foreign) {
      for (const path of ['/login', '/logout', '/recordings/x/delete']) {
        const { status, text } = await olga.submit(path, {}, headers)
        expect(status, JSON.stringify(headers)).to.equal(403)
        expect(text).to.contain('came from another site')
      }
    }
    expect((await olga.open('/recordings')).status, 'still logged in').to.equal(200)
    const own = { 'Sec-Fetch-Site': '', Origin: app.panelUrl }
    expect((await olga.submit('/recordings/x/delete', {}, own)).status).to.equal(404)
  })

  it('if the API is down, pages get 503 and refreshes an empty 503', async () => {
    const panel = await startTestPanelServer(app.config, 'http://127.0.0.1:9')
    try {
      const response = await fetch(`${panel.url}/recordings?page=2`)
      expect(response.status).to.equal(503)
      const text = await response.text()
      expect(text).to.contain('The service is not responding').and.contain('href="/recordings?page=2"')
      const refresh = await fetch(`${panel.url}/recordings`, { headers: { 'HX-Request': 'true' } })
      expect([refresh.status, await refresh.text()]).to.deep.equal([503, ''])
    } finally {
      await panel.stop()
    }
  })

  it('an error of the API becomes a page without the details of the error', async () => {
    let status = 500
    const failing = http.createServer((_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '7' })
      response.end(JSON.stringify({ statusCode: status, message: 'inner detail', error: 'x' }))
    })
    await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve))
    const panel = await startTestPanelServer(
      app.config,
      `http://127.0.0.1:${(failing.address() as { port: number }).port}`,
    )
    try {
      const titles = {
        403: 'No access',
        404: 'Not found',
        429: 'Too many attempts',
        500: 'Something went wrong',
        503: 'is not responding',
      }
      for (const [code, title] of Object.entries(titles)) {
        status = Number(code)
        const response = await fetch(`${panel.url}/recordings`)
        const text = await response.text()
        expect(response.status).to.equal(status)
        expect(text).to.contain(title).and.not.contain('inner detail')
        if (status === 429) expect(text).to.contain('Try again in 7 seconds.')
        if (status === 500) expect(text).to.contain(response.headers.get('x-request-id'))
      }
    } finally {
      await panel.stop()
      await new Promise((resolve) => failing.close(resolve))
    }
  })

  it('invalid HTTP gets an error page in both languages', async () => {
    for (const [bytes, code] of [
      ['GET NONSENSE\r\n\r\n', 400],
      ['GET /login HTTP/1.1\r\n\r\n', 400],
      ['GET /login HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      [`GET /login HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ] as const) {
      const answer = await sendRawRequest(app.panelUrl, bytes)
      expect(answer, bytes.slice(0, 40)).to.match(
        new RegExp(`^HTTP/1\\.1 ${code} [^]*text/html[^]*cookie[^]*повторите`),
      )
    }
  })

  it('a form that arrives too slowly gets 408', async () => {
    const panel = await startTestPanelServer({ ...app.config, bodySeconds: 0.2 }, app.url)
    try {
      const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'
      const answer = await sendRawRequest(panel.url, `${head}Content-Length: 100\r\n\r\na=`)
      expect(answer).to.match(/^HTTP\/1\.1 408 [^]*Request timed out/)
    } finally {
      await panel.stop()
    }
  })

  it('the panel parses cookies in linear time', async () => {
    const health = async (cookie: string) => {
      const before = process.cpuUsage()
      await app.browser().get('/login', { Cookie: cookie })
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    const costs = async (cookie: string) => Math.min(await health(cookie), await health(cookie), await health(cookie))
    await costs('a=b')
    for (const worst of [`a${' '.repeat(31_000)}b`, ';'.repeat(31_000), '; '.repeat(15_500), ' ;'.repeat(15_500)]) {
      expect(await costs(worst), worst.slice(0, 4)).to.be.below((await costs('a=b')) + 100)
    }
  })

  it('the API receives the request id, one client address and only session cookies', async () => {
    const seen: http.IncomingHttpHeaders[] = []
    const api = http.createServer((request, response) => {
      seen.push(request.headers)
      const isMe = request.url === '/v1/auth/me'
      response.writeHead(isMe ? 200 : 401)
      response.end(isMe ? JSON.stringify({ person: { name: 'Olga', role: 'owner', rights: {}, language: 'ru' } }) : '')
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const panel = await startTestPanelServer(app.config, `http://127.0.0.1:${(api.address() as { port: number }).port}`)
    try {
      const headers = {
        Cookie: 'other=1; svc_session=abc; more=2; not_svc_session=x;svc_session=def',
        'X-Forwarded-For': '203.0.113.5, 192.0.2.44',
        'X-Request-Id': 'req-1',
        'X-API-Key': 'svc_stolen',
      }
      await fetch(`${panel.url}/recordings/x/retry`, { method: 'POST', headers, redirect: 'manual' })
      const known = {
        cookie: 'svc_session=abc; svc_session=def',
        'x-forwarded-for': '192.0.2.44',
        'x-request-id': 'req-1',
      }
      expect(seen).to.have.length(2)
      for (const one of seen) expect(one).to.include(known).and.not.have.property('x-api-key')
      expect(seen[1]).to.include({ 'sec-fetch-site': 'same-origin', 'accept-language': 'ru' })
    } finally {
      await panel.stop()
      await new Promise((resolve) => api.close(resolve))
    }
  })
})
