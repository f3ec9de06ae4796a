import dns from 'node:dns'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { isUuid } from '../../platform/lib/ids.ts'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { countStoredObjects } from '../../test/stored-objects.ts'

describe('POST /v1/recordings', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ MAX_UPLOAD_MB: 1, asrUrl: recognizer.url, API_RUN_MODE: 'api' })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const traces = () => countStoredObjects(app)

  it('the API responds 201 to an upload with the recording and its Location', async () => {
    const response = await app.ida.upload('some sound', {
      externalCallId: 'call-1',
      phoneNumber: '+375 29 123-45-67',
      managerName: 'Анна Ковалёва',
      direction: 'INBOUND',
      callStartedAt: '2026-03-01T10:00:00+03:00',
      priority: '7',
      decoder: 'greedy',
      callbackUrl: 'https://crm.example.com/hook',
    })
    expect(response.status).to.equal(201)
    const { id, createdAt, progress, ...rest } = response.json
    expect(isUuid(id) && id[14] === '7', 'the id is a UUIDv7').to.equal(true)
    expect(response.headers.get('location')).to.equal(`/v1/recordings/${id}`)
    expect(Date.parse(createdAt)).to.be.closeTo(Date.now(), 60_000)
    expect(progress).to.deep.equal({ stage: 'queued', percent: 0, position: 1, etaSeconds: null })
    expect(rest).to.deep.equal({
      status: 'QUEUED',
      source: 'upload',
      externalCallId: 'call-1',
      phoneNumber: '+375 29 123-45-67',
      managerName: 'Анна Ковалёва',
      direction: 'INBOUND',
      callStartedAt: '2026-03-01T07:00:00.000Z',
      priority: 7,
      decoder: 'greedy',
      callbackUrl: 'https://crm.example.com/hook',
      department: null,
      fileName: 'call.wav',
      sizeBytes: 10,
      durationSeconds: null,
      audio: null,
      attempts: 0,
      errorCode: null,
      errorMessage: null,
      startedAt: null,
      finishedAt: null,
      transcript: null,
      score: null,
    })
    expect((await app.ida.get(`/v1/recordings/${id}`)).json).to.deep.equal(response.json)
  })

  it('the API accepts a file without any field', async () => {
    const { status, json } = await app.ida.upload('x')
    expect(status).to.equal(201)
    expect(json).to.include({ priority: 0, externalCallId: null, callStartedAt: null })
  })

  it('the API returns the audio bytes exactly as they were uploaded', async () => {
    const audio = randomBytes(300_000)
    const { json } = await app.ida.upload(audio)
    const response = await fetch(`${app.url}/v1/recordings/${json.id}/audio`, { headers: app.ida.headers })
    expect(Buffer.from(await response.arrayBuffer()).equals(audio)).to.equal(true)
  })

  it('a callStartedAt without an offset is a time in APP_TIMEZONE', async () => {
    const { json } = await app.ida.upload('x', { callStartedAt: '2026-03-01T10:00:00' })
    expect(json.callStartedAt).to.equal('2026-03-01T07:00:00.000Z')
  })

  it('uploads and time filters accept local times of the first hours of 1970', async () => {
    const first = '1970-01-01T00:00:00'
    const { status, json } = await app.ida.upload('x', { callStartedAt: first })
    expect([status, json.callStartedAt]).to.deep.equal([201, '1969-12-31T21:00:00.000Z'])
    const lists = ['recordings', 'recordings/catalog', 'recordings/facets', 'transcripts', 'transcripts/export']
    for (const path of lists) {
      for (const filter of ['dateFrom', 'dateTo', 'createdFrom', 'createdTo']) {
        const response = await app.ida.get(`/v1/${path}?${filter}=${first}`)
        expect(response.status, `${path} ${filter}`).to.equal(200)
      }
    }
    const listed = (query: string) => app.ida.get(`/v1/recordings?dateTo=1970-01-02&${query}`)
    expect((await listed(`dateFrom=${first}`)).json.total).to.equal(1)
    expect((await listed(`dateFrom=1970-01-01T00:00:01`)).json.total).to.equal(0)
    expect((await app.olga.get(`/v1/audit?to=${first}`)).json.total, 'nothing is older').to.equal(0)
    await app.ida.delete(`/v1/recordings/${json.id}`)
    expect((await app.ida.get(`/v1/recordings?dateTo=9999-12-31T23:59:59-05:00`)).status).to.equal(200)
  })

  it('time filters accept any year, but a call cannot begin before 1970', async () => {
    for (const time of ['1969-12-31T23:59:59Z', '1900-01-01T00:00:00+03:00', '0001-01-01T00:00:00Z', '0001-01-01']) {
      const { status, json } = await app.ida.get(`/v1/recordings?dateTo=${encodeURIComponent(time)}`)
      expect([status, json.total], time).to.deep.equal([200, 0])
      expect((await app.ida.get(`/v1/transcripts?createdFrom=${encodeURIComponent(time)}`)).status, time).to.equal(200)
    }
    const { status, json } = await app.ida.upload('x', { callStartedAt: '1969-12-31T23:59:59Z' })
    const rule = 'must be an ISO 8601 time such as 2026-03-01T10:00:00+03:00, from 1970 on'
    expect([status, json.message]).to.deep.equal([400, [`callStartedAt ${rule}`]])
  })

  it('the API names every invalid field at once and stores nothing', async () => {
    const before = await traces()
    const { status, json } = await app.ida.upload('x', {
      externalCallId: 'x'.repeat(256),
      phoneNumber: 'a\u0000b',
      direction: 'SIDEWAYS',
      callStartedAt: 'yesterday',
      priority: '11',
      decoder: 'magic',
      callbackUrl: 'http://localhost/',
      colour: 'red',
    })
    expect(status).to.equal(400)
    expect(json.error).to.equal('Bad Request')
    const named = json.message.map((violation: string) => violation.split(' ')[0]).sort()
    expect(named).to.deep.equal(
      [
        'callStartedAt',
        'callbackUrl',
        'colour',
        'decoder',
        'direction',
        'externalCallId',
        'phoneNumber',
        'priority',
      ].sort(),
    )
    expect(await traces()).to.deep.equal(before)
  })

  for (const value of ['-1', '11', '1.5', 'high', '0x5']) {
    it(`the API rejects the priority ${value}`, async () => {
      const { status, json } = await app.ida.upload('x', { priority: value })
      expect(status).to.equal(400)
      expect(json.message[0]).to.match(/^priority /)
    })
  }

  for (const time of [
    '2026-13-01T10:00:00Z',
    '2026-02-30T10:00:00',
    '2026-03-01',
    '1772352000',
    '2026-03-01T25:00:00Z',
  ]) {
    it(`the API rejects ${time} as callStartedAt`, async () => {
      const { status, json } = await app.ida.upload('x', { callStartedAt: time })
      expect(status).to.equal(400)
      expect(json.message).to.have.length(1)
      expect(json.message[0]).to.match(/^callStartedAt /)
    })
  }

  for (const callbackUrl of [
    'ftp://example.com/',
    'https://user:secret@example.com/',
    'http://localhost/x',
    'http://LOCALHOST./x',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest',
    'http://svc-asr:8000/',
    'http://example.com:6379/',
    'not a link',
  ]) {
    it(`the API rejects the callbackUrl ${callbackUrl}`, async () => {
      const before = await traces()
      const { status, json } = await app.ida.upload('x', { callbackUrl })
      expect(status).to.equal(400)
      expect(json.message).to.have.length(1)
      expect(json.message[0]).to.match(/^callbackUrl must /)
      expect(await traces()).to.deep.equal(before)
    })
  }

  it('the API rejects a repeated externalCallId with 409 and the existing Location', async () => {
    const first = await app.ida.upload('x', { externalCallId: 'twice' })
    const before = await traces()
    const second = await app.ida.upload('x', { externalCallId: 'twice' })
    expect(second.status).to.equal(409)
    expect(second.json.message).to.equal('A recording with this call id or storage key is already registered')
    expect(second.headers.get('location')).to.equal(`/v1/recordings/${first.json.id}`)
    expect(await traces()).to.deep.equal(before)
  })

  it('the API registers only one of 100 parallel uploads with one call id', async () => {
    const before = await traces()
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => app.ida.upload('x', { externalCallId: 'race' })),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).to.have.length(1)
    expect(statuses.filter((status) => status === 409)).to.have.length(99)
    expect((await traces()).files).to.equal(before.files + 1)
  })

  it('the API rejects a callbackUrl that resolves to a private address, not an unresolved one', async () => {
    const before = await traces()
    const { lookup } = dns
    dns.lookup = ((name: string, options: dns.LookupOptions, done: (...found: unknown[]) => void) => {
      const found: Record<string, string[] | undefined> = {
        'inside.example.com': ['10.0.0.7'],
        'mixed.example.com': ['203.0.113.9', '127.0.0.1'],
        'six.example.com': ['fd00::1'],
        'public.example.com': ['8.8.8.8'],
        'silent.example.com': [],
      }
      const addresses = found[name]
      if (!name.endsWith('.example.com')) return (lookup as (...args: unknown[]) => void)(name, options, done)
      if (addresses?.length === 0) return // An empty list means a DNS server that never responds.
      if (!addresses) return setImmediate(() => done(Object.assign(new Error(), { code: 'ENOTFOUND' })))
      setImmediate(() =>
        done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      )
    }) as unknown as typeof dns.lookup
    try {
      for (const host of ['inside', 'mixed', 'six']) {
        const { status, json } = await app.ida.upload('x', { callbackUrl: `https://${host}.example.com/hook` })
        expect([status, json.message], host).to.deep.equal([
          400,
          ['callbackUrl must not point to a private, local or reserved address'],
        ])
      }
      expect(await traces()).to.deep.equal(before)
      for (const host of ['public', 'unknown', 'silent']) {
        const { status } = await app.ida.upload('x', { callbackUrl: `https://${host}.example.com/hook` })
        expect(status, host).to.equal(201)
      }
    } finally {
      dns.lookup = lookup
    }
  })
})
