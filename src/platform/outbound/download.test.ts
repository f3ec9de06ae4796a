import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { parseDispositionFileName } from '../lib/content-disposition.ts'
import { DownloadError, openDownload } from './download.ts'

describe('downloads', () => {
  const servers: net.Server[] = []
  after(() => servers.forEach((server) => server.close()))

  /** Starts a raw TCP server for responses that no HTTP server sends. @returns its URL */
  async function startHostileServer(answer: (socket: net.Socket) => void): Promise<string> {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const respondSlowly = (head: string, piece: string) => (socket: net.Socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(piece), 20)
    socket.on('close', () => clearInterval(timer))
  }

  const LIMITS = { headMs: 300, silenceMs: 300, totalMs: 30_000 }

  /** Downloads a link. @returns the size in bytes, or the text of the error */
  async function downloadBytes(
    link: string,
    signal = new AbortController().signal,
    limits = LIMITS,
  ): Promise<number | string> {
    try {
      const download = await openDownload(link, { allowPrivate: true, maxBytes: 1000, signal, limits })
      try {
        let size = 0
        for await (const chunk of download.body) size += (chunk as Buffer).length
        return size
      } finally {
        await download.close()
      }
    } catch (error) {
      expect(error).to.be.instanceOf(DownloadError)
      return (error as Error).message
    }
  }

  const slow: [string, (socket: net.Socket) => void, RegExp][] = [
    ['a server that does not respond', () => undefined, /^did not respond within 0.3 seconds$/],
    [
      'trickling headers',
      respondSlowly('HTTP/1.1 200 OK\r\n', 'X-Drip: 1\r\n'),
      /^did not respond within 0.3 seconds$/,
    ],
    [
      'endless interim responses',
      respondSlowly('', 'HTTP/1.1 100 Continue\r\n\r\n'),
      /^did not respond|connection was lost/,
    ],
    [
      'a stalled body',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      /^sent nothing for 0.3 seconds$/,
    ],
    [
      'a trickling body',
      respondSlowly('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
      /^did not arrive within/,
    ],
  ]
  for (const [what, answer, words] of slow) {
    it(`a download fails in time for ${what}`, async () => {
      const headMs = what.startsWith('a body') ? 30_000 : LIMITS.headMs
      const totalMs = what === 'a trickling body' ? 900 : LIMITS.totalMs
      const limits = { ...LIMITS, headMs, totalMs }
      expect(await downloadBytes(await startHostileServer(answer), undefined, limits)).to.match(words)
    })
  }

  it('a download ends when the caller aborts it', async () => {
    const caller = new AbortController()
    const link = await startHostileServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => caller.abort())
    })
    expect(await downloadBytes(link, caller.signal)).to.match(/the client closed the connection/)
  })

  it('a download rejects too many header bytes', async () => {
    const flood = respondSlowly('HTTP/1.1 200 OK\r\n', `X-Filler: ${'x'.repeat(10_000)}\r\n`)
    expect(await downloadBytes(await startHostileServer(flood), undefined, { ...LIMITS, headMs: 30_000 })).to.match(
      /connection was lost/,
    )
  })

  it('a caller can close a download that was not read to its end', async () => {
    const server = http.createServer((_, response) => void response.writeHead(200).write('x'.repeat(500)))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`
    const options = { allowPrivate: true, maxBytes: 1000, signal: new AbortController().signal }
    for (const begin of [false, true]) {
      const download = await openDownload(link, options)
      if (begin) download.body.resume()
      await download.close()
    }
    server.closeAllConnections()
  })
})

describe('parseDispositionFileName()', () => {
  const cases: [string, string | undefined][] = [
    ['attachment; filename="call.wav"', 'call.wav'],
    ['attachment; filename=call.wav', 'call.wav'],
    ['ATTACHMENT;FILENAME = call.wav ; x=y', 'call.wav'],
    ['attachment; filename="a;b \\"c\\".wav"', 'a;b "c".wav'],
    [`attachment; filename="x.wav"; filename*=UTF-8''%D0%B0.wav`, 'а.wav'],
    [`attachment; filename*=utf-8'ru'%D0%B0%20b.wav; filename=x.wav`, 'а b.wav'],
    [`attachment; filename*=ISO-8859-1''caf%E9.wav`, 'café.wav'],
    [`attachment; filename*=UTF-8''%E9.wav; filename=x.wav`, 'x.wav'],
    [`attachment; filename*=KOI8-R''%C1.wav; filename=x.wav`, 'а.wav'],
    [`attachment; filename="${Buffer.from('звонок.wav').toString('latin1')}"`, 'звонок.wav'],
    ['attachment; filename="caf\u00e9.wav"', 'caf\u00e9.wav'],
    ['attachment; filename="C:\\calls\\1.wav"', 'C:\\calls\\1.wav'],
    ['attachment; filename=a.wav; filename=b.wav', 'a.wav'],
    ['attachment; filename=""', undefined],
    ['attachment', undefined],
    ['filename.wav', undefined],
    ['', undefined],
  ]
  for (const [header, name] of cases) {
    it(`parseDispositionFileName() returns ${name} for ${header || 'an empty header'}`, () =>
      expect(parseDispositionFileName(header)).to.equal(name))
  }

  it('parseDispositionFileName() takes linear time for any header', () => {
    const before = process.cpuUsage()
    for (const piece of ['; filename="\\', '"', ';', '; a=', ' ', '='])
      parseDispositionFileName(`x${piece.repeat(15_000)}`)
    expect(process.cpuUsage(before).user, 'µs of the processor').to.be.below(1_000_000)
  })
})
