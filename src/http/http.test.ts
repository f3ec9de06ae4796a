import net from 'node:net'
import { expect } from 'chai'
import { startWorld, type TestWorld } from '../test/server.ts'

describe('the HTTP layer', () => {
  let world: TestWorld
  before(async () => {
    world = await startWorld({ API_RUN_MODE: 'api' })
  })
  after(() => world.stop())

  /** Sends raw bytes and answers everything that comes back. */
  function raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(Number(new URL(world.url).port), '127.0.0.1', () => socket.write(bytes))
      let answer = ''
      socket.on('data', (data) => (answer += data.toString()))
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })
  }

  describe('errors', () => {
    const shape = { 404: 'Not Found', 405: 'Method Not Allowed', 415: 'Unsupported Media Type', 400: 'Bad Request' }

    it('have the one shape and nothing else', async () => {
      for (const [status, answer] of [
        [404, await world.ida.get('/v1/nothing')],
        [404, await world.ida.get('/')],
        [405, await world.ida.send('/v1/recordings', { method: 'PUT' })],
        [415, await world.olga.post('/v1/api-keys', undefined, { 'Content-Type': 'text/plain' })],
        [400, await world.ida.get('/v1/recordings?x=1')],
      ] as const) {
        expect(answer.status).to.equal(status)
        expect(answer.json).to.have.all.keys('statusCode', 'message', 'error')
        expect(answer.json).to.include({ statusCode: status, error: shape[status] })
      }
    })

    it('a wrong method is 405 with Allow', async () => {
      const answer = await world.ida.send('/v1/recordings', { method: 'DELETE' })
      expect(answer.status).to.equal(405)
      expect(answer.headers.get('allow')).to.equal('GET, HEAD, POST')
    })

    it('malformed JSON is 400, also an array, a number and an empty body', async () => {
      for (const body of ['{', '[]', '1', '', '{"email":}', '\u0000']) {
        const headers = { 'Content-Type': 'application/json' }
        const answer = await world.nobody.send('/v1/auth/login', { method: 'POST', body, headers })
        expect(answer.status, body).to.equal(400)
        expect(answer.json.error).to.equal('Bad Request')
      }
    })

    it('JSON over 1 MB is 413, and 1 MB exactly is read', async () => {
      const post = (bytes: number) => {
        const frame = JSON.stringify({ email: 'a@b', password: '' }).length
        const body = JSON.stringify({ email: 'a@b', password: 'x'.repeat(bytes - frame) })
        return world.nobody.send('/v1/auth/login', {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json' },
        })
      }
      expect((await post(1024 * 1024 + 1)).status).to.equal(413)
      expect((await post(1024 * 1024)).status).to.equal(400) // the password is too long
    })

    it('unknown fields are named, and __proto__ pollutes nothing', async () => {
      const headers = { 'Content-Type': 'application/json' }
      const login = (more: string) =>
        world.nobody.send('/v1/auth/login', { method: 'POST', body: `{"email":"a@b","password":"x",${more}}`, headers })
      const answer = await login('"constructor":1,"colour":2')
      expect(answer.status).to.equal(400)
      expect(answer.json.message).to.deep.equal(['constructor is not a known field', 'colour is not a known field'])
      expect((await login('"__proto__":{"admin":true}')).status).to.equal(400)
      expect(({} as { admin?: boolean }).admin).to.equal(undefined)
    })

    it('what is no HTTP still gets the one shape', async () => {
      const answer = await raw('NONSENSE\r\n\r\n')
      expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).to.include({ statusCode: 400, error: 'Bad Request' })
    })

    it('an address that is too long is refused', async () => {
      const answer = await raw(`GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(answer).to.match(/^HTTP\/1\.1 (414|431) /)
    })
  })

  describe('X-Request-Id', () => {
    it('is the caller’s where it is safe', async () => {
      const { headers } = await world.nobody.get('/healthz', { 'X-Request-Id': 'trace-1.a:b/c=' })
      expect(headers.get('x-request-id')).to.equal('trace-1.a:b/c=')
    })

    it('is ours where the caller’s is missing, too long or unsafe, and stands on errors too', async () => {
      for (const id of ['', 'x'.repeat(129), '<script>', 'a b']) {
        const { headers } = await world.nobody.get('/v1/nothing', { 'X-Request-Id': id })
        expect(headers.get('x-request-id'), id).to.match(/^[0-9a-f-]{36}$/)
      }
    })
  })

  it('no answer may be sniffed, framed or cached', async () => {
    const { headers } = await world.ida.get('/v1/recordings')
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('x-frame-options')).to.equal('DENY')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('content-security-policy')).to.equal("default-src 'none';frame-ancestors 'none'")
  })
})
