import { randomBytes } from 'node:crypto'
import net, { type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { FORBIDDEN_LINKS } from '../../test/forbidden-links.ts'
import { TestPublicServer, SILENT_PUBLIC_ADDRESS } from '../../test/public-server.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { chooseRepeatCount } from '../../test/repeat-count.ts'
import { countStoredObjects } from '../../test/stored-objects.ts'
import { waitUntil } from '../../test/wait.ts'

const PATH = '/v1/recordings/from-url'
const MAX_BYTES = 1024 * 1024

describe('POST /v1/recordings/from-url', () => {
  let app: TestApp
  const server = new TestPublicServer()
  const PUBLIC = server.resolve

  before(async () => {
    app = await startTestApp({ MAX_UPLOAD_MB: 1, API_RUN_MODE: 'api' })
    await server.start()
  })
  afterEach(() => void (server.resolve = PUBLIC))
  after(async () => {
    await server.stop()
    await app.stop()
  })

  const submit = (url: string, fields: object = {}) => app.ida.post(PATH, { url, ...fields })

  const traces = () => countStoredObjects(app)

  /** Submits a link and checks that it is rejected with a message and leaves no file. */
  async function expectRejection(url: string, words: RegExp, status = 400): Promise<void> {
    const before = await traces()
    const answer = await submit(url)
    expect(answer.status, `${url.slice(0, 80)}: ${answer.text}`).to.equal(status)
    const message = status === 400 ? answer.json.message[0] : answer.json.message
    if (status === 400) expect(answer.json.message).to.have.length(1)
    expect(message, url.slice(0, 80)).to.match(words)
    expect(await traces(), url.slice(0, 80)).to.deep.equal(before)
  }

  it('a null field in a submission equals an omitted field', async () => {
    const nothing = { externalCallId: null, phoneNumber: null, managerName: null, direction: null, callStartedAt: null }
    const more = { priority: null, decoder: null, callbackUrl: null }
    const url = server.serveFile('/null.wav', randomBytes(100))
    const { status, json, text } = await submit(url, { ...nothing, ...more })
    expect(status, text).to.equal(201)
    expect(json).to.include({ ...nothing, ...more, priority: 0 })
    const wrong = await submit(url, { direction: 5, priority: 11, phoneNumber: 375, callbackUrl: 'x' })
    expect(wrong.json.message).to.have.members([
      'direction must be one of INBOUND, OUTBOUND',
      'priority must be at most 10',
      'phoneNumber must be a string',
      'callbackUrl must be an http or https URL',
    ])
    expect((await app.ida.post(PATH, { url: null })).json.message).to.deep.equal(['url must be a string'])
  })

  it('the API downloads a link and responds 201 with the recording', async () => {
    const content = randomBytes(300_000)
    const url = server.serveFile('/records/%D0%B7%D0%B2%D0%BE%D0%BD%D0%BE%D0%BA.mp3', content)
    const answer = await submit(`${url}?token=1#x`, { externalCallId: 'u-1', priority: 3, direction: 'INBOUND' })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.json).to.include({
      status: 'QUEUED',
      source: 'url',
      externalCallId: 'u-1',
      priority: 3,
      direction: 'INBOUND',
      fileName: 'звонок.mp3',
      sizeBytes: content.length,
    })
    expect(answer.headers.get('location')).to.equal(`/v1/recordings/${answer.json.id}`)
    const audio = await fetch(`${app.url}/v1/recordings/${answer.json.id}/audio`, { headers: app.ida.headers })
    expect(Buffer.from(await audio.arrayBuffer()).equals(content)).to.equal(true)
    expect(audio.headers.get('content-type')).to.equal('audio/mpeg')
    expect((await app.db.query('SELECT FROM file_removals')).rowCount).to.equal(0)
  })

  it('the API takes the file name from Content-Disposition without folders', async () => {
    const disposition = `attachment; filename="x.wav"; filename*=UTF-8''..%2F%D0%B0%D0%BD%D1%8F%0D.ogg`
    const { json } = await submit(server.serveFile('/disposed', 'x', { 'Content-Disposition': disposition }))
    expect(json.fileName).to.equal('аня.ogg')
    expect((await submit(server.serveFile('/', 'x'))).json.fileName).to.equal(null)
  })

  it('the API names invalid fields, url first, without any request to the link', async () => {
    const before = server.hits.length
    const both = await submit('http://10.0.0.1/', { callbackUrl: 'http://localhost/' })
    expect(both.status).to.equal(400)
    expect(both.json.message.map((violation: string) => violation.split(' ')[0])).to.deep.equal(['url', 'callbackUrl'])
    expect((await app.ida.post(PATH, {})).json.message).to.deep.equal(['url is required'])
    expect((await app.ida.post(PATH, { url: 7 })).json.message).to.deep.equal(['url must be a string'])
    const unknown = await submit(server.serveFile('/unknown', 'x'), { colour: 'red', priority: '3' })
    expect(unknown.json.message.map((violation: string) => violation.split(' ')[0]).sort()).to.deep.equal([
      'colour',
      'priority',
    ])
    expect((await app.nobody.post(PATH, { url: server.urlOf('/unknown') })).status).to.equal(401)
    expect(server.hits).to.have.length(before)
  })

  for (const [category, links] of Object.entries(FORBIDDEN_LINKS)) {
    it(`the API rejects without a request: ${category}`, async () => {
      const before = server.hits.length
      server.resolve = () => ['127.0.0.1']
      for (const link of links) {
        await expectRejection(link, /^url must /)
        const atCanary = link.replace(/^(https?:\/\/[^/?#\\:]*|https?:\/\/\[[^\]]*\])\//, `$1:${server.port}/`)
        await expectRejection(atCanary, /^url must /)
      }
      expect(server.hits).to.have.length(before)
    })
  }

  describe('redirects', () => {
    const redirect = (path: string, location: string | undefined, status = 302) =>
      server.handleAt(path, (_, response) => void response.writeHead(status, location ? { location } : {}).end('moved'))

    it('the API follows five redirects, and the last address names the file', async () => {
      server.serveFile('/end/last.wav', 'the end')
      for (const [n, status] of [301, 302, 303, 307, 308].entries()) {
        redirect(`/hop/${n}`, n === 4 ? '/end/last.wav' : n === 0 ? 'hop2/../1' : server.urlOf(`/hop/${n + 1}`), status)
      }
      const { json } = await submit(server.urlOf('/hop/0'))
      expect(json).to.include({ fileName: 'last.wav', sizeBytes: 7 })
    })

    it('the API rejects a sixth redirect and circular redirects', async () => {
      redirect('/hop/before', '/hop/0')
      await expectRejection(server.urlOf('/hop/before'), /^url redirects more than 5 times/)
      await expectRejection(redirect('/circle', '/circle'), /^url redirects more than 5 times/)
    })

    it('the API rejects redirects to private addresses and other schemes without a request', async () => {
      const { port } = server
      const targets = [
        `http://127.0.0.1:${port}/private`,
        `http://localhost:${port}/private`,
        `http://[::1]:${port}/private`,
        `http://2130706433:${port}/private`,
        `//127.0.0.1:${port}/private`,
        `http:\\\\127.0.0.1:${port}\\private`,
        `http://rebound.example.com:${port}/private`,
        `http://public.example.com@127.0.0.1:${port}/private`,
        `http://user@public.example.com:${port}/private`,
        'http://public.example.com:22/private',
        'http://169.254.169.254/latest/meta-data/',
        'file:///etc/passwd',
        'data:audio/wav;base64,AAAA',
        'ftp://public.example.com/x',
        'http://',
      ]
      server.resolve = (name) => (name === 'rebound.example.com' ? ['127.0.0.1'] : PUBLIC(name))
      for (const [n, target] of targets.entries()) {
        for (const status of [301, 302, 303, 307, 308]) {
          const words = /^url (redirects (to a link that must|without an address)|must not be used: the name points)/
          await expectRejection(redirect(`/to/${n}/${status}`, target, status), words)
        }
      }
      expect(server.hits).not.to.include('/private')
      await expectRejection(redirect('/nowhere', undefined), /^url redirects without an address/)
    })
  })

  it('the API rejects names that resolve to a private address or not at all', async () => {
    const { length } = server.hits
    for (const found of [['127.0.0.1'], ['::1'], ['10.0.0.1', '203.0.114.1'], ['203.0.114.1', '::ffff:127.0.0.1']]) {
      server.resolve = () => found
      await expectRejection(
        server.urlOf('/private', 'name.example.com'),
        /^url must not be used: the name points to a private/,
      )
    }
    server.resolve = PUBLIC
    await expectRejection(server.urlOf('/private', 'nowhere.example.com'), /^url could not be reached, .*ENOTFOUND/)
    expect(server.hits).to.have.length(length)
  })

  const BATCHES = chooseRepeatCount(4, 20)
  it(`the API never connects to ${50 * BATCHES} names that flip to a private address`, async () => {
    const { length } = server.hits
    let asked = 0
    server.resolve = () => [asked++ % 2 === 0 ? '127.0.0.1' : SILENT_PUBLIC_ADDRESS]
    let forbidden = 0
    for (let batch = 0; batch < BATCHES; batch++) {
      asked++ // Starts each batch with the other address.
      const links = Array.from({ length: 50 }, (_, n) => server.urlOf('/private', `flip-${n}.example.com`))
      const responses = await Promise.all(links.map((link) => submit(link)))
      for (const { status } of responses) expect(status).to.equal(400)
      forbidden += responses.filter(({ text }) => text.includes('must not be used')).length
    }
    expect(forbidden).to.equal(25 * BATCHES)
    expect(server.hits).to.have.length(length)
  })

  it('the API ignores proxy variables of the environment for downloads', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY']
    for (const name of names) process.env[name] = `http://127.0.0.1:${server.port}`
    try {
      await expectRejection(server.urlOf('/private', 'nowhere.example.com'), /^url could not be reached/)
    } finally {
      for (const name of names) delete process.env[name]
    }
    expect(server.hits).not.to.include('/private')
  })

  it('the API rejects a link that responds with another status than 200', async () => {
    for (const status of [201, 204, 206, 304, 400, 401, 403, 404, 410, 429, 500, 503]) {
      const url = server.handleAt(`/status/${status}`, (_, response) => void response.writeHead(status).end())
      await expectRejection(url, new RegExp(`^url responds with status ${status} `))
    }
  })

  it('the API rejects an empty, compressed or interrupted download', async () => {
    await expectRejection(server.serveFile('/empty', ''), /^url must not point to an empty file/)
    const asked: unknown[] = []
    const bomb = gzipSync(Buffer.alloc(4 * MAX_BYTES))
    for (const encoding of ['gzip', 'br', 'gzip, identity']) {
      const url = server.handleAt('/bomb', (request, response) => {
        asked.push(request.headers['accept-encoding'])
        response.writeHead(200, { 'Content-Encoding': encoding }).end(bomb)
      })
      await expectRejection(url, /^url responds with a compressed body/)
    }
    expect(new Set(asked)).to.deep.equal(new Set(['identity']))
    expect((await submit(server.serveFile('/plain', 'x', { 'Content-Encoding': 'identity' }))).status).to.equal(201)
    for (const headers of [{ 'Content-Length': 1000 }, {}]) {
      const url = server.handleAt('/broken', (_, response) => {
        response.writeHead(200, headers).write('only a part', () => response.destroy())
      })
      await expectRejection(url, /^url could not be reached/)
    }
  })

  it('the API rejects a link to a closed port or without HTTP', async () => {
    const raw = net.createServer((socket) => void socket.on('error', () => undefined).end('220 hello\r\n'))
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    const { port } = raw.address() as AddressInfo
    await expectRejection(`http://public.example.com:${port}/`, /^url could not be reached/)
    raw.close()
    await expectRejection(
      `http://public.example.com:${port}/`,
      /^url could not be reached, or the connection was lost \(ECONNREFUSED\)/,
    )
  })

  it('the API accepts a download of MAX_UPLOAD_MB and rejects one byte more with 413', async () => {
    const { json } = await submit(server.serveFile('/max', Buffer.alloc(MAX_BYTES, 1)))
    expect(json.sizeBytes).to.equal(MAX_BYTES)
    const announced = server.serveFile('/announced', Buffer.alloc(MAX_BYTES + 1), { 'Content-Length': MAX_BYTES + 1 })
    await expectRejection(announced, /^The file is larger than 1 MB$/, 413)
    await expectRejection(
      server.serveFile('/chunked', Buffer.alloc(MAX_BYTES + 1)),
      /^The file is larger than 1 MB$/,
      413,
    )
    let sent = 0
    let closed = false
    const endless = server.handleAt('/endless', (_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024
      }
      response.writeHead(200).on('drain', pour)
      response.on('close', () => (closed = true))
      pour()
    })
    await expectRejection(endless, /^The file is larger than 1 MB$/, 413)
    await waitUntil('the download has ended', () => closed)
    expect(sent).to.be.below(20 * MAX_BYTES)
  })

  it('the API rejects a repeated externalCallId with 409 before the download', async () => {
    const url = server.serveFile('/twice.wav', 'x')
    const first = await submit(url, { externalCallId: 'u-twice' })
    const { length } = server.hits
    const second = await submit(url, { externalCallId: 'u-twice' })
    expect(second.status).to.equal(409)
    expect(second.headers.get('location')).to.equal(`/v1/recordings/${first.json.id}`)
    expect(server.hits).to.have.length(length)
    expect((await submit(url)).status, 'the same link for another call').to.equal(201)
  })

  it('the API registers only one of 30 parallel submissions of a call', async () => {
    const before = await traces()
    const url = server.serveFile('/race.wav', 'x')
    const responses = await Promise.all(Array.from({ length: 30 }, () => submit(url, { externalCallId: 'u-race' })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).to.have.length(1)
    expect(statuses.filter((status) => status === 409)).to.have.length(29)
    expect(await traces()).to.deep.equal({ rows: String(Number(before.rows) + 1), files: before.files + 1 })
  })

  it('if the client disconnects, the download stops and leaves no file', async () => {
    const before = await traces()
    let ended = false
    const url = server.handleAt('/slow', (_, response) => {
      response.writeHead(200).write(Buffer.alloc(100_000))
      response.on('close', () => (ended = true))
    })
    const caller = new AbortController()
    const headers = { ...app.ida.headers, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ url })
    const answer = fetch(app.url + PATH, { method: 'POST', headers, body, signal: caller.signal }).catch(() => 'gone')
    await waitUntil('the file has begun', async () => (await traces()).files > before.files)
    caller.abort()
    expect(await answer).to.equal('gone')
    await waitUntil('the download has ended', () => ended)
    await waitUntil('the file is gone', async () => (await traces()).files === before.files)
    expect(await traces()).to.deep.equal(before)
  })
})
