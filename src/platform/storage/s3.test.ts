import { createHash, randomBytes } from 'node:crypto'
import dns from 'node:dns'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { parseConfig, type Config } from '../config/config.ts'
import { TestS3Server } from '../../test/s3-server.ts'
import { StorageObjectMissingError, StorageUnavailableError } from './storage.ts'
import { S3AudioStorage } from './s3.ts'

const MB = 1024 * 1024

describe('S3 storage', () => {
  const server = new TestS3Server()
  let storage: S3AudioStorage

  before(async () => {
    await server.start()
    storage = open()
  })
  after(() => server.stop())
  afterEach(() => {
    server.fault = () => undefined
    server.requests.length = 0
  })

  const open = (overrides: Partial<Config> = {}) =>
    new S3AudioStorage(
      parseConfig(
        'api',
        {},
        {
          DATABASE_URL: 'x',
          REDIS_URL: 'x',
          ASR_API_KEY: 'x',
          SESSION_SECRET: 'x',
          ...server.config,
          ...overrides,
        },
      ),
    )
  const failure = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('it should have failed'),
      (error: Error) => error,
    )

  it('the storage buffers slow uploads beyond the first few on the disk', async () => {
    const senders = Array.from({ length: 30 }, () => new PassThrough())
    const written = senders.map((sender, n) => storage.write(`uploads/a/${n}`, sender))
    const content = randomBytes(MB)
    const before = process.memoryUsage().arrayBuffers
    for (const sender of senders) await new Promise((resolve) => sender.write(content, resolve))
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(120 * MB)
    // End the last uploads first: the slow first ones do not delay them.
    for (const n of senders.keys()) if (n >= 4) senders[n]!.end()
    expect(await Promise.all(written.slice(4))).to.deep.equal(Array(26).fill(MB))
    for (const sender of senders.slice(0, 4)) sender.end()
    expect(await Promise.all(written.slice(0, 4))).to.deep.equal(Array(4).fill(MB))
    expect((await buffer(await storage.read('uploads/a/29'))).equals(content)).to.equal(true)
  })

  it('a broken upload leaves no file on the disk', async () => {
    const slow = Array.from({ length: 4 }, () => new PassThrough())
    const written = slow.map((sender, n) => storage.write(`uploads/a/slow-${n}`, sender))
    const brokenStream = new PassThrough()
    const failedWrite = failure(storage.write('uploads/a/broken', brokenStream))
    await new Promise((resolve) => brokenStream.write(randomBytes(300_000), resolve))
    brokenStream.destroy(new Error('gone'))
    expect((await failedWrite).message).to.equal('gone')
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-upload-${process.pid}-`))).to.deep.equal([])
    for (const sender of slow) sender.end()
    await Promise.all(written)
  })

  for (const size of [0, 1, 300_000, 8 * MB - 1, 8 * MB, 8 * MB + 1, 21 * MB]) {
    it(`the storage returns a file of size ${size} unchanged, whole or by range`, async () => {
      const content = randomBytes(size)
      const pieces = Array.from({ length: Math.ceil(size / 100_000) }, (_, n) =>
        content.subarray(n * 100_000, (n + 1) * 100_000),
      )
      const hash = createHash('sha256')
      expect(await storage.write('uploads/a/size', Readable.from(pieces, { objectMode: false }), hash)).to.equal(size)
      expect(hash.digest('hex')).to.equal(createHash('sha256').update(content).digest('hex'))
      expect((await buffer(await storage.read('uploads/a/size'))).equals(content)).to.equal(true)
      const info = await storage.stat('uploads/a/size')
      expect(info.size).to.equal(size)
      expect(info.tag).to.match(/^[\w-]+$/)
      expect(Math.abs(info.modifiedAt.getTime() - Date.now())).to.be.below(120_000)
      if (size > 10) {
        const range = { start: size - 7, end: size - 3 }
        expect(await buffer(await storage.read('uploads/a/size', range))).to.deep.equal(
          content.subarray(size - 7, size - 2),
        )
      }
      expect(await server.listMultipartUploads()).to.deep.equal([])
    })
  }

  it('the storage writes, reads and lists keys with special characters', async () => {
    const names = ['a b.wav', 'звонок «1».wav', 'x+y&z=1.wav', "o'neil (2).wav", '100%.wav', 'ü#1;!*@$,:.wav']
    for (const name of names) await storage.write(`in/${name}`, Readable.from([name], { objectMode: false }))
    for (const name of names) {
      expect((await buffer(await storage.read(`in/${name}`))).toString()).to.equal(name)
      expect((await storage.stat(`in/${name}`)).size).to.equal(Buffer.byteLength(name))
    }
    expect((await listKeys('in/')).sort()).to.deep.equal(names.map((name) => `in/${name}`).sort())
    for (const name of names) await storage.remove(`in/${name}`)
    expect(await listKeys('in/')).to.deep.equal([])
  })

  async function listKeys(folder: string): Promise<string[]> {
    const keys: string[] = []
    for await (const { key } of storage.list(folder)) keys.push(key)
    return keys
  }

  it('a listing reads all pages and skips hidden files', async () => {
    await Promise.all(Array.from({ length: 1100 }, (_, n) => server.writeObject(`many/${n}.wav`, `${n}`)))
    await server.writeObject('many/.hidden.wav', 'x')
    await server.writeObject('many-more.wav', 'x')
    expect(await listKeys('many/')).to.have.length(1100)
    expect(server.requests.filter((request) => request.includes('list-type=2'))).to.have.length(6)
    for await (const { key, size, version } of storage.list('many/7.wav')) {
      expect(key).to.equal('many/7.wav')
      expect(size).to.equal(1)
      expect(version).to.match(/^1-\d{4}-/)
    }
  })

  it('an unknown or invalid key is a missing object', async () => {
    const keys = ['nothing', '', '/etc/passwd', '../x', 'a/../b', './a', 'a//b', 'a/', 'a\0b', 'a\\b', '\ud800', 'a?b']
    for (const key of [...keys, 'x'.repeat(1025)]) {
      expect(await failure(storage.stat(key)), JSON.stringify(key)).to.be.instanceOf(StorageObjectMissingError)
      expect(await failure(storage.read(key)), JSON.stringify(key)).to.be.instanceOf(StorageObjectMissingError)
    }
    await storage.remove('nothing')
  })

  it('an aborted upload leaves neither an object nor parts', async () => {
    for (const size of [1, 20 * MB]) {
      const content = Readable.from(generateBreakingStream(size), { objectMode: false })
      expect((await failure(storage.write('uploads/broken', content))).message).to.equal('the sender is gone')
      expect(await server.listKeys()).not.to.include('uploads/broken')
      expect(await server.listMultipartUploads()).to.deep.equal([])
    }
  })

  async function* generateBreakingStream(size: number) {
    for (let sent = 0; sent < size; sent += MB) yield Buffer.alloc(MB)
    throw new Error('the sender is gone')
  }

  it('remove() deletes leftover parts of the object, but not of others', async () => {
    server.fault = (method) => (method === 'DELETE' ? 403 : undefined)
    for (const key of ['uploads/dead', 'uploads/dead-neighbour']) {
      await failure(storage.write(key, Readable.from(generateBreakingStream(20 * MB), { objectMode: false })))
    }
    expect(await server.listMultipartUploads()).to.have.length(2)
    server.fault = () => undefined
    await storage.remove('uploads/dead')
    expect((await server.listMultipartUploads()).map(({ key }) => key)).to.deep.equal(['uploads/dead-neighbour'])
    await storage.remove('uploads/dead-neighbour')
    expect(await server.listMultipartUploads()).to.deep.equal([])
  })

  it('remove() succeeds if the service cannot list parts', async () => {
    await server.writeObject('uploads/plain', 'x')
    server.fault = (_, url) => (url.searchParams.has('uploads') ? 501 : undefined)
    await storage.remove('uploads/plain')
    expect(await server.listKeys()).not.to.include('uploads/plain')
    expect(server.requests.filter((request) => request.includes('uploads='))).to.have.length(1)
  })

  it('the storage retries temporary failures, even during an upload', async () => {
    for (const fault of [500, 503, 429, 'break'] as const) {
      let faults = 0
      server.fault = (method) => (method !== 'POST' && faults++ % 3 === 0 ? fault : undefined)
      expect(await storage.write('uploads/retried', createContent(20 * MB)), String(fault)).to.equal(20 * MB)
      expect((await storage.stat('uploads/retried')).size).to.equal(20 * MB)
      expect((await buffer(await storage.read('uploads/retried'))).length).to.equal(20 * MB)
      expect(faults).to.be.greaterThan(4)
    }
    expect(await server.listMultipartUploads()).to.deep.equal([])
  })

  const createContent = (size: number) =>
    Readable.from(
      Array.from({ length: size / MB }, () => Buffer.alloc(MB)),
      { objectMode: false },
    )

  it('an unreachable or forbidding service is a StorageUnavailableError', async () => {
    const check = async (where: S3AudioStorage, what: string) => {
      expect(await failure(where.read('uploads/retried')), what).to.be.instanceOf(StorageUnavailableError)
      expect(await failure(where.write('uploads/new', createContent(MB))), what).to.be.instanceOf(
        StorageUnavailableError,
      )
    }
    for (const fault of [500, 503, 'break'] as const) {
      server.fault = () => fault
      await check(storage, String(fault))
      expect(await failure(storage.write('uploads/new', createContent(20 * MB)))).to.be.instanceOf(
        StorageUnavailableError,
      )
    }
    server.fault = () => undefined
    await check(open({ S3_ENDPOINT_URL: 'http://127.0.0.1:1' }), 'nobody listens')
    await check(open({ S3_BUCKET: 'not-there' }), 'no such bucket')
    await check(open({ S3_SECRET_ACCESS_KEY: 'wrong' }), 'wrong secret')
    await check(open({ S3_ACCESS_KEY_ID: 'wrong' }), 'wrong key')
    expect(await server.listKeys()).not.to.include('uploads/new')
  })

  it('a forbidden object is not a StorageUnavailableError', async () => {
    server.fault = () => 403
    const error = await failure(storage.read('uploads/retried'))
    expect(error).not.to.be.instanceOf(StorageUnavailableError)
    expect(error.message).to.match(/refuses the object/)
  })

  it('an upload fails if its completion returns an error', async () => {
    const { fetch } = globalThis
    globalThis.fetch = async (input, init) =>
      init?.method === 'POST' && (input as string).includes('uploadId')
        ? new Response('<?xml version="1.0"?><Error><Code>InternalError</Code></Error>')
        : fetch(input, init)
    try {
      const error = await failure(storage.write('uploads/half', createContent(20 * MB)))
      expect(error).to.be.instanceOf(StorageUnavailableError)
      expect(error.message).to.include('InternalError')
    } finally {
      globalThis.fetch = fetch
    }
    expect(await server.listMultipartUploads()).to.deep.equal([])
  })

  it('an invalid list response is a StorageUnavailableError', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><ListBucketResult>&b;</ListBucketResult>'
    const { fetch } = globalThis
    try {
      for (const [answer, reason] of [
        ['<Error><Code>AccessDenied</Code></Error>', 'is no list'],
        ['<ListBucketResult><Contents><Key>a.wav', 'is no XML'],
        ['{}', 'is no XML'],
        ['', 'is no XML'],
        [`${'<a>'.repeat(50)}${'</a>'.repeat(50)}`, 'is no list'],
        ['<ListBucketResult><Contents></ListBucketResult>', 'is no XML'],
        ['<ListBucketResult><Contents><Key><![CDATA[a]]></Key></Contents></ListBucketResult>', 'CDATA'],
        [`<ListBucketResult>${'<Contents></Contents>'.repeat(1001)}</ListBucketResult>`, 'more than 1000 elements'],
        [bomb, 'has a document type'],
        [' '.repeat(2 * MB), 'more than 1572864 bytes'],
      ] as const) {
        globalThis.fetch = async () => new Response(answer)
        const error = await failure(listKeys('in/'))
        expect(error, answer.slice(0, 30)).to.be.instanceOf(StorageUnavailableError)
        expect(error.message).to.include(reason)
      }
    } finally {
      globalThis.fetch = fetch
    }
  })

  it('a listing decodes XML escapes in keys exactly once', async () => {
    const { fetch } = globalThis
    const xml = ['a&amp;amp;b', '&#1079;&#x432;.wav', ' x ', '007', '&lt;&quot;&apos;&gt;'].map(
      (key) => `<Contents><Key>${key}</Key><Size>1</Size><LastModified>x</LastModified></Contents>`,
    )
    globalThis.fetch = async () =>
      new Response(`<?xml version="1.0"?><ListBucketResult>${xml.join('\n')}</ListBucketResult>`)
    try {
      expect(await listKeys('')).to.deep.equal(['a&amp;b', 'зв.wav', ' x ', '007', `<"'>`])
    } finally {
      globalThis.fetch = fetch
    }
  })

  it('a listing ignores spaces before the response', async () => {
    const { fetch } = globalThis
    const result = '<ListBucketResult xmlns="http://s3/"><Contents><Key>a.wav</Key></Contents></ListBucketResult>'
    globalThis.fetch = async () => new Response(`<?xml version="1.0"?>\n${' '.repeat(1000)}${result}\n`)
    try {
      expect(await listKeys('')).to.deep.equal(['a.wav'])
    } finally {
      globalThis.fetch = fetch
    }
  })

  it('without path style, the bucket is part of the host name', async () => {
    const { lookup } = dns
    const serverNames: string[] = []
    dns.lookup = ((name: string, options: dns.LookupOptions, done: (...found: unknown[]) => void) => {
      serverNames.push(name)
      setImmediate(() => (options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)))
    }) as unknown as typeof dns.lookup
    try {
      const endpoint = `http://s3.example.com:${server.frontPort}`
      const hosted = open({ S3_ENDPOINT_URL: endpoint, S3_FORCE_PATH_STYLE: false })
      await hosted.write('uploads/hosted', Readable.from(['hello'], { objectMode: false }))
      expect((await buffer(await hosted.read('uploads/hosted'))).toString()).to.equal('hello')
    } finally {
      dns.lookup = lookup
    }
    expect(new Set(serverNames)).to.deep.equal(new Set(['calls.s3.example.com']))
    expect(server.requests[0]).to.match(/^PUT \/uploads\/hosted/)
    expect(await server.listKeys()).to.include('uploads/hosted')
  })

  it('an invalid endpoint is a configuration error', () => {
    expect(() => open({ S3_ENDPOINT_URL: 'https://x.example.com/path', S3_FORCE_PATH_STYLE: false })).to.throw(/S3_/)
  })
})
