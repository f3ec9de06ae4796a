import { readFileSync } from 'node:fs'
import net from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { ServiceProcess } from './process.ts'
import { createTestDatabase, type TestDatabase } from './server.ts'
import { until } from './wait.ts'

const MB = 1024 * 1024
/** The memory that one connection can occupy in a process. */
const HELD_MB = 16
/** The time that one request can block the only thread. */
const BLOCKED_MS = 50
/** Texts over a megabyte are handled in pieces between other requests; this is the limit for each further one. */
const MS_PER_MB = 20
/** Parallel connections whose memory is measured. */
const CONNECTIONS = 4
const TRIES = 5

type Pieces = (string | Buffer)[]

/** A request line and headers for a server that closes the connection after the response. */
const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n')
const post = (path: string, type: string, body: string | Buffer, ...headers: string[]): Pieces => [
  head(`POST ${path}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers),
  body,
]
const login = (body: string, ...headers: string[]): Pieces =>
  post('/v1/auth/login', 'application/json', body, ...headers)
const FORM = 'application/x-www-form-urlencoded'
const EVENTS = '/v1/integrations/crm/events'
const event = (type: string, body: string): Pieces => post(EVENTS, type, body)
const form = (body: string, ...headers: string[]): Pieces => post('/login', FORM, body, ...headers)
const chunked = (path: string, type: string, chunk: Buffer, count: number, ...headers: string[]): Pieces => [
  head(`POST ${path}`, `Content-Type: ${type}`, 'Transfer-Encoding: chunked', ...headers),
  ...Array.from({ length: count }, () =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
  ),
  '0\r\n\r\n',
]
const filled = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))
const LINE = 31_000
const BODY = MB - 100
/** Below the limit of a public operation's body, so that it is read to its end. */
const EVENT = 65_000

/** The worst headers that both servers accept, by name. */
const HEADERS: [name: string, value: string][] = [
  ['Cookie', `a${' '.repeat(LINE)}b`],
  ['Cookie', filled('; ', LINE)],
  ['Cookie', filled('svc_session=a.b; ', LINE)],
  ['Cookie', filled('svc_session=', LINE)],
  ['Authorization', `Bearer${' '.repeat(LINE)}`],
  ['Authorization', `Bearer ${'x'.repeat(LINE)} x`],
  ['X-API-Key', 'x'.repeat(LINE)],
  ['X-Request-Id', `${'x'.repeat(LINE)}!`],
  ['X-Forwarded-For', filled('1.1.1.1,', LINE)],
  ['X-Forwarded-For', `${' '.repeat(LINE)},`],
  ['Accept-Encoding', filled('br;q=0.1,', LINE)],
  ['Accept-Encoding', `gzip;${' '.repeat(LINE)}q`],
  ['Accept-Language', filled('x;q=0.1,', LINE)],
  ['Accept-Language', `en-${'x'.repeat(LINE)}`],
  ['Accept', filled('a/b;c="d",', LINE)],
  ['Content-Type', `application/json${filled(';a=b', LINE)}`],
  ['Content-Type', `multipart/form-data; boundary="${'\\"'.repeat(LINE / 2)}`],
  ['Origin', `http://${filled('a.', LINE)}`],
  ['Referer', `http://x/${filled('../', LINE)}`],
  ['User-Agent', filled('Chrome Safari/', LINE)],
  ['If-None-Match', filled('"x",', LINE)],
  ['Range', `bytes=${filled('0-0,', LINE)}`],
  ['Expect', 'x'.repeat(LINE)],
  ['Host', `${filled('a.', LINE)}/`],
  ['A', filled('\t ', LINE)],
]
const MANY_HEADERS = Array.from({ length: 1900 }, (_, n) => `X-${n}: ${n}`)

const API: Record<string, Pieces> = {
  'empty gzip members without end': chunked(
    '/v1/auth/login',
    'application/json',
    Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync(''))),
    120,
    'Content-Encoding: gzip',
  ),
  'a gzip bomb': [
    ...post('/v1/auth/login', 'application/json', gzipSync(Buffer.alloc(200 * MB)), 'Content-Encoding: gzip'),
  ],
  'JSON without end': chunked('/v1/auth/login', 'application/json', Buffer.alloc(MB, ' '), 24),
  'a form for an upload without end': chunked(
    '/v1/recordings',
    'multipart/form-data; boundary=x',
    Buffer.alloc(MB),
    24,
  ),
  'JSON to an address that is not there, without end': chunked('/v1/nothing', 'application/json', Buffer.alloc(MB), 24),
  'a body announced as a terabyte': [
    head('POST /v1/auth/login', 'Content-Type: application/json', 'Content-Length: 1099511627776'),
  ],
  'many fields': login(`{${Array.from({ length: 90_000 }, (_, n) => `"f${n}":1`).join()}}`),
  'one field again and again': login(`{${filled('"email":"",', BODY)}"x":0}`),
  'deep JSON': login('['.repeat(BODY)),
  'deep JSON that is whole': login('['.repeat(BODY / 2) + ']'.repeat(BODY / 2)),
  'a long number': login(`{"email":${'9'.repeat(BODY)}}`),
  'many escapes': login(`{"email":"${filled('\\u0041', BODY)}","password":"x"}`),
  'many names of prototypes': login(`{"a":[${filled('{"__proto_":1},', BODY)}0]}`),
  'a long e-mail': login(`{"email":"${filled('a.', BODY)}@","password":"x"}`),
  'a long password': login(`{"email":"a@b.example","password":"${'x'.repeat(BODY)}"}`),
  'bytes that are no UTF-8': login('\xff'.repeat(BODY / 2)),
  spaces: login(' '.repeat(BODY)),
  'many parts': post('/v1/recordings', 'multipart/form-data; boundary=x', filled('--x\r\n\r\n\r\n', 4 * MB)),
  'a long query': [head(`GET /healthz?${filled('a&', 8000)}`)],
  'parameters that nobody knows': post(
    `/v1/auth/login?${Array.from({ length: 1500 }, (_, n) => `p${n}`).join('&')}`,
    'application/json',
    '{"email":"a@b.example","password":"x"}',
  ),
  'a long path': [head(`GET /v1/recordings/${filled('%2F', 8000)}`)],
  'a path of slashes': [head(`GET ${'/'.repeat(8000)}`)],
  'a file of the description for nobody to read': [head('GET /docs/swagger-ui-bundle.js', 'Accept-Encoding: br')],
  'the description for nobody to read': [head('GET /docs-json', 'Accept-Encoding: gzip')],
}
/** The parts of CRM events that are parsed before the sender is known. */
const EVENTS_API: Record<string, Pieces> = {
  'an event without end': chunked(EVENTS, FORM, Buffer.alloc(MB, 'a'), 24),
  'an event in chunks of a byte': chunked(EVENTS, FORM, Buffer.from('&'), 5000),
  'a compressed event without end': chunked(EVENTS, FORM, gzipSync(Buffer.alloc(MB)), 100, 'Content-Encoding: gzip'),
  'an event announced as a terabyte': [
    head(`POST ${EVENTS}`, `Content-Type: ${FORM}`, 'Content-Length: 1099511627776'),
  ],
  'an event above the limit': event(FORM, filled('a=b&', BODY)),
  'an event of empty pairs': event(FORM, '&'.repeat(EVENT)),
  'an event of pairs': event(FORM, filled('a=b&', EVENT)),
  'an event of one field again and again': event(FORM, filled('auth[application_token]=&', EVENT)),
  'an event of escapes': event(FORM, `event=${filled('%41', EVENT)}`),
  'an event of half escapes': event(FORM, `event=${'%'.repeat(EVENT)}`),
  'an event with a long token': event(FORM, `auth[application_token]=${'x'.repeat(EVENT)}`),
  'an event of bytes that are no UTF-8': event(FORM, '\xff'.repeat(EVENT / 2)),
  'an event of deep JSON': event('application/json', '['.repeat(EVENT)),
  'an event of deep JSON that is whole': event('application/json', '['.repeat(EVENT / 2) + ']'.repeat(EVENT / 2)),
  'an event of deep objects': event('application/json', `${filled('{"data":', EVENT / 2)}0${'}'.repeat(EVENT / 16)}`),
  'an event of many fields': event(
    'application/json',
    `{${Array.from({ length: 6000 }, (_, n) => `"f${n}":1`).join()}}`,
  ),
  'an event of a long number': event('application/json', `{"event":${'9'.repeat(EVENT)}}`),
  'an event of JSON escapes': event('application/json', `{"event":"${filled('\\u0041', EVENT)}"}`),
  'an event of a long type': post(EVENTS, filled('json ', LINE), '{}'),
  'an event of parts': post(EVENTS, 'multipart/form-data; boundary=x', filled('--x\r\n\r\n\r\n', EVENT)),
}
const PANEL: Record<string, Pieces> = {
  'a form without end': chunked('/login', FORM, Buffer.alloc(MB, 'a'), 24),
  'a compressed form without end': chunked('/login', FORM, gzipSync(Buffer.alloc(MB)), 100, 'Content-Encoding: gzip'),
  'many fields': form('&'.repeat(BODY)),
  'many pairs': form(filled('a=b&', BODY)),
  escapes: form(`email=${filled('%41', BODY)}&password=x`),
  'half escapes': form(`email=${filled('%', BODY)}&password=x`),
  'a long way back': form(`email=a&password=&next=/${filled('../', BODY)}`),
  'a long way out': form(`email=a&password=&next=/${filled('/', BODY)}`),
  'a long e-mail': form(`email=${filled('<&"', BODY / 3)}`),
  'a login that the API refuses': form(`email=${'a'.repeat(BODY)}&password=x`),
  'an upload without end': chunked('/upload', 'multipart/form-data; boundary=x', Buffer.alloc(MB), 24),
  'a long path of a file': [head(`GET /assets/${'a'.repeat(LINE)}`)],
  'a long path': [head(`GET /recordings/${filled('%2F', LINE)}`)],
  'a long query': [head(`GET /login?next=/${filled('%2e%2e/', LINE)}`)],
}

/** Pipelined requests without reading a response; the connection stays open. */
const AHEAD = (path: string, count: number): Pieces => [
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
    ports.set(api, await api.ready())
    const apiUrl = `http://127.0.0.1:${ports.get(api)}`
    panel = new ServiceProcess('dashboard', { ...config, LOG_LEVEL: 'info', panelPort: 0, apiUrl })
    ports.set(panel, await panel.ready())
  })
  after(async () => {
    await Promise.all([api.end(), panel.end()])
    await database.remove()
  })

  /** Sends; resolves once the connection has closed, or, if nothing is read, once everything was sent. */
  function send(port: number, pieces: Pieces, isRead: boolean): Promise<net.Socket> {
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

  /** The processor time of the process's main thread: its event loop. Waiting for a busy machine does not count. */
  const workedMs = (pid: number): number =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const heldMb = (pid: number): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

  async function calm(pid: number): Promise<void> {
    let before = -Infinity
    await until('the process has calmed down', () => {
      const now = workedMs(pid)
      const isCalm = now - before < 1
      before = now
      return isCalm
    })
  }

  async function expectBearable(server: ServiceProcess, pieces: Pieces, isClosed = true): Promise<string> {
    const port = ports.get(server)!
    const megabytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0) / MB
    const limit = BLOCKED_MS + Math.max(0, megabytes - 1) * MS_PER_MB
    let worked = Infinity
    for (let n = isClosed ? 0 : TRIES; n < TRIES && worked > limit; n++) {
      await calm(server.pid)
      const before = workedMs(server.pid)
      await send(port, pieces, true)
      worked = Math.min(worked, workedMs(server.pid) - before)
    }
    let held = Infinity
    // The first time the heap grows as with any such work; memory of connections recurs each time.
    for (let n = 0; n < TRIES && held > HELD_MB; n++) held = await heldByEach(server.pid, port, pieces)
    expect(server.exit, 'the process').to.equal(undefined)
    if (isClosed) expect(worked, 'ms of the event loop').to.be.below(limit)
    expect(held, 'MB a connection').to.be.below(HELD_MB)
    return `${isClosed ? worked.toFixed(0) : '–'} ms, ${Math.max(0, held).toFixed(1)} MB`
  }

  /** MB per open connection. */
  async function heldByEach(pid: number, port: number, pieces: Pieces): Promise<number> {
    await calm(pid)
    const before = heldMb(pid)
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => send(port, pieces, false)))
    await calm(pid)
    const held = (heldMb(pid) - before) / CONNECTIONS
    for (const socket of sockets) socket.destroy()
    return held
  }

  for (const [where, server, attacks, path] of [
    ['the API', () => api, { ...API, ...EVENTS_API }, '/v1/recordings'],
    ['the panel', () => panel, PANEL, '/login'],
  ] as const) {
    describe(`to ${where}: at most ${HELD_MB} MB a connection and ${BLOCKED_MS} ms of the event loop`, () => {
      const table: string[] = []
      after(() => console.log(table.map((line) => `        ${line}`).join('\n')))
      const shows = (what: string, pieces: Pieces, isClosed?: boolean) =>
        it(what, async () => {
          table.push(`${what}: ${await expectBearable(server(), pieces, isClosed)}`)
        })
      for (const [what, pieces] of Object.entries(attacks)) shows(what, pieces)
      for (const [name, value] of HEADERS) {
        shows(`${name}: ${value.trim().slice(0, 16)}…`, [head(`GET ${path}`, `${name}: ${value}`)])
      }
      shows('many headers', [head(`GET ${path}`, ...MANY_HEADERS)])
      shows('many requests ahead', AHEAD(where === 'the API' ? '/docs-json' : '/login', 400), false)
      shows('more requests ahead than anybody sends', AHEAD('/docs', 20_000))
      shows('half a head', [head(`GET ${path}`).slice(0, -2), `X: ${'x'.repeat(LINE)}`], false)
      shows('half a body', [login(' '.repeat(BODY)).join('').slice(0, -1)], false)
    })
  }
})
