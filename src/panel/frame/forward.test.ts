import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { generateId } from '../../platform/lib/ids.ts'
import { TestClient } from '../../test/client.ts'
import { OWNER_CREDENTIALS } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { PANEL_REQUEST_LIMIT_MS } from './server.ts'
import { startTestPanelServer, startTestPanel, type TestPanel } from '../../test/panel.ts'

/** Requests to /v1 at the panel's address; responses must match the OpenAPI description. */
describe('panel: proxy of /v1', () => {
  let app: TestPanel
  let olga: TestClient
  before(async () => {
    app = await startTestPanel({ LOGIN_MAX_FAILURES: 3 })
    olga = new TestClient(() => app.panelUrl, {})
    const login = await olga.post('/v1/auth/login', OWNER_CREDENTIALS)
    olga.headers.Cookie = login.headers.get('set-cookie')!.split(';')[0]!
  })
  after(() => app.stop())

  it('a login through the panel sets the session cookie of the API', async () => {
    const { status, headers, json } = await olga.post('/v1/auth/login', OWNER_CREDENTIALS, { 'X-Request-Id': 'mine-1' })
    expect([status, json.person.email]).to.deep.equal([200, OWNER_CREDENTIALS.email])
    expect(headers.getSetCookie()).to.have.length(1)
    expect(headers.get('set-cookie'))
      .to.match(/^svc_session=[^;]+;/)
      .and.match(/; HttpOnly/i)
      .and.match(/; SameSite=Lax/i)
    expect(headers.get('x-request-id')).to.equal('mine-1')
    olga.headers.Cookie = headers.get('set-cookie')!.split(';')[0]!
    expect((await olga.get('/v1/auth/me')).json.person.email).to.equal(OWNER_CREDENTIALS.email)
  })

  it('the panel forwards uploads, ranges, conditions and HEAD with the API’s headers', async () => {
    const created = await olga.upload('0123456789', { externalCallId: 'forward-1' })
    expect(created.status).to.equal(201)
    expect(created.headers.get('location')).to.equal(`/v1/recordings/${created.json.id}`)
    const audio = `/v1/recordings/${created.json.id}/audio`
    const part = await olga.get(audio, { Range: 'bytes=2-5' })
    expect([part.status, part.text, part.headers.get('content-range')]).to.deep.equal([206, '2345', 'bytes 2-5/10'])
    const etag = part.headers.get('etag')!
    expect((await olga.get(audio, { 'If-None-Match': etag })).status).to.equal(304)
    const head = await olga.send(audio, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.text]).to.deep.equal([200, '10', ''])
    // The two responses are compared byte by byte, so the test waits until the call no longer changes.
    const recording = () => app.olga.get(`/v1/recordings/${created.json.id}`)
    ;(await app.recognizer.waitForRecognition('0123456789')).finish('')
    await waitUntil('DONE', async () => (await recording()).json.status === 'DONE')
    const direct = await recording()
    const { status, text, headers } = await olga.get(`/v1/recordings/${created.json.id}`)
    expect([status, text]).to.deep.equal([200, direct.text])
    const names = (from: Headers) => [...from.keys()].filter((name) => !['connection', 'keep-alive'].includes(name))
    expect(names(headers)).to.deep.equal(names(direct.headers))
    expect((await olga.delete(`/v1/recordings/${created.json.id}`)).status).to.equal(204)
  })

  it('the panel forwards errors of the API', async () => {
    expect((await olga.get(`/v1/recordings/${generateId()}`)).status).to.equal(404)
    expect((await olga.get('/v1/nothing')).json).to.include({ statusCode: 404, error: 'Not Found' })
    expect((await olga.get('/v1/recordings?nonsense=1')).status).to.equal(400)
    expect((await olga.send('/v1/recordings/retry-failed', { method: 'GET' })).headers.get('allow')).to.equal('POST')
    const page = await fetch(`${app.panelUrl}/v1`)
    expect([page.status, page.headers.get('content-type')], 'no path of the API').to.deep.equal([
      404,
      'text/html; charset=utf-8',
    ])
  })

  it('the panel does not forward API keys', async () => {
    for (const headers of [
      { 'X-API-Key': app.ida.headers['X-API-Key']! },
      { Authorization: `Bearer ${app.ida.headers['X-API-Key']}` },
    ] as Record<string, string>[]) {
      const client = new TestClient(() => app.panelUrl, headers)
      expect((await client.get('/v1/recordings')).status, JSON.stringify(Object.keys(headers))).to.equal(401)
    }
  })

  it('the panel rejects changing operations from other sites with 403', async () => {
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: app.url },
    ]
    const violations: string[] = []
    for (const { method, path, body } of listApiOperations().filter(({ method }) => method !== 'get')) {
      const address = path.replace('{id}', generateId()).replace('{name}', 'callbacks')
      for (const headers of foreign) {
        const json = body && { 'Content-Type': 'application/json' }
        const init = { method: method.toUpperCase(), headers: { ...json, ...headers }, ...(body && { body: '{}' }) }
        const { status } = await olga.send(address, init)
        if (status !== 403) violations.push(`${method} ${path} with ${JSON.stringify(headers)}: ${status}`)
      }
    }
    expect(violations).to.deep.equal([])
    for (const own of [{ Origin: app.panelUrl }, { 'Sec-Fetch-Site': 'same-origin' }] as Record<string, string>[]) {
      expect((await olga.post('/v1/api-keys', { name: 'x' }, own)).status, JSON.stringify(own)).to.equal(201)
    }
  })

  it('the API receives the real address of a browser that forges headers', async () => {
    const nobody = new TestClient(() => app.panelUrl, {})
    const fail = (address: string, headers = {}) =>
      nobody.post(
        '/v1/auth/login',
        { ...OWNER_CREDENTIALS, password: 'wrong' },
        { 'X-Forwarded-For': address, ...headers },
      )
    for (let n = 0; n < 3; n++) {
      const claim = { 'X-Panel-Client': `10.0.0.${n} x`, 'X-Real-IP': `10.0.0.${n}` }
      expect((await fail(`10.0.0.${n}, 203.0.113.1`, claim)).status).to.equal(401)
    }
    expect((await fail('10.0.0.9, 203.0.113.1')).status).to.equal(429)
    expect((await fail('10.0.0.9, 203.0.113.1')).headers.get('retry-after')).to.match(/^\d+$/)
    expect((await fail('203.0.113.1, 203.0.113.2')).status, 'another browser').to.equal(401)
  })
})

describe('panel: proxy connections to the API', () => {
  let app: TestPanel
  let panel: { url: string; stop: () => Promise<void> }
  /** A panel with the short time limit LIMIT_MS. */
  let hurried: typeof panel
  let api: http.Server
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const seen: IncomingMessage[] = []
  const LIMIT_MS = 1500

  before(async () => {
    app = await startTestPanel({ API_RUN_MODE: 'api' })
    api = http.createServer((request, response) => {
      seen.push(request)
      answer(request, response)
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
    panel = await startTestPanelServer(app.config, apiUrl)
    hurried = await startTestPanelServer(app.config, apiUrl, LIMIT_MS)
  })
  beforeEach(() => seen.splice(0))
  after(async () => {
    await Promise.all([panel.stop(), hurried.stop()])
    api.closeAllConnections()
    await new Promise((resolve) => api.close(resolve))
    await app.stop()
  })

  /** Sends raw bytes and returns the received text once `isComplete` accepts it. */
  async function sendRaw(text: string, isComplete: (answer: string) => boolean, { url } = panel): Promise<string> {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    let got = ''
    socket.on('data', (chunk) => (got += chunk.toString('latin1')))
    socket.write(text)
    await waitUntil('the answer', () => isComplete(got) || socket.destroyed)
    socket.destroy()
    return got
  }
  const buildRequestText = (lines: string[]) => `${[...lines, 'Host: panel.example'].join('\r\n')}\r\n\r\n`

  it('the panel forwards no hop-by-hop header in either direction', async () => {
    answer = (_, response) => {
      response.writeHead(200, {
        Connection: 'close, X-Hop',
        'X-Hop': '1',
        'Proxy-Authenticate': 'Basic',
        Trailer: 'X-T',
        'X-End': '1',
      })
      response.end('ok')
    }
    const got = await sendRaw(
      buildRequestText([
        'GET /v1/x HTTP/1.1',
        'Connection: keep-alive, X-Hop, X-Other',
        'X-Hop: 1',
        'X-Other: 1',
        'TE: trailers',
        'Upgrade: h2c',
        'Proxy-Authorization: Basic x',
        'Keep-Alive: timeout=5',
        'X-End: 1',
      ]),
      (text) => text.includes('ok'),
    )
    const { headers } = seen[0]!
    for (const name of ['x-hop', 'x-other', 'te', 'upgrade', 'proxy-authorization', 'keep-alive']) {
      expect(headers, name).not.to.have.property(name)
    }
    expect(headers['x-end']).to.equal('1')
    expect(got).to.match(/^HTTP\/1\.1 200/)
    expect(got).to.match(/\r\nX-End: 1\r\n/i)
    expect(got).not.to.match(/\r\n(X-Hop|Proxy-Authenticate|Trailer):/i)
  })

  it('the panel forwards a path unchanged and only to the API', async () => {
    answer = (_, response) => response.end('ok')
    const ok = (text: string) => text.includes('HTTP/1.1')
    for (const path of ['/v1/../metrics', '/v1/%2e%2e/metrics', '/v1//evil.example/x?a=%20&b', '/v1/a;b@c']) {
      await sendRaw(buildRequestText([`GET ${path} HTTP/1.1`]), ok)
      expect(seen.pop()!.url).to.equal(path)
    }
    await sendRaw(buildRequestText(['GET http://evil.example/v1/x HTTP/1.1']), ok)
    expect(seen.pop()!.url).to.equal('/v1/x')
  })

  it('the panel streams request and response bodies', async () => {
    let arrived = ''
    answer = (request, response) => {
      request.on('data', (chunk: Buffer) => {
        arrived += chunk.toString()
        response.write(`heard ${chunk.toString()};`)
      })
      request.on('end', () => response.end('over'))
    }
    const socket = net.connect(Number(new URL(panel.url).port), '127.0.0.1')
    let got = ''
    socket.on('data', (chunk) => (got += chunk.toString()))
    socket.write(buildRequestText(['POST /v1/x HTTP/1.1', 'Transfer-Encoding: chunked']))
    socket.write('3\r\none\r\n')
    await waitUntil('the first piece has come back', () => got.includes('heard one;'))
    expect(arrived).to.equal('one')
    socket.write('3\r\ntwo\r\n0\r\n\r\n')
    await waitUntil('the end', () => got.includes('over'))
    expect(arrived).to.equal('onetwo')
    socket.destroy()
  })

  it('an early response arrives, and the connection serves the next request', async () => {
    answer = (request, response) => {
      if (request.method === 'GET') response.end('next')
      else response.writeHead(413).end('too large')
    }
    const body = 'x'.repeat(3_000_000)
    const got = await sendRaw(
      buildRequestText(['POST /v1/x HTTP/1.1', `Content-Length: ${body.length}`]) +
        body +
        buildRequestText(['GET /v1/next HTTP/1.1']),
      (text) => text.includes('next'),
    )
    expect(got).to.match(/^HTTP\/1\.1 413[^]*too large[^]*HTTP\/1\.1 200[^]*next/)
  })

  it('a slow request gets 504, or is cut off once its response has begun', async () => {
    const before = performance.now()
    answer = () => undefined
    const late = await new TestClient(() => hurried.url, {}).get('/v1/nothing-described').catch((error: Error) => error)
    expect(late instanceof Error ? late.message : String(late.status)).to.include('504')
    expect(performance.now() - before).to.be.at.least(LIMIT_MS - 100)
    answer = (_, response) => void response.write('begun')
    const response = await fetch(`${hurried.url}/v1/x`)
    expect(await response.text().catch((error: Error) => error.message)).to.match(/terminated|aborted/)
    await waitUntil('the API is told', () => seen.at(-1)!.socket.destroyed)
  })

  it('an upload that exceeds the time limit gets 504', async () => {
    expect(PANEL_REQUEST_LIMIT_MS).to.equal(300_000)
    answer = (request, response) => void request.resume().on('end', () => response.end('done'))
    const begun = `${buildRequestText(['POST /v1/recordings HTTP/1.1', 'Content-Length: 1000'])}some`
    const got = await sendRaw(begun, (text) => text.includes('5 minutes'), hurried)
    expect(got).to.match(/^HTTP\/1\.1 504 [^]*"statusCode":504/)
    await waitUntil('the API is told', () => seen.at(-1)!.socket.destroyed)
  })

  it('the panel aborts its request to the API if the browser disconnects', async () => {
    answer = () => undefined
    const leaving = new AbortController()
    const asking = fetch(`${panel.url}/v1/x`, { signal: leaving.signal }).catch(() => undefined)
    await waitUntil('it is asked', () => seen.length === 1)
    leaving.abort()
    await asking
    await waitUntil('the API is told', () => seen[0]!.socket.destroyed)
  })

  it('if the API is unreachable, the panel returns 503 as an API error', async () => {
    const alone = await startTestPanelServer(app.config, 'http://127.0.0.1:9')
    const response = await fetch(`${alone.url}/v1/recordings`, { headers: { 'X-Request-Id': 'a-1' } })
    expect(response.status).to.equal(503)
    expect(response.headers.get('x-request-id')).to.equal('a-1')
    expect(await response.json()).to.deep.equal({
      statusCode: 503,
      message: 'The API does not answer',
      error: 'Service Unavailable',
    })
    await alone.stop()
  })
})
