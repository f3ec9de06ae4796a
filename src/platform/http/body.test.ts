import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Context } from 'koa'
import type { Core } from '../core.ts'
import { generateId } from '../lib/ids.ts'
import type { TestClient } from '../../test/client.ts'
import { sendRawRequest } from '../../test/raw-request.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { readPublicBodyText } from './body.ts'

describe('request bodies', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const raw = (bytes: string) => sendRawRequest(app.url, bytes)

  it('the API answers 400 to malformed JSON and to JSON that is no object', async () => {
    for (const body of ['{', '', '{"email":}', '\u0000', '[]', '1', '""', 'null', 'true']) {
      const headers = { 'Content-Type': 'application/json' }
      const response = await app.nobody.send('/v1/auth/login', { method: 'POST', body, headers })
      expect(response.status, body).to.equal(400)
      expect(response.json.error).to.equal('Bad Request')
      if (/^([1n"t]|\[)/.test(body)) expect(response.json.message, body).to.deep.equal(['body must be an object'])
    }
  })

  it('the API rejects JSON that is not UTF-8, but accepts an escaped �', async () => {
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

  it('JSON with too many levels or values gets 400 in every operation', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const bodies = [
      `{"email":${deep}}`,
      `{"rules":[{"after":{"rule":${deep}}}]}`,
      `{"email":[${'{},'.repeat(21_000)}{}]}`,
    ]
    for (const [client, method, path] of [
      [app.nobody, 'POST', '/v1/auth/login'],
      [app.olga, 'POST', '/v1/rule-sets'],
      [app.olga, 'PUT', `/v1/rule-sets/${generateId()}/draft`],
      [app.olga, 'DELETE', `/v1/recordings/${generateId()}`],
    ] as const) {
      for (const body of bodies) {
        const response = await client.send(path, { method, body, headers: { 'Content-Type': 'application/json' } })
        expect(response.status, `${method} ${path}`).to.equal(400)
        expect(response.json.message).to.equal('The JSON body has more than 32 levels or 40000 values')
      }
    }
  })

  it('a compressed body gets 415, and its connection can carry the next request', async () => {
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
        expect(answers.match(/HTTP\/1\.1 \d+/g), `${encoding} ${type}`).to.deep.equal(['HTTP/1.1 415', 'HTTP/1.1 404'])
        expect(answers)
          .to.match(/^Accept-Encoding: identity\r$/m)
          .and.contain('must not be compressed')
      }
    }
    const plain = login('identity', 'application/json', json)
    expect(await raw(plain + next)).to.match(/^HTTP\/1\.1 401/)
  })

  it('a JSON body that arrives too late gets 408, and its connection is closed', async () => {
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

  it('an error response lists the first fifty of thousands of unknown fields', async () => {
    const fields = Array.from({ length: 5000 }, (_, n) => [`f${n}`, 1])
    const body = { email: 'a@example.com', password: 'x', ...Object.fromEntries(fields) }
    const { status, json } = await app.nobody.post('/v1/auth/login', body)
    expect(status).to.equal(400)
    expect(json.message).to.have.length(50)
    expect(json.message[49]).to.equal('f49 is not a known field')
  })

  it('a connection can carry the next request after a too large body', async () => {
    const body = `{"email":"${'x'.repeat(2 * 1024 * 1024)}"}`
    const answers = await raw(
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` +
        'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 404'])
  })

  it('an operation without a body rejects fields, but accepts an empty body and {}', async () => {
    const path = `/v1/recordings/${generateId()}`
    const send = (method: string, at: string, body: string, type = 'application/json') =>
      app.olga.send(at, { method, body, headers: { 'Content-Type': type } })
    for (const [method, at] of [
      ['POST', `${path}/retry`],
      ['DELETE', path],
    ] as const) {
      const response = await send(method, at, '{"a":1,"b":{}}')
      expect(response.status, method).to.equal(400)
      expect(response.json.message).to.deep.equal(['a is not a known field', 'b is not a known field'])
      expect((await send(method, at, '[]')).status).to.equal(400)
      expect((await send(method, at, '{')).status).to.equal(400)
      for (const body of ['', '{}', ' { } ']) expect((await send(method, at, body)).status, body).to.equal(404)
      expect((await send(method, at, 'a=1', 'application/x-www-form-urlencoded')).status).to.equal(404)
    }
  })

  it('JSON over 1 MB gets 413; without a login, JSON over 64 KB', async () => {
    const post = (client: TestClient, path: string, field: string, bytes: number) => {
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

  it('an error response names unknown fields, and __proto__ changes no prototype', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const login = (more: string) =>
      app.nobody.send('/v1/auth/login', { method: 'POST', body: `{"email":"a@b","password":"x",${more}}`, headers })
    const response = await login('"constructor":1,"colour":2')
    expect(response.status).to.equal(400)
    expect(response.json.message).to.deep.equal(['constructor is not a known field', 'colour is not a known field'])
    expect((await login('"__proto__":{"admin":true}')).status).to.equal(400)
    expect(({} as { admin?: boolean }).admin).to.equal(undefined)
  })

  it('a body of another content type gets 415', async () => {
    const login = (headers: Record<string, string>) =>
      app.nobody.send('/v1/auth/login', { method: 'POST', body: '{}', headers })
    for (const headers of [{ 'Content-Type': 'text/plain' }, { 'Content-Type': 'application/x-www-form-urlencoded' }]) {
      expect((await login(headers)).status, JSON.stringify(headers)).to.equal(415)
    }
    expect((await app.ida.post('/v1/recordings', { a: 1 })).status).to.equal(415)
  })

  it('readPublicBodyText() throws 400 if the client disconnects before the body is complete', async () => {
    const core = { config: { bodySeconds: 60 } } as Core
    const server = http.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reading = once(server, 'request').then(([req]) => readPublicBodyText(core, { req } as Context))
    const { port } = server.address() as AddressInfo
    const client = net.connect(port, '127.0.0.1', () => {
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf', () => client.end())
    })
    client.resume()
    try {
      const error = await reading.then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(error).to.include({ statusCode: 400, message: 'The connection was lost before the body arrived' })
    } finally {
      client.destroy()
      server.close()
    }
  })
})
