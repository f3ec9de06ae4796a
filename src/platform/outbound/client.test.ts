import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { expect } from 'chai'
import { createTestCertificate } from '../../test/portal/certificate.ts'
import { openOutboundRequest, OutboundError, classifyOutboundStatus, type OutboundRequest } from './client.ts'

describe('outbound requests', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = http.createServer((request, response) => answer(request, response))
  let url: string
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const LIMITS = { headMs: 10_000, silenceMs: 10_000, totalMs: 20_000, maxBytes: 100 }
  const request = (changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
    method: 'GET',
    url,
    headers: {},
    allowPrivate: true,
    limits: LIMITS,
    ...changes,
  })
  const fetchError = async (changes: Partial<OutboundRequest>): Promise<OutboundError> => {
    const opened = await openOutboundRequest(request(changes)).catch((error: unknown) => error)
    expect(opened).to.be.an.instanceof(OutboundError)
    return opened as OutboundError
  }

  it('each status and failure has a verdict: permanent, retry or pause', async () => {
    const verdicts = [200, 204, 302, 400, 404, 408, 410, 425, 429, 500, 503].map(classifyOutboundStatus)
    const [fine, no, again] = [undefined, 'permanent', 'retry']
    expect(verdicts).to.deep.equal([fine, fine, no, no, no, again, no, again, 'pause', again, again])
    expect((await fetchError({ url: 'ftp://example.com' })).verdict).to.equal(no)
    expect((await fetchError({ allowPrivate: false })).verdict, 'an address of ours').to.equal(no)
    expect((await fetchError({ url: 'http://127.0.0.1:9' })).verdict, 'a port that is not to be used').to.equal(no)
    answer = ({ socket }) => socket.destroy()
    expect((await fetchError({})).verdict).to.equal(again)
  })

  it('a request fails if the response starts too late or is too large', async () => {
    answer = () => undefined
    const silent = await fetchError({ limits: { ...LIMITS, headMs: 50 } })
    expect([silent.failure.kind, silent.verdict]).to.deep.equal(['noAnswer', 'retry'])
    answer = (_, response) => void response.end('x'.repeat(101))
    const { body, close } = await openOutboundRequest(request())
    const error = await text(body).catch((error: unknown) => error)
    expect((error as OutboundError).failure.kind).to.equal('tooLarge')
    await close()
  })

  it('a request follows redirects only up to maxRedirects', async () => {
    answer = ({ url: path }, response) =>
      void (path === '/' ? response.writeHead(302, { Location: '/there' }).end() : response.end('there'))
    const first = await openOutboundRequest(request())
    expect(first.statusCode).to.equal(302)
    await first.close()
    const last = await openOutboundRequest(request({ maxRedirects: 1 }))
    expect([last.statusCode, last.url.pathname, await text(last.body)]).to.deep.equal([200, '/there', 'there'])
    await last.close()
  })

  it('a request follows the original bytes of Location, like curl', async () => {
    const requestedUrls: string[] = []
    const raw = net.createServer((socket) => {
      socket.once('data', (head) => {
        requestedUrls.push(String(head).split(' ')[1]!)
        const next = [Buffer.from('/звонок 1.wav?имя=1'), Buffer.from('/caf\u00e9.wav', 'latin1')][
          requestedUrls.length - 1
        ]
        const location = next ? [Buffer.from('Location: '), next, Buffer.from('\r\n')] : []
        const status = Buffer.from(
          `HTTP/1.1 ${next ? '302 Found' : '200 OK'}\r\nContent-Length: 0\r\nConnection: close\r\n`,
        )
        socket.end(Buffer.concat([status, ...location, Buffer.from('\r\n')]))
      })
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    try {
      const start = `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`
      const last = await openOutboundRequest(request({ url: start, maxRedirects: 2 }))
      await last.close()
      const call = '/%D0%B7%D0%B2%D0%BE%D0%BD%D0%BE%D0%BA%201.wav?%D0%B8%D0%BC%D1%8F=1'
      expect(requestedUrls).to.deep.equal(['/', call, '/caf%E9.wav'])
    } finally {
      raw.close()
    }
  })

  it('a request follows redirects from http to https, but not back', async () => {
    const { key, cert } = createTestCertificate()
    const secure = https.createServer({ key, cert }, (request, response) => answer(request, response))
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const secureUrl = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`
    const { connect } = tls
    tls.connect = ((options: tls.ConnectionOptions) => connect({ ...options, ca: cert })) as typeof connect
    const requestedUrls: string[] = []
    const leads: Record<string, string> = { '/up': `${secureUrl}/on`, '/on': '/there', '/down': `${url}/there` }
    answer = ({ socket, url: path }, response) => {
      requestedUrls.push(`${socket instanceof tls.TLSSocket ? 'https' : 'http'} ${path}`)
      const location = leads[path!]
      if (location) response.writeHead(302, { Location: location }).end()
      else response.end('there')
    }
    try {
      const last = await openOutboundRequest(request({ url: `${url}/up`, maxRedirects: 2 }))
      expect(await text(last.body)).to.equal('there')
      await last.close()
      const { failure, verdict, message } = await fetchError({ url: `${secureUrl}/down`, maxRedirects: 2 })
      expect([failure.kind, verdict, message]).to.deep.equal(['redirect', 'permanent', 'redirects from https to http'])
      expect(requestedUrls).to.deep.equal(['http /up', 'https /on', 'https /there', 'https /down'])
    } finally {
      tls.connect = connect
      secure.closeAllConnections()
      secure.close()
    }
  })
})
