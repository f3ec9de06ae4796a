import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newId } from '../lib/ids.ts'
import type { Client } from '../test/client.ts'
import { sendRaw } from '../test/raw.ts'
import { startTestApp, type TestApp } from '../test/server.ts'

describe('the HTTP layer', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const raw = (bytes: string) => sendRaw(app.url, bytes)

  describe('errors', () => {
    const shape = { 404: 'Not Found', 405: 'Method Not Allowed', 415: 'Unsupported Media Type', 400: 'Bad Request' }

    it('/healthz and /readyz answer 200 whatever parameters a monitor adds; other addresses refuse unknown ones', async () => {
      for (const path of ['/healthz?t=1', '/readyz?t=1&cache=%00&t=2', '/readyz?']) {
        expect((await app.nobody.get(path)).status, path).to.equal(200)
      }
      expect((await app.ida.get('/v1/system?t=1')).status).to.equal(400)
    })

    it('name at most 50 faults: of parameters that nobody knows, and of fields at any depth', async () => {
      const names = Array.from({ length: 1000 }, (_, n) => `a${n}`)
      const fields = Object.fromEntries(names.map((name) => [name, 1]))
      for (const answer of [
        await app.nobody.post(`/v1/auth/login?${names.join('&')}`, { email: 'a@example.com', password: 'x' }),
        await app.nobody.post('/v1/auth/login', fields),
        await app.olga.post('/v1/people', { email: 'a@example.com', name: 'A', role: 'manager', rights: fields }),
        await app.olga.send('/v1/crm/roster', {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ members: names.map(() => ({ x: 1 })) }),
        }),
      ]) {
        expect(answer.status).to.equal(400)
        expect(answer.json.message).to.be.an('array').with.lengthOf.within(1, 50)
      }
    })

    it('have the one shape and nothing else', async () => {
      for (const [status, answer] of [
        [404, await app.ida.get('/v1/nothing')],
        [404, await app.ida.get('/')],
        [405, await app.ida.send('/v1/recordings', { method: 'PUT' })],
        [415, await app.olga.post('/v1/api-keys', undefined, { 'Content-Type': 'text/plain' })],
        [400, await app.ida.get('/v1/recordings?x=1')],
      ] as const) {
        expect(answer.status).to.equal(status)
        expect(answer.json).to.have.all.keys('statusCode', 'message', 'error')
        expect(answer.json).to.include({ statusCode: status, error: shape[status] })
      }
    })

    it('name each message by its id and values in X-Error-Ids, in 2.5 KB at most', async () => {
      const ids = async (path: string) => (await app.ida.get(path)).headers.get('x-error-ids')!
      expect(await ids('/v1/nothing')).to.equal('http.notFound')
      expect(await ids('/v1/recordings?pageSize=0&colour=%D1%8F,%0A;')).to.equal(
        'rule.unknownField;field=colour, rule.atLeast;field=pageSize;limit=1',
      )
      expect(await ids('/v1/recordings?pageSize=0&status=LOST')).to.equal(
        'rule.oneOf;field=status;values=QUEUED%2C%20PROCESSING%2C%20DONE%2C%20FAILED%2C%20CANCELLED, rule.atLeast;field=pageSize;limit=1',
      )
      const many = Array.from({ length: 50 }, (_, n) => [`${'я'.repeat(50)}${n}`, n])
      const { headers, json } = await app.ida.post('/v1/recordings/from-url', Object.fromEntries(many))
      expect(json.message.length).to.equal(50)
      const header = headers.get('x-error-ids')!
      expect(header.length).to.be.at.most(2500)
      expect(header.split(', ').map((item) => item.split(';')[0])).to.deep.equal([
        'rule.required',
        ...Array(49).fill('rule.unknownField'),
      ])
      const raced = await raw('GET /healthz HTTP/1.1\r\n\r\n')
      expect(raced).to.contain('X-Error-Ids: connection.hostMissing')
    })

    it('a wrong method is 405 with Allow', async () => {
      const answer = await app.ida.send('/v1/recordings', { method: 'DELETE' })
      expect(answer.status).to.equal(405)
      expect(answer.headers.get('allow')).to.equal('GET, HEAD, POST')
      for (const [method, path, allow] of [
        ['OPTIONS', '/v1/recordings', 'GET, HEAD, POST'],
        ['HEAD', '/v1/auth/login', 'POST'],
        ['GET', '/v1/recordings/retry-failed', 'POST'],
        ['POST', `/v1/recordings/${newId()}`, 'DELETE, GET, HEAD, PATCH'],
        ['DELETE', '/healthz', 'GET, HEAD'],
      ] as const) {
        const { status, headers } = await app.ida.send(path, { method })
        expect(status, `${method} ${path}`).to.equal(405)
        expect(headers.get('allow'), `${method} ${path}`).to.equal(allow)
      }
    })

    it('malformed JSON is 400, and so is JSON that is no object, by its schema', async () => {
      for (const body of ['{', '', '{"email":}', '\u0000', '[]', '1', '""', 'null', 'true']) {
        const headers = { 'Content-Type': 'application/json' }
        const answer = await app.nobody.send('/v1/auth/login', { method: 'POST', body, headers })
        expect(answer.status, body).to.equal(400)
        expect(answer.json.error).to.equal('Bad Request')
        if (/^([1n"t]|\[)/.test(body)) expect(answer.json.message, body).to.deep.equal(['body must be an object'])
      }
    })

    it('JSON that is not UTF-8 is 400, wherever it is cut; a � that was meant is taken where it is escaped', async () => {
      const named = (name: Uint8Array) => [Buffer.from('{"name":"'), name, Buffer.from('"}')]
      const post = (pieces: Buffer[]) => {
        const body = Readable.toWeb(Readable.from(pieces)) as ReadableStream
        const sent = { method: 'POST', body, duplex: 'half' as const, headers: { 'Content-Type': 'application/json' } }
        return app.olga.send('/v1/api-keys', sent)
      }
      for (const latin of [
        Buffer.from('Müller', 'latin1'),
        Buffer.from([0xc3]),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('�'),
      ]) {
        const { status, json } = await post(named(latin) as Buffer[])
        expect(status).to.equal(400)
        expect(json.message).to.match(/^The body is not valid JSON: it is not UTF-8/)
      }
      const meant = Buffer.concat(named(Buffer.from('Müller \\ufffd')))
      const bytes = Array.from(meant, (_, n) => meant.subarray(n, n + 1))
      expect((await post(bytes)).json.name).to.equal('Müller �')
    })

    it('a compressed body is 415, whatever it is, and the next request of its connection is answered', async () => {
      const login = (encoding: string, type: string, body: Buffer) =>
        `POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Encoding: ${encoding}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body.toString('latin1')}`
      const next = 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
      const json = Buffer.from('{"email":"a@b","password":"x"}')
      const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '))
      const nothings = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync('')))
      for (const [encoding, body] of [
        ['gzip', gzipSync(json)],
        ['GZIP', gzipSync(json)],
        ['deflate', deflateSync(json)],
        ['br', brotliCompressSync(json)],
        ['gzip, gzip', gzipSync(gzipSync(json))],
        ['zstd', json],
        ['gzip', bomb],
        ['gzip', nothings],
      ] as const) {
        for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
          const answers = await raw(login(encoding, type, body) + next)
          expect(answers.match(/HTTP\/1\.1 \d+/g), `${encoding} ${type}`).to.deep.equal([
            'HTTP/1.1 415',
            'HTTP/1.1 404',
          ])
          expect(answers)
            .to.match(/^Accept-Encoding: identity\r$/m)
            .and.contain('must not be compressed')
        }
      }
      const plain = login('identity', 'application/json', json)
      expect(await raw(plain + next)).to.match(/^HTTP\/1\.1 401/)
    })

    it('a body of JSON that does not arrive in time is 408, and its connection ends', async () => {
      await app.restart({ bodySeconds: 0.2 })
      try {
        const head = 'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
        const [first, body] = (await raw(`${head}Content-Length: 100\r\n\r\n{`)).split('\r\n\r\n') as [string, string]
        expect(first)
          .to.match(/^HTTP\/1\.1 408 /)
          .and.match(/^Connection: close\r?$/m)
        expect(JSON.parse(body)).to.include({ statusCode: 408, error: 'Request Timeout' })
      } finally {
        await app.restart({ bodySeconds: 30 })
      }
    })

    it('a body with thousands of unknown fields is told of the first fifty', async () => {
      const fields = Array.from({ length: 5000 }, (_, n) => [`f${n}`, 1])
      const body = { email: 'a@example.com', password: 'x', ...Object.fromEntries(fields) }
      const { status, json } = await app.nobody.post('/v1/auth/login', body)
      expect(status).to.equal(400)
      expect(json.message).to.have.length(50)
      expect(json.message[49]).to.equal('f49 is not a known field')
    })

    it('after a body that is too large the next request of its connection is answered', async () => {
      const body = `{"email":"${'x'.repeat(2 * 1024 * 1024)}"}`
      const answers = await raw(
        'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
          `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` +
          'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      )
      expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 404'])
    })

    it('a UUID is one as the database reads it: urn:uuid: before it is 400 naming the field', async () => {
      const urn = `urn:uuid:${newId()}`
      for (const [path, field] of [
        [`/v1/people?department=${urn}`, 'department'],
        [`/v1/recordings?department=${urn}`, 'department'],
        [`/v1/recordings/excerpts?ids=${urn}`, 'ids'],
        [`/v1/transcripts/export?format=csv&ids=${urn}`, 'ids'],
        [`/v1/audit?person=${urn}`, 'person'],
      ] as const) {
        const { status, json } = await app.olga.get(path)
        expect(status, path).to.equal(400)
        expect(json.message, path).to.deep.equal([`${field} must be a UUID`])
      }
      const person = { email: 'urn@example.com', name: 'Urn', password: 'forty blue umbrellas', role: 'manager' }
      const answer = await app.olga.post('/v1/people', { ...person, departments: [urn] })
      expect(answer.status).to.equal(400)
      expect(answer.json.message).to.deep.equal(['departments must be a UUID'])
    })

    it('an operation without a body names the fields it was sent; nothing and {} are fine', async () => {
      const path = `/v1/recordings/${newId()}`
      const send = (method: string, at: string, body: string, type = 'application/json') =>
        app.olga.send(at, { method, body, headers: { 'Content-Type': type } })
      for (const [method, at] of [
        ['POST', `${path}/retry`],
        ['DELETE', path],
      ] as const) {
        const answer = await send(method, at, '{"a":1,"b":{}}')
        expect(answer.status, method).to.equal(400)
        expect(answer.json.message).to.deep.equal(['a is not a known field', 'b is not a known field'])
        expect((await send(method, at, '[]')).status).to.equal(400)
        expect((await send(method, at, '{')).status).to.equal(400)
        for (const body of ['', '{}', ' { } ']) expect((await send(method, at, body)).status, body).to.equal(404)
        expect((await send(method, at, 'a=1', 'application/x-www-form-urlencoded')).status).to.equal(404)
      }
    })

    it('JSON over 1 MB is 413, and 1 MB exactly is read; 64 KB where nobody need say who they are', async () => {
      const post = (client: Client, path: string, field: string, bytes: number) => {
        const body = JSON.stringify({ [field]: 'x'.repeat(bytes - JSON.stringify({ [field]: '' }).length) })
        return client.send(path, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
      }
      for (const [client, path, field, limit] of [
        [app.ida, '/v1/recordings/from-url', 'url', 1024 * 1024],
        [app.nobody, '/v1/auth/login', 'password', 64 * 1024],
      ] as const) {
        expect((await post(client, path, field, limit + 1)).status, path).to.equal(413)
        expect((await post(client, path, field, limit)).status, path).to.equal(400) // the field is too long
      }
    })

    it('unknown fields are named, and __proto__ pollutes nothing', async () => {
      const headers = { 'Content-Type': 'application/json' }
      const login = (more: string) =>
        app.nobody.send('/v1/auth/login', { method: 'POST', body: `{"email":"a@b","password":"x",${more}}`, headers })
      const answer = await login('"constructor":1,"colour":2')
      expect(answer.status).to.equal(400)
      expect(answer.json.message).to.deep.equal(['constructor is not a known field', 'colour is not a known field'])
      expect((await login('"__proto__":{"admin":true}')).status).to.equal(400)
      expect(({} as { admin?: boolean }).admin).to.equal(undefined)
    })

    it('what is no HTTP still gets the one shape', async () => {
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
        const answer = JSON.parse(body) as Record<string, unknown>
        expect(answer, what).to.have.all.keys('statusCode', 'message', 'error')
        expect(answer, what).to.include({ statusCode: status, error })
      }
    })

    it('broken percent-encoding in the path is 400', async () => {
      for (const path of ['/v1/recordings/%zz', '/%', '/docs/%E9', '/v1/recordings/%c3%28/audio']) {
        const { status, json } = await app.ida.get(path)
        expect(status, path).to.equal(400)
        expect(json.message, path).to.match(/percent sign/)
      }
    })

    it('a parameter given twice is 400 and named', async () => {
      for (const path of ['/v1/recordings?page=1&page=2', '/v1/recordings?order=asc&order=asc']) {
        const { status, json } = await app.ida.get(path)
        expect(status, path).to.equal(400)
        expect(json.message[0], path).to.match(/^(page|order) /)
      }
      expect((await app.ida.get('/v1/recordings?order=%E9')).json.message[0]).to.match(/^order /)
      expect((await app.ida.get('/docs?a=1&a=2')).json.message).to.deep.equal(['a is not a known parameter'])
    })

    it('a body of another type is 415', async () => {
      const login = (headers: Record<string, string>) =>
        app.nobody.send('/v1/auth/login', { method: 'POST', body: '{}', headers })
      for (const headers of [
        { 'Content-Type': 'text/plain' },
        { 'Content-Type': 'application/x-www-form-urlencoded' },
      ]) {
        expect((await login(headers)).status, JSON.stringify(headers)).to.equal(415)
      }
      expect((await app.ida.post('/v1/recordings', { a: 1 })).status).to.equal(415)
    })
  })

  describe('X-Request-Id', () => {
    it('is the caller’s where it is safe', async () => {
      const { headers } = await app.nobody.get('/healthz', { 'X-Request-Id': 'trace-1.a:b/c=' })
      expect(headers.get('x-request-id')).to.equal('trace-1.a:b/c=')
    })

    it('is ours where the caller’s is missing, too long or unsafe, and stands on errors too', async () => {
      for (const id of ['', 'x'.repeat(129), '<script>', 'a b']) {
        const { headers } = await app.nobody.get('/v1/nothing', { 'X-Request-Id': id })
        expect(headers.get('x-request-id'), id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/)
      }
    })
  })

  it('no answer may be sniffed, framed or cached', async () => {
    const { headers } = await app.ida.get('/v1/recordings')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('x-frame-options')).to.equal('DENY')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-security-policy')).to.equal("default-src 'none';frame-ancestors 'none'")
  })
})
