import dns from 'node:dns'
import net, { type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { CallbackReceiver } from '../../test/callback-receiver.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { measureMemoryAfterGc } from '../../test/memory.ts'
import { waitUntil } from '../../test/wait.ts'

describe('callbacks to hostile receivers', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const receiver = new CallbackReceiver()
  const servers: net.Server[] = []
  const sockets = new Set<net.Socket>()

  before(async () => {
    recognizer.answer = (recognition) => recognition.finish()
    await Promise.all([recognizer.start(), receiver.start()])
    app = await startTestApp({ asrUrl: recognizer.url, ALLOW_PRIVATE_NETWORK_DOWNLOADS: true })
  })
  after(async () => {
    await app.stop()
    servers.forEach((server) => server.close())
    await Promise.all([recognizer.stop(), receiver.stop()])
  })

  /** Queues a callback of a finished recording to each address. */
  async function queueCallbacks(urls: string[]): Promise<string[]> {
    await app.db.query(`ALTER TABLE recordings ALTER COLUMN next_attempt_at SET DEFAULT 'infinity'`)
    const ids = await insertQueuedRecordings(app, urls.length)
    await app.db.query(`ALTER TABLE recordings ALTER COLUMN next_attempt_at SET DEFAULT now()`)
    await app.db.query(
      `UPDATE recordings r SET callback_url = given.url, next_attempt_at = now()
         FROM unnest($1::uuid[], $2::text[]) AS given (id, url) WHERE r.id = given.id`,
      [ids, urls],
    )
    return ids
  }
  const waitForFirstAttempt = (recordingId: string) =>
    waitUntil('the first attempt is over', async () => {
      const { rows } = await app.db.query(
        `SELECT d.status, d.last_error, a.status_code, a.error, a.duration_ms FROM deliveries d
           JOIN delivery_attempts a ON a.delivery_id = d.id WHERE d.recording_id = $1 AND a.number = 1`,
        [recordingId],
      )
      return rows[0]
    })

  /** Starts a raw TCP server, for responses that no HTTP server would send. */
  async function startHostileServer(behave: (socket: net.Socket) => void): Promise<string> {
    const server = net.createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      behave(socket)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const onRequest = (respond: (socket: net.Socket) => void) => (socket: net.Socket) =>
    void socket.once('data', () => respond(socket))

  it('every attempt of a callback ends within 15 seconds and keeps no memory', async () => {
    const flood = (head: string, chunk: Buffer) =>
      onRequest((socket) => {
        socket.write(head)
        const pour = () => {
          while (socket.writable && socket.write(chunk));
        }
        socket.on('drain', pour)
        pour()
      })
    const drip = (head: string, piece: string) =>
      onRequest((socket) => {
        socket.write(head)
        const timer = setInterval(() => socket.write(piece), 100)
        socket.on('close', () => clearInterval(timer))
      })
    const zeros = Buffer.alloc(64 * 1024)
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))
    const quick: [string, (socket: net.Socket) => void][] = [
      ['DELIVERED', flood('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n', zeros)],
      ['DELIVERED', flood(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 40}\r\n\r\n`, zeros)],
      ['DELIVERED', flood(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`, bomb)],
      ['DELIVERED', drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n')],
      [
        'QUEUED',
        flood('HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n', Buffer.from('4\r\nabcd\r\n'.repeat(1000))),
      ],
      ['QUEUED', flood('HTTP/1.1 200 OK\r\n', Buffer.from(`X-Filler: ${'x'.repeat(1000)}\r\n`))],
      ['QUEUED', drip('', 'HTTP/1.1 100 Continue\r\n\r\n')],
      ['QUEUED', onRequest((socket) => socket.end('not HTTP at all\r\n\r\n'))],
    ]
    const slow: [string, (socket: net.Socket) => void][] = [
      ['QUEUED', () => undefined],
      ['QUEUED', (socket) => void socket.pause()],
      ['QUEUED', drip('HTTP/1.1 200 OK\r\n', 'X-Drip: 1\r\n')],
    ]
    const rounds = 5 // The quick receivers get this many deliveries while the slow ones run.
    const urls = await Promise.all([...quick, ...slow].map(([, behave]) => startHostileServer(behave)))
    await queueCallbacks([`${receiver.url}/warm-up`])
    await receiver.waitForCallback('/warm-up')
    const before = measureUsedBytes()
    const slowIds = await queueCallbacks(urls.slice(quick.length))
    for (let round = 0; round < rounds; round++) {
      const ids = await queueCallbacks(urls.slice(0, quick.length))
      for (const [n, id] of ids.entries()) {
        const attempt = await waitForFirstAttempt(id)
        expect(attempt.status, `quick ${n}`).to.equal(quick[n]![0])
        expect(attempt.duration_ms, `quick ${n}`).to.be.below(14_000)
      }
    }
    for (const [n, id] of slowIds.entries()) {
      const attempt = await waitForFirstAttempt(id)
      expect(attempt.error, `slow ${n}`).to.equal('no response within 15 seconds')
      expect(attempt.duration_ms, `slow ${n}`).to.be.at.least(14_000)
    }
    const grown = (measureUsedBytes() - before) / 1024 / 1024
    expect(grown, 'MB').to.be.below(5)
  })

  it('silent receivers do not delay the callback to a healthy receiver', async () => {
    sockets.clear()
    const silent = await startHostileServer(() => undefined)
    await queueCallbacks([silent, silent, silent])
    const startedAt = performance.now()
    await queueCallbacks([`${receiver.url}/meanwhile`])
    await receiver.waitForCallback('/meanwhile')
    expect(performance.now() - startedAt).to.be.below(14_000)
    sockets.forEach((socket) => socket.destroy()) // Otherwise the API would wait for these sockets when it stops.
    await app.db.query(`DELETE FROM recordings WHERE callback_url = $1`, [silent])
  })

  describe('with ALLOW_PRIVATE_NETWORK_DOWNLOADS off', () => {
    const lookup = dns.lookup
    before(() => app.restart({ ALLOW_PRIVATE_NETWORK_DOWNLOADS: false }))
    afterEach(() => void (dns.lookup = lookup))

    it('callbacks to private, local and link-local addresses and names fail without a retry', async () => {
      resolveTo((name) => (name === 'mixed.example.com' ? ['203.0.114.1', '127.0.0.1'] : ['127.0.0.1']))
      const { port } = new URL(receiver.url)
      const hosts = ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]', 'looks.public.example.com']
      hosts.push('mixed.example.com', 'LOCALHOST.', '169.254.169.254', 'svc-asr', 'db.internal')
      const ids = await queueCallbacks(hosts.map((host) => `http://${host}:${port}/forbidden`))
      for (const [n, id] of ids.entries()) {
        const attempt = await waitForFirstAttempt(id)
        expect(attempt, hosts[n]).to.include({ status: 'FAILED', status_code: null })
        expect(attempt.error, hosts[n]).to.match(/private, local or reserved|local name/)
      }
      expect(receiver.callbacksTo('/forbidden')).to.deep.equal([])
    })

    it('each attempt of a callback checks the resolved address again', async () => {
      let resolutions = 0
      resolveTo(() => (resolutions++ === 0 ? undefined : ['127.0.0.1']))
      const { port } = new URL(receiver.url)
      const [id] = await queueCallbacks([`http://flips.example.com:${port}/rebound`])
      expect(await waitForFirstAttempt(id!)).to.include({ status: 'QUEUED' })
      await app.db.query('UPDATE deliveries SET next_attempt_at = now() WHERE recording_id = $1', [id])
      await waitUntil('it is refused', async () => {
        const { rows } = await app.db.query('SELECT status FROM deliveries WHERE recording_id = $1', [id])
        return rows[0].status === 'FAILED'
      })
      expect(receiver.callbacksTo('/rebound')).to.deep.equal([])
    })

    /** Resolves every name in this process to the given addresses. Undefined means a temporary DNS error. */
    function resolveTo(addresses: (name: string) => string[] | undefined): void {
      dns.lookup = ((name: string, _: object, done: (error: Error | null, found: dns.LookupAddress[]) => void) => {
        const found = addresses(name)?.map((address) => ({ address, family: net.isIP(address) }))
        setImmediate(() => done(found ? null : Object.assign(new Error(), { code: 'EAI_AGAIN' }), found ?? []))
      }) as unknown as typeof dns.lookup
    }
  })
})

/** Returns the used bytes, including buffers outside of the heap. */
function measureUsedBytes(): number {
  const { heapUsed, external } = measureMemoryAfterGc()
  return heapUsed + external
}
