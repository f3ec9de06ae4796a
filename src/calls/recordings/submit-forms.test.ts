import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { countStoredObjects } from '../../test/stored-objects.ts'
import { waitUntil } from '../../test/wait.ts'

describe('POST /v1/recordings: multipart form', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()
  const MAX = 1024 * 1024

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ MAX_UPLOAD_MB: 1, asrUrl: recognizer.url, API_RUN_MODE: 'api' })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const traces = () => countStoredObjects(app)

  it('the API rejects a form without a file or with an empty one', async () => {
    const before = await traces()
    const form = new FormData()
    form.append('priority', '3')
    expect((await app.ida.post('/v1/recordings', form)).json.message).to.deep.equal(['file is required'])
    expect((await app.ida.upload('', { priority: '11' })).json.message).to.deep.equal([
      'file must not be empty',
      'priority must be at most 10',
    ])
    const textual = new FormData()
    textual.append('file', 'not a file')
    const response = await app.ida.post('/v1/recordings', textual)
    expect(response.status).to.equal(400)
    expect(response.json.message[0]).to.match(/^file must be a file with a file name/)
    expect(await traces()).to.deep.equal(before)
  })

  it('the API rejects two files and a file in another part', async () => {
    const before = await traces()
    for (const text of ['a text', '']) {
      const beside = new FormData()
      beside.append('file', text)
      beside.append('file', new Blob(['x']), 'a.wav')
      const refused = await app.ida.post('/v1/recordings', beside)
      expect(refused.status, text).to.equal(400)
      expect(refused.json.message).to.deep.equal(['file must be one file with a file name'])
    }
    const twice = new FormData()
    for (const name of ['a.wav', 'b.wav']) twice.append('file', new Blob(['x']), name)
    expect((await app.ida.post('/v1/recordings', twice)).status).to.equal(400)
    const other = new FormData()
    other.append('audio', new Blob(['x']), 'a.wav')
    const response = await app.ida.post('/v1/recordings', other)
    expect(response.status).to.equal(400)
    expect(response.json.message[0]).to.match(/^audio /)
    expect(await traces()).to.deep.equal(before)
  })

  it('the API accepts a file of MAX_UPLOAD_MB and rejects one byte more with 413', async () => {
    const { json } = await app.ida.upload(Buffer.alloc(MAX, 1))
    expect(json.sizeBytes).to.equal(MAX)
    const before = await traces()
    const response = await app.ida.upload(Buffer.alloc(MAX + 1, 1))
    expect(response.status).to.equal(413)
    expect(response.json).to.deep.equal({
      statusCode: 413,
      message: 'The file is larger than 1 MB',
      error: 'Payload Too Large',
    })
    expect(await traces()).to.deep.equal(before)
  })

  it('the API rejects a far too large body with 413', async () => {
    const response = await app.ida.upload(Buffer.alloc(4 * MAX, 1))
    expect(response.status).to.equal(413)
  })

  it('the API rejects broken multipart bodies', async () => {
    const before = await traces()
    const type = { 'Content-Type': 'multipart/form-data; boundary=xyz' }
    const head = '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
    for (const body of [
      '',
      'nonsense',
      '--xyz',
      head,
      `${head}data`,
      `${head}data\r\n--xyz`,
      '--xyz\r\n\r\n\r\n--xyz--',
    ]) {
      const response = await app.ida.send('/v1/recordings', { method: 'POST', body, headers: type })
      expect(response.status, JSON.stringify(body)).to.equal(400)
      expect(response.json).to.have.keys('statusCode', 'message', 'error')
    }
    const noBoundary = { method: 'POST', body: head, headers: { 'Content-Type': 'multipart/form-data' } }
    expect((await app.ida.send('/v1/recordings', noBoundary)).status).to.equal(400)
    expect(await traces()).to.deep.equal(before)
  })

  it('the API responds 415 to an upload that is no form', async () => {
    expect((await app.ida.post('/v1/recordings', { file: 'x' })).status).to.equal(415)
  })

  it('an aborted upload leaves no file', async () => {
    const before = await traces()
    const abort = new AbortController()
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(
          Buffer.from(
            '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n' + 'y'.repeat(100_000),
          ),
        )
        await waitUntil('the file has begun', async () => (await traces()).files > before.files)
        abort.abort()
      },
    })
    const request = { method: 'POST', body, duplex: 'half', signal: abort.signal } as RequestInit
    const headers = { ...app.ida.headers, 'Content-Type': 'multipart/form-data; boundary=x' }
    await fetch(`${app.url}/v1/recordings`, { ...request, headers }).catch(() => undefined)
    await waitUntil('the file is gone', async () => (await traces()).files === before.files)
    expect(await traces()).to.deep.equal(before)
  })

  it('the API removes folders and control characters from a file name', async () => {
    const { json } = await app.ida.upload('x', {}, '../../etc/Звонок\r\n1.wav')
    expect(json.fileName).to.match(/^Звонок.*1\.wav$/)
  })

  it('the API truncates a long file name without splitting a character', async () => {
    const family = '👨‍👩‍👧‍👦'
    for (const [name, shown] of [
      [`${'x'.repeat(250)}😀.wav`, `${'x'.repeat(250)}.wav`],
      [`${'x'.repeat(249)}😀😀.wav`, `${'x'.repeat(249)}😀.wav`],
      [`${'x'.repeat(245)}${family}.wav`, `${'x'.repeat(245)}.wav`],
      ['говор \ufffd.wav', 'говор \ufffd.wav'],
    ]) {
      expect((await app.ida.upload('sound', {}, name)).json.fileName).to.equal(shown)
    }
  })

  it('the API treats an empty text part of a known field as absent', async () => {
    const { status, json } = await app.ida.upload('x', { phoneNumber: '', priority: '' })
    expect(status).to.equal(201)
    expect(json).to.include({ phoneNumber: null, priority: 0 })
  })

  it('the API rejects an unknown text part even if it is empty', async () => {
    const before = await traces()
    const { status, json } = await app.ida.upload('x', { phoneNumber: '', colour: '' })
    expect([status, json.message]).to.deep.equal([400, ['colour is not a known field']])
    expect(await traces()).to.deep.equal(before)
  })

  it('the API rejects text parts that are not in UTF-8', async () => {
    const before = await traces()
    const submit = (id: number[], type = '') => {
      const head = `--b\r\nContent-Disposition: form-data; name="externalCallId"\r\n${type}\r\n`
      const file = '\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nx\r\n--b--\r\n'
      const body = Buffer.concat([Buffer.from(head), Buffer.from(id), Buffer.from(file)])
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
      return app.ida.send('/v1/recordings', { method: 'POST', headers, body })
    }
    const [one, other] = [
      [0xe7, 0x2d, 0x31],
      [0xe8, 0x2d, 0x31],
    ] as [number[], number[]]
    for (const type of ['', 'Content-Type: text/plain; charset=windows-1251\r\n']) {
      for (const id of [one, other]) {
        const { status, json } = await submit(id, type)
        expect([status, json.message]).to.deep.equal([400, ['externalCallId must be text in UTF-8']])
      }
    }
    expect(await traces()).to.deep.equal(before)
  })

  it('the API decodes a file name in a known charset and rejects others', async () => {
    const submit = (name: string) => {
      const body = `--b\r\nContent-Disposition: form-data; name="file"; filename*=${name}\r\n\r\nx\r\n--b--\r\n`
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
      return app.ida.send('/v1/recordings', { method: 'POST', headers, body })
    }
    const submitted = await submit(`windows-1251''%E7%E2%EE%ED%EE%EA.wav`)
    expect([submitted.status, submitted.json.fileName]).to.deep.equal([201, 'звонок.wav'])
    const before = await traces()
    const { status, json } = await submit(`martian''%E7.wav`)
    expect([status, json.message]).to.deep.equal([400, ['file is required']])
    expect(await traces()).to.deep.equal(before)
  })
})
