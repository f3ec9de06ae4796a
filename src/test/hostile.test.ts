import { readFileSync } from 'node:fs'
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ServiceProcess } from './service-process.ts'
import { createTestDatabase, type TestDatabase } from './server.ts'
import { waitUntil } from './wait.ts'

const BYTES_PER_MB = 1024 * 1024
/** One connection can occupy at most this much memory of a process. */
const MAX_HELD_MB = 16
/** One request can block the event loop for at most this long. */
const MAX_BLOCKED_MS = 50
/** Larger texts are processed in pieces, so each further megabyte adds at most this time. */
const MS_PER_MB = 20
/** The memory is measured over this many parallel connections. */
const CONNECTIONS = 4
const MAX_TRIES = 5

type RequestPieces = (string | Buffer)[]

/** Formats a request line and headers with `Connection: close`, so that the server closes the connection after the response. */
const formatHead = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')
const formatPost = (path: string, type: string, body: string | Buffer, ...headers: string[]): RequestPieces => [
  formatHead(`POST ${path}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers),
  body,
]
const formatLogin = (body: string, ...headers: string[]): RequestPieces =>
  formatPost('/v1/auth/login', 'application/json', body, ...headers)
const FORM_TYPE = 'application/x-www-form-urlencoded'
const EVENTS_PATH = '/v1/integrations/crm/events'
const formatEvent = (type: string, body: string): RequestPieces => formatPost(EVENTS_PATH, type, body)
const formatForm = (body: string, ...headers: string[]): RequestPieces =>
  formatPost('/login', FORM_TYPE, body, ...headers)
const formatChunked = (
  path: string,
  type: string,
  chunk: Buffer,
  count: number,
  ...headers: string[]
): RequestPieces => [
  formatHead(`POST ${path}`, `Content-Type: ${type}`, 'Transfer-Encoding: chunked', ...headers),
  ...Array.from({ length: count }, () =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  ),
  '0\r\n\r\n',
]
const repeatToLength = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))
const LINE_BYTES = 31_000
const BODY_BYTES = BYTES_PER_MB - 100
/** The body is below the limit of public operations, so that it is parsed completely. */
const EVENT_BYTES = 65_000

/** Both servers accept these headers, which take the most time to parse. */
const WORST_HEADERS: [name: string, value: string][] = [
  ['Cookie', `a${' '.repeat(LINE_BYTES)}b`],
  ['Cookie', repeatToLength('; ', LINE_BYTES)],
  ['Cookie', repeatToLength('svc_session=a.b; ', LINE_BYTES)],
  ['Cookie', repeatToLength('svc_session=', LINE_BYTES)],
  ['Authorization', `Bearer${' '.repeat(LINE_BYTES)}`],
  ['Authorization', `Bearer ${'x'.repeat(LINE_BYTES)} x`],
  ['X-API-Key', 'x'.repeat(LINE_BYTES)],
  ['X-Request-Id', `${'x'.repeat(LINE_BYTES)}!`],
  ['X-Forwarded-For', repeatToLength('1.1.1.1,', LINE_BYTES)],
  ['X-Forwarded-For', `${' '.repeat(LINE_BYTES)},`],
  ['Accept-Encoding', repeatToLength('br;q=0.1,', LINE_BYTES)],
  ['Accept-Encoding', `gzip;${' '.repeat(LINE_BYTES)}q`],
  ['Accept-Language', repeatToLength('x;q=0.1,', LINE_BYTES)],
  ['Accept-Language', `en-${'x'.repeat(LINE_BYTES)}`],
  ['Accept', repeatToLength('a/b;c="d",', LINE_BYTES)],
  ['Content-Type', `application/json${repeatToLength(';a=b', LINE_BYTES)}`],
  ['Content-Type', `multipart/form-data; boundary="${'\\"'.repeat(LINE_BYTES / 2)}`],
  ['Origin', `http://${repeatToLength('a.', LINE_BYTES)}`],
  ['Referer', `http://x/${repeatToLength('../', LINE_BYTES)}`],
  ['User-Agent', repeatToLength('Chrome Safari/', LINE_BYTES)],
  ['If-None-Match', repeatToLength('"x",', LINE_BYTES)],
  ['Range', `bytes=${repeatToLength('0-0,', LINE_BYTES)}`],
  ['Expect', 'x'.repeat(LINE_BYTES)],
  ['Host', `${repeatToLength('a.', LINE_BYTES)}/`],
  ['A', repeatToLength('\t ', LINE_BYTES)],
]
const MANY_HEADERS = Array.from({ length: 1900 }, (_, n) => `X-${n}: ${n}`)

const API_ATTACKS: Record<string, RequestPieces> = {
  'endless empty gzip members': formatChunked(
    '/v1/auth/login',
    'application/json',
    Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync(''))),
    120,
    'Content-Encoding: gzip',
  ),
  'a gzip bomb': [
    ...formatPost(
      '/v1/auth/login',
      'application/json',
      gzipSync(Buffer.alloc(200 * BYTES_PER_MB)),
      'Content-Encoding: gzip',
    ),
  ],
  'endless JSON': formatChunked('/v1/auth/login', 'application/json', Buffer.alloc(BYTES_PER_MB, ' '), 24),
  'an endless upload form': formatChunked(
    '/v1/recordings',
    'multipart/form-data; boundary=x',
    Buffer.alloc(BYTES_PER_MB),
    24,
  ),
  'endless JSON to an unknown path': formatChunked('/v1/nothing', 'application/json', Buffer.alloc(BYTES_PER_MB), 24),
  'a body with a Content-Length of a terabyte': [
    formatHead('POST /v1/auth/login', 'Content-Type: application/json', 'Content-Length: 1099511627776'),
  ],
  'many fields': formatLogin(`{${Array.from({ length: 90_000 }, (_, n) => `"f${n}":1`).join()}}`),
  'a field that is repeated': formatLogin(`{${repeatToLength('"email":"",', BODY_BYTES)}"x":0}`),
  'unclosed deep JSON': formatLogin('['.repeat(BODY_BYTES)),
  'complete deep JSON': formatLogin('['.repeat(BODY_BYTES / 2) + ']'.repeat(BODY_BYTES / 2)),
  'a long number': formatLogin(`{"email":${'9'.repeat(BODY_BYTES)}}`),
  'many escapes': formatLogin(`{"email":"${repeatToLength('\\u0041', BODY_BYTES)}","password":"x"}`),
  'many names like __proto__': formatLogin(`{"a":[${repeatToLength('{"__proto_":1},', BODY_BYTES)}0]}`),
  'a long e-mail': formatLogin(`{"email":"${repeatToLength('a.', BODY_BYTES)}@","password":"x"}`),
  'a long password': formatLogin(`{"email":"a@b.example","password":"${'x'.repeat(BODY_BYTES)}"}`),
  'invalid UTF-8': formatLogin('\xff'.repeat(BODY_BYTES / 2)),
  spaces: formatLogin(' '.repeat(BODY_BYTES)),
  'many parts': formatPost(
    '/v1/recordings',
    'multipart/form-data; boundary=x',
    repeatToLength('--x\r\n\r\n\r\n', 4 * BYTES_PER_MB),
  ),
  'a long query': [formatHead(`GET /healthz?${repeatToLength('a&', 8000)}`)],
  'unknown parameters': formatPost(
    `/v1/auth/login?${Array.from({ length: 1500 }, (_, n) => `p${n}`).join('&')}`,
    'application/json',
    '{"email":"a@b.example","password":"x"}',
  ),
  'a long path': [formatHead(`GET /v1/recordings/${repeatToLength('%2F', 8000)}`)],
  'a path of slashes': [formatHead(`GET ${'/'.repeat(8000)}`)],
  'a documentation file whose response is not read': [
    formatHead('GET /docs/swagger-ui-bundle.js', 'Accept-Encoding: br'),
  ],
  'the API description whose response is not read': [formatHead('GET /docs-json', 'Accept-Encoding: gzip')],
}
/** Attacks on the parts of CRM events that are parsed before the sender is verified. */
const EVENT_ATTACKS: Record<string, RequestPieces> = {
  'an endless event': formatChunked(EVENTS_PATH, FORM_TYPE, Buffer.alloc(BYTES_PER_MB, 'a'), 24),
  'an event in chunks of one byte': formatChunked(EVENTS_PATH, FORM_TYPE, Buffer.from('&'), 5000),
  'an endless compressed event': formatChunked(
    EVENTS_PATH,
    FORM_TYPE,
    gzipSync(Buffer.alloc(BYTES_PER_MB)),
    100,
    'Content-Encoding: gzip',
  ),
  'an event with a Content-Length of a terabyte': [
    formatHead(`POST ${EVENTS_PATH}`, `Content-Type: ${FORM_TYPE}`, 'Content-Length: 1099511627776'),
  ],
  'an event above the limit': formatEvent(FORM_TYPE, repeatToLength('a=b&', BODY_BYTES)),
  'an event of empty pairs': formatEvent(FORM_TYPE, '&'.repeat(EVENT_BYTES)),
  'an event of pairs': formatEvent(FORM_TYPE, repeatToLength('a=b&', EVENT_BYTES)),
  'an event with a repeated field': formatEvent(FORM_TYPE, repeatToLength('auth[application_token]=&', EVENT_BYTES)),
  'an event of escapes': formatEvent(FORM_TYPE, `event=${repeatToLength('%41', EVENT_BYTES)}`),
  'an event of incomplete escapes': formatEvent(FORM_TYPE, `event=${'%'.repeat(EVENT_BYTES)}`),
  'an event with a long token': formatEvent(FORM_TYPE, `auth[application_token]=${'x'.repeat(EVENT_BYTES)}`),
  'an event of invalid UTF-8': formatEvent(FORM_TYPE, '\xff'.repeat(EVENT_BYTES / 2)),
  'an event of unclosed deep JSON': formatEvent('application/json', '['.repeat(EVENT_BYTES)),
  'an event of complete deep JSON': formatEvent(
    'application/json',
    '['.repeat(EVENT_BYTES / 2) + ']'.repeat(EVENT_BYTES / 2),
  ),
  'an event of deep objects': formatEvent(
    'application/json',
    `${repeatToLength('{"data":', EVENT_BYTES / 2)}0${'}'.repeat(EVENT_BYTES / 16)}`,
  ),
  'an event of many fields': formatEvent(
    'application/json',
    `{${Array.from({ length: 6000 }, (_, n) => `"f${n}":1`).join()}}`,
  ),
  'an event with a long number': formatEvent('application/json', `{"event":${'9'.repeat(EVENT_BYTES)}}`),
  'an event with JSON escapes': formatEvent(
    'application/json',
    `{"event":"${repeatToLength('\\u0041', EVENT_BYTES)}"}`,
  ),
  'an event with a long content type': formatPost(EVENTS_PATH, repeatToLength('json ', LINE_BYTES), '{}'),
  'an event in multipart form': formatPost(
    EVENTS_PATH,
    'multipart/form-data; boundary=x',
    repeatToLength('--x\r\n\r\n\r\n', EVENT_BYTES),
  ),
}
const PANEL_ATTACKS: Record<string, RequestPieces> = {
  'an endless form': formatChunked('/login', FORM_TYPE, Buffer.alloc(BYTES_PER_MB, 'a'), 24),
  'an endless compressed form': formatChunked(
    '/login',
    FORM_TYPE,
    gzipSync(Buffer.alloc(BYTES_PER_MB)),
    100,
    'Content-Encoding: gzip',
  ),
  'many empty pairs': formatForm('&'.repeat(BODY_BYTES)),
  'many pairs': formatForm(repeatToLength('a=b&', BODY_BYTES)),
  escapes: formatForm(`email=${repeatToLength('%41', BODY_BYTES)}&password=x`),
  'incomplete escapes': formatForm(`email=${repeatToLength('%', BODY_BYTES)}&password=x`),
  'a redirect with many parent folders': formatForm(`email=a&password=&next=/${repeatToLength('../', BODY_BYTES)}`),
  'a redirect with many slashes': formatForm(`email=a&password=&next=/${repeatToLength('/', BODY_BYTES)}`),
  'a long e-mail': formatForm(`email=${repeatToLength('<&"', BODY_BYTES / 3)}`),
  'a login that the API rejects': formatForm(`email=${'a'.repeat(BODY_BYTES)}&password=x`),
  'an endless upload': formatChunked('/upload', 'multipart/form-data; boundary=x', Buffer.alloc(BYTES_PER_MB), 24),
  'a long asset path': [formatHead(`GET /assets/${'a'.repeat(LINE_BYTES)}`)],
  'a long path': [formatHead(`GET /recordings/${repeatToLength('%2F', LINE_BYTES)}`)],
  'a long query': [formatHead(`GET /login?next=/${repeatToLength('%2e%2e/', LINE_BYTES)}`)],
}

/** Formats pipelined requests whose responses nobody reads, on a connection that stays open. */
const formatPipelined = (path: string, count: number): RequestPieces => [
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n`.repeat(count),
]

describe('hostile requests without credentials', () => {
  let database: TestDatabase
  let api: ServiceProcess
  let panel: ServiceProcess
  const ports = new Map<ServiceProcess, number>()
  before(async () => {
    database = await createTestDatabase()
    const config = {
      ...database.config,
      LOG_LEVEL: 'error',
      TRUSTED_PROXY_HOPS: 1,
      LOGIN_MAX_FAILURES: 1_000_000,
      CRM_EVENT_TOKEN: 'the one of the portal',
      bodySeconds: 3,
    } as const
    api = new ServiceProcess('api', { ...config, LOG_LEVEL: 'info', API_RUN_MODE: 'api' })
    ports.set(api, await api.waitUntilReady())
    const apiUrl = `http://127.0.0.1:${ports.get(api)}`
    panel = new ServiceProcess('dashboard', { ...config, LOG_LEVEL: 'info', panelPort: 0, apiUrl })
    ports.set(panel, await panel.waitUntilReady())
  })
  after(async () => {
    await Promise.all([api.stop(), panel.stop()])
    await database.remove()
  })

  /** Sends the pieces. Resolves when the connection closes, or, if `isRead` is false, when all pieces were sent. */
  function sendPieces(port: number, pieces: RequestPieces, isRead: boolean): Promise<net.Socket> {
    return new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1')
      socket.once('close', () => resolve(socket)).on('error', () => undefined)
      if (isRead) socket.resume()
      const waiting = pieces.values()
      const goOn = (): void => {
        for (const piece of waiting) if (!socket.write(piece)) return
        if (!isRead) resolve(socket)
      }
      socket.on('connect', goOn).on('drain', goOn)
    })
  }

  /** Returns the processor time of the main thread, which runs the event loop. On a busy machine, waiting time does not count. */
  const readCpuMs = (pid: number): number =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const readResidentMb = (pid: number): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

  async function waitUntilIdle(pid: number): Promise<void> {
    let before = -Infinity
    await waitUntil('the process has calmed down', () => {
      const now = readCpuMs(pid)
      const isCalm = now - before < 1
      before = now
      return isCalm
    })
  }

  async function expectWithinLimits(server: ServiceProcess, pieces: RequestPieces, isClosed = true): Promise<string> {
    const port = ports.get(server)!
    const megabytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) / BYTES_PER_MB
    const limit = MAX_BLOCKED_MS + Math.max(0, megabytes - 1) * MS_PER_MB
    let worked = Infinity
    for (let n = isClosed ? 0 : MAX_TRIES; n < MAX_TRIES && worked > limit; n++) {
      await waitUntilIdle(server.pid)
      const before = readCpuMs(server.pid)
      await sendPieces(port, pieces, true)
      worked = Math.min(worked, readCpuMs(server.pid) - before)
    }
    let held = Infinity
    // Measure again, because the heap can grow once during any work. Memory of connections grows every time.
    for (let n = 0; n < MAX_TRIES && held > MAX_HELD_MB; n++) held = await measureHeldMb(server.pid, port, pieces)
    expect(server.exit, 'the process').to.equal(undefined)
    if (isClosed) expect(worked, 'ms of the event loop').to.be.below(limit)
    expect(held, 'MB a connection').to.be.below(MAX_HELD_MB)
    return `${isClosed ? worked.toFixed(0) : '–'} ms, ${Math.max(0, held).toFixed(1)} MB`
  }

  /** Returns the memory in MB that one open connection occupies. */
  async function measureHeldMb(pid: number, port: number, pieces: RequestPieces): Promise<number> {
    await waitUntilIdle(pid)
    const before = readResidentMb(pid)
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => sendPieces(port, pieces, false)))
    await waitUntilIdle(pid)
    const held = (readResidentMb(pid) - before) / CONNECTIONS
    for (const socket of sockets) socket.destroy()
    return held
  }

  for (const [where, server, attacks, path] of [
    ['the API', () => api, { ...API_ATTACKS, ...EVENT_ATTACKS }, '/v1/recordings'],
    ['the panel', () => panel, PANEL_ATTACKS, '/login'],
  ] as const) {
    describe(`${where}: at most ${MAX_HELD_MB} MB per connection and ${MAX_BLOCKED_MS} ms of the event loop`, () => {
      const table: string[] = []
      after(() => console.log(table.map((line) => `        ${line}`).join('\n')))
      const shows = (what: string, pieces: RequestPieces, isClosed?: boolean) =>
        it(`${where} stays within its limits for ${what}`, async () => {
          table.push(`${what}: ${await expectWithinLimits(server(), pieces, isClosed)}`)
        })
      for (const [what, pieces] of Object.entries(attacks)) shows(what, pieces)
      for (const [name, value] of WORST_HEADERS) {
        shows(`${name}: ${value.trim().slice(0, 16)}…`, [formatHead(`GET ${path}`, `${name}: ${value}`)])
      }
      shows('many headers', [formatHead(`GET ${path}`, ...MANY_HEADERS)])
      shows('many pipelined requests', formatPipelined(where === 'the API' ? '/docs-json' : '/login', 400), false)
      shows('20,000 pipelined requests', formatPipelined('/docs', 20_000))
      shows('an incomplete header', [formatHead(`GET ${path}`).slice(0, -2), `X: ${'x'.repeat(LINE_BYTES)}`], false)
      shows('an incomplete body', [formatLogin(' '.repeat(BODY_BYTES)).join('').slice(0, -1)], false)
    })
  }
})
