import { expect } from 'chai'
import { generateId } from '../lib/ids.ts'
import { sendRawRequest } from '../../test/raw-request.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'

describe('HTTP layer', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const raw = (bytes: string) => sendRawRequest(app.url, bytes)

  describe('errors', () => {
    const shape = { 404: 'Not Found', 405: 'Method Not Allowed', 415: 'Unsupported Media Type', 400: 'Bad Request' }

    it('/healthz and /readyz ignore unknown parameters; other addresses reject them', async () => {
      for (const path of ['/healthz?t=1', '/readyz?t=1&cache=%00&t=2', '/readyz?']) {
        expect((await app.nobody.get(path)).status, path).to.equal(200)
      }
      expect((await app.ida.get('/v1/system?t=1')).status).to.equal(400)
    })

    it('an error response lists at most 50 violations of parameters and fields', async () => {
      const names = Array.from({ length: 1000 }, (_, n) => `a${n}`)
      const fields = Object.fromEntries(names.map((name) => [name, 1]))
      for (const response of [
        await app.nobody.post(`/v1/auth/login?${names.join('&')}`, { email: 'a@example.com', password: 'x' }),
        await app.nobody.post('/v1/auth/login', fields),
        await app.olga.post('/v1/people', { email: 'a@example.com', name: 'A', role: 'manager', rights: fields }),
        await app.olga.send('/v1/crm/roster', {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ members: names.map(() => ({ x: 1 })) }),
        }),
      ]) {
        expect(response.status).to.equal(400)
        expect(response.json.message).to.be.an('array').with.lengthOf.within(1, 50)
      }
    })

    it('all error responses have exactly statusCode, message and error', async () => {
      for (const [status, response] of [
        [404, await app.ida.get('/v1/nothing')],
        [404, await app.ida.get('/')],
        [405, await app.ida.send('/v1/recordings', { method: 'PUT' })],
        [415, await app.olga.post('/v1/api-keys', undefined, { 'Content-Type': 'text/plain' })],
        [400, await app.ida.get('/v1/recordings?x=1')],
      ] as const) {
        expect(response.status).to.equal(status)
        expect(response.json).to.have.all.keys('statusCode', 'message', 'error')
        expect(response.json).to.include({ statusCode: status, error: shape[status] })
      }
    })

    it('errors are in Russian only for people whose browser prefers it', async () => {
      const message = async (client: TestApp['ida'], language: string) => {
        const { headers, json } = await client.get('/v1/recordings?pageSize=0', { 'Accept-Language': language })
        expect(headers.get('x-error-ids')).to.equal(null)
        return json.message[0] as string
      }
      const [english, russian] = ['pageSize must be at least 1', 'pageSize: Не меньше 1.']
      for (const language of ['ru', 'ru-RU', 'ru-RU,en;q=0.5', 'de, en;q=0.5, ru;q=0.7', 'RU'])
        expect(await message(app.olga, language), language).to.equal(russian)
      for (const language of ['', 'en', 'en-GB, ru', 'ru;q=0.3, en;q=0.4', 'de', '*', 'ru;q=0', 'rus'])
        expect(await message(app.olga, language), language).to.equal(english)
      expect(await message(app.ida, 'ru'), 'a key').to.equal(english)
      const both = await app.ida.get('/v1/nothing', { 'Accept-Language': 'ru', Cookie: 'svc_session=x' })
      expect(both.json.message, 'a key beside a cookie').to.equal('Not found')
      expect((await app.nobody.get('/v1/nothing', { 'Accept-Language': 'ru' })).json.message).to.equal('Not found')
    })

    it('a wrong method gets 405 with Allow', async () => {
      const response = await app.ida.send('/v1/recordings', { method: 'DELETE' })
      expect(response.status).to.equal(405)
      expect(response.headers.get('allow')).to.equal('GET, HEAD, POST')
      for (const [method, path, allow] of [
        ['OPTIONS', '/v1/recordings', 'GET, HEAD, POST'],
        ['HEAD', '/v1/auth/login', 'POST'],
        ['GET', '/v1/recordings/retry-failed', 'POST'],
        ['POST', `/v1/recordings/${generateId()}`, 'DELETE, GET, HEAD, PATCH'],
        ['DELETE', '/healthz', 'GET, HEAD'],
      ] as const) {
        const { status, headers } = await app.ida.send(path, { method })
        expect(status, `${method} ${path}`).to.equal(405)
        expect(headers.get('allow'), `${method} ${path}`).to.equal(allow)
      }
    })

    it('the API rejects a UUID with the prefix urn:uuid: and names the field', async () => {
      const urn = `urn:uuid:${generateId()}`
      for (const [path, message] of [
        [`/v1/people?department=${urn}`, 'department must be a UUID'],
        [`/v1/recordings?department=${urn}`, 'department must be a UUID'],
        [`/v1/recordings/excerpts?ids=${urn}`, 'ids must contain only UUIDs'],
        [`/v1/transcripts/export?format=csv&ids=${urn}`, 'ids must contain only UUIDs'],
        [`/v1/audit?person=${urn}`, 'person must be a UUID'],
      ] as const) {
        const { status, json } = await app.olga.get(path)
        expect(status, path).to.equal(400)
        expect(json.message, path).to.deep.equal([message])
      }
      const person = { email: 'urn@example.com', name: 'Urn', password: 'forty blue umbrellas', role: 'manager' }
      const response = await app.olga.post('/v1/people', { ...person, departments: [urn] })
      expect(response.status).to.equal(400)
      expect(response.json.message).to.deep.equal(['departments must contain only UUIDs'])
    })

    it('invalid HTTP gets an error response of the usual shape', async () => {
      const close = 'Host: x\r\nConnection: close\r\n'
      for (const [bytes, status, error] of [
        ['GET NONSENSE\r\n\r\n', 400, 'Bad Request'],
        [
          `GET /healthz HTTP/1.1\r\n${close}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
          400,
          'Bad Request',
        ],
        ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request'],
        ['NONSENSE / HTTP/1.1\r\n\r\n', 501, 'Not Implemented'],
        ['GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'Bad Request'],
        ['GET /healthz HTTP/1.1\r\nHost: x/y\r\n\r\n', 400, 'Bad Request'],
        ['POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501, 'Not Implemented'],
        [`TRACE /v1/recordings HTTP/1.1\r\n${close}\r\n`, 405, 'Method Not Allowed'],
        [`PROPFIND /v1/recordings HTTP/1.1\r\n${close}\r\n`, 405, 'Method Not Allowed'],
        [`CONNECT elsewhere:443 HTTP/1.1\r\n${close}\r\n`, 405, 'Method Not Allowed'],
        [`GET /v1/nothing HTTP/1.1\r\n${close}Expect: miracles\r\n\r\n`, 404, 'Not Found'],
        [`GET /${'x'.repeat(9000)} HTTP/1.1\r\n${close}\r\n`, 414, 'URI Too Long'],
        [`GET /healthz?${'x'.repeat(9000)} HTTP/1.1\r\n${close}\r\n`, 414, 'URI Too Long'],
        [`GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${close}\r\n`, 431, 'Request Header Fields Too Large'],
        [`GET / HTTP/1.1\r\n${close}X: ${'x'.repeat(70_000)}\r\n\r\n`, 431, 'Request Header Fields Too Large'],
      ] as const) {
        const [head, body] = (await raw(bytes)).split('\r\n\r\n') as [string, string]
        const what = bytes.slice(0, 60)
        expect(head, what).to.match(new RegExp(`^HTTP/1\\.1 ${status} ${error}\\r\\n`))
        expect(head, what).to.match(/^X-Request-Id: [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}\r$/im)
        if (status === 405) expect(head, what).to.match(/^Allow: [A-Z, ]+\r$/im)
        const response = JSON.parse(body) as Record<string, unknown>
        expect(response, what).to.have.all.keys('statusCode', 'message', 'error')
        expect(response, what).to.include({ statusCode: status, error })
      }
    })

    it('broken percent-encoding in the path gets 400', async () => {
      for (const path of ['/v1/recordings/%zz', '/%', '/docs/%E9', '/v1/recordings/%c3%28/audio']) {
        const { status, json } = await app.ida.get(path)
        expect(status, path).to.equal(400)
        expect(json.message, path).to.match(/percent-encoded/)
      }
    })

    it('a repeated parameter gets 400 with its name', async () => {
      for (const name of ['page', 'order', 'q']) {
        const { status, json } = await app.ida.get(`/v1/recordings?${name}=1&${name}=2`)
        expect([status, json.message], name).to.deep.equal([400, [`${name} must be given only once`]])
      }
      const several = await app.ida.get('/v1/recordings?status=DONE&status=FOO')
      expect(several.json.message[0], 'what takes several values').to.match(/^status must be one of /)
      const unknown = await app.ida.get('/v1/recordings?constructor=1&constructor=2')
      expect(unknown.json.message).to.deep.equal(['constructor is not a known field'])
      expect((await app.ida.get('/v1/recordings?order=%E9')).json.message[0]).to.match(/^order /)
      expect((await app.ida.get('/docs?a=1&a=2')).json.message).to.deep.equal(['a is not a known field'])
    })
  })

  describe('X-Request-Id', () => {
    it('the API returns the safe X-Request-Id of a caller', async () => {
      const { headers } = await app.nobody.get('/healthz', { 'X-Request-Id': 'trace-1.a:b/c=' })
      expect(headers.get('x-request-id')).to.equal('trace-1.a:b/c=')
    })

    it('the API generates an X-Request-Id if the caller sends none or an unsafe one', async () => {
      for (const id of ['', 'x'.repeat(129), '<script>', 'a b']) {
        const { headers } = await app.nobody.get('/v1/nothing', { 'X-Request-Id': id })
        expect(headers.get('x-request-id'), id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/)
      }
    })
  })

  it('responses forbid sniffing, framing and caching', async () => {
    const { headers } = await app.ida.get('/v1/recordings')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('x-frame-options')).to.equal('DENY')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-security-policy')).to.equal("default-src 'none';frame-ancestors 'none'")
  })
})
