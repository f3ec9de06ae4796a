import type http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { waitUntil } from '../../test/wait.ts'
import { createSequentialHttpServer } from './connections.ts'
import type { Message } from './messages.ts'

const refuse = (_: number, message: Message) => ({ headers: { 'Content-Type': 'text/plain' }, body: message.text })
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

describe('HTTP connections', () => {
  let server: http.Server
  let handle: (request: http.IncomingMessage, response: http.ServerResponse) => void
  const handledPaths: string[] = []
  before(async () => {
    server = createSequentialHttpServer({ refuse, restMs: 50 }, (request, response) => {
      handledPaths.push(request.url!)
      handle(request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  beforeEach(() => {
    handledPaths.length = 0
    handle = ({ url }, response) => void response.end(`<${url}>`)
  })
  after(() => server.close())

  /** Opens a connection and sends the bytes. `answer` collects the response. */
  function send(bytes: string) {
    const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytes))
    const talk = { socket, answer: '', closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) }
    socket.on('data', (data) => (talk.answer += data.toString())).on('error', () => undefined)
    return talk
  }

  const statuses = (answer: string) => answer.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)))

  it('a server handles the requests of a connection one after the other', async () => {
    const waiting: http.ServerResponse[] = []
    handle = (_, response) => void waiting.push(response)
    const talk = send(get('/1') + get('/2') + get('/3', 'Connection: close\r\n'))
    for (const n of [1, 2, 3]) {
      await waitUntil(`request ${n}`, () => waiting.length === n)
      expect(handledPaths).to.have.length(n)
      waiting[n - 1]!.end(`<${n}>`)
    }
    await talk.closed
    expect(talk.answer.match(/<\d>/g)).to.deep.equal(['<1>', '<2>', '<3>'])
  })

  it('a server closes a connection with hundreds of pipelined requests', async () => {
    handle = () => undefined
    const talk = send(get('/').repeat(1000))
    await talk.closed
    expect(handledPaths).to.have.length(1)
  })

  it('a server answers the requests before invalid HTTP, then sends the error', async () => {
    for (const [garbage, status] of [
      ['NONSENSE / HTTP/1.1\r\n\r\n', 501],
      ['GET NONSENSE\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ] as const) {
      const talk = send(get('/1') + get('/2') + garbage)
      await talk.closed
      expect(statuses(talk.answer)).to.deep.equal([200, 200, status])
      expect(talk.answer).to.match(/<\/1>[^]*<\/2>[^]*Content-Type: text\/plain/)
    }
  })

  it('an error for invalid HTTP waits until the current response is complete', async () => {
    let under: http.ServerResponse | undefined
    handle = (_, response) => {
      under = response.writeHead(200, { 'Content-Length': 6 })
      response.write('abc')
    }
    const talk = send(get('/slow') + '\0\0\0\0')
    await waitUntil('the first half', () => talk.answer.endsWith('abc'))
    talk.socket.write('more garbage')
    under!.end('def')
    await talk.closed
    expect(talk.answer).to.match(/\r\n\r\nabcdefHTTP\/1\.1 501 /)
  })

  it('a server ignores requests after Connection: close, but answers those before', async () => {
    const talk = send(get('/1') + get('/2', 'Connection: close\r\n') + get('/3'))
    await talk.closed
    expect(statuses(talk.answer)).to.deep.equal([200, 200])
    expect(handledPaths).to.deep.equal(['/1', '/2'])
  })

  it('a broken body gets an error response, and the handler sees the abort', async () => {
    let aborted = false
    handle = (request) => void request.resume().once('aborted', () => (aborted = true))
    const talk = send(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n`)
    await talk.closed
    expect(statuses(talk.answer)).to.deep.equal([400])
    await waitUntil('the handler knows', () => aborted)
  })

  it('a server closes a connection whose body does not end after the response', async () => {
    const talk = send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx')
    await talk.closed
    expect(statuses(talk.answer)).to.deep.equal([200])
    const whole = send(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx' + get('/next', 'Connection: close\r\n'),
    )
    await whole.closed
    expect(statuses(whole.answer)).to.deep.equal([200, 200])
  })

  it('a server rejects a missing, repeated or invalid Host and unknown transfer codings', async () => {
    const ask = async (headers: string) => {
      const talk = send(`GET / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
      await talk.closed
      return statuses(talk.answer)?.[0]
    }
    for (const host of ['', 'Host: \r\n', 'Host: a\r\nHost: a\r\n', 'Host: a/b\r\n', 'Host: a@b\r\n', 'Host: a b\r\n'])
      expect(await ask(host), host).to.equal(400)
    for (const host of ['a', 'a.example:80', 'svc_api:3001', '[::1]:3000', '127.0.0.1', 'xn--e1afmkfd', 'a:'])
      expect(await ask(`Host: ${host}\r\n`), host).to.equal(200)
    for (const coding of ['gzip, chunked', 'chunked, chunked', 'x, chunked'])
      expect(await ask(`Host: a\r\nTransfer-Encoding: ${coding}\r\n`), coding).to.be.oneOf([501, 400])
    expect(await ask('Host: a\r\nTransfer-Encoding: gzip, chunked\r\n')).to.equal(501)
    const old = send('GET / HTTP/1.0\r\n\r\n')
    await old.closed
    expect(statuses(old.answer)).to.deep.equal([200])
  })
})
