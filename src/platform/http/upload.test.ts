import { readdir } from 'node:fs/promises'
import http from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { expect } from 'chai'
import { startTestApp, type TestApp } from '../../test/server.ts'

const MAX_BYTES = 1024 * 1024
const END = '--b--\r\n'
const part = (disposition: string, content: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const text = (name: string, value: string) => part(`name="${name}"`, value)
const file = (content = 'sound', name = 'a.wav') => part(`name="file"; filename="${name}"`, content)

describe('upload requests', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ MAX_UPLOAD_MB: 1, API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  const submit = (body: string) =>
    app.ida.send('/v1/recordings', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    })

  /** Sends a body in chunks, without Content-Length. */
  async function sendInPieces(pieces: string[]): Promise<{ status: number; message: unknown }> {
    const headers = { ...app.ida.headers, 'Content-Type': 'multipart/form-data; boundary=b' }
    const request = http.request(`${app.url}/v1/recordings`, { method: 'POST', headers })
    const response = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', resolve).on('error', reject)
    })
    for (const piece of pieces) request.write(piece)
    request.end()
    const answer = await response
    return { status: answer.statusCode!, message: JSON.parse(await textOf(answer)).message }
  }

  async function countLeftovers() {
    const { rows } = await app.db.query('SELECT count(*)::int AS rows FROM recordings')
    const files = await readdir(app.config.audioDir, { recursive: true, withFileTypes: true })
    return { rows: rows[0].rows, files: files.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).length }
  }

  it('an upload can have fields before and after the file, a preamble and an epilogue', async () => {
    const body = `preamble\r\n${text('managerName', 'Анна')}${file('sound', 'запись.wav')}${text('priority', '5')}${END}more`
    const { status, json } = await submit(body)
    expect(status).to.equal(201)
    expect(json).to.include({ managerName: 'Анна', priority: 5, fileName: 'запись.wav', sizeBytes: 5 })
  })

  it('the API removes browser escapes and Windows folders from a file name', async () => {
    const names = { 'say %22hi%22 50%.wav': 'say "hi" 50%.wav', 'C:\\calls\\1.wav': '1.wav' }
    for (const [sent, shown] of Object.entries(names))
      expect((await submit(file('sound', sent) + END)).json.fileName).to.equal(shown)
  })

  for (const [what, body, message] of [
    ['a repeated number', text('priority', '1').repeat(2) + file(), ['priority must be given only once']],
    ['a repeated text', text('managerName', 'a').repeat(2) + file(), ['managerName must be given only once']],
    ['a repeated empty text', text('managerName', '').repeat(2) + file(), ['managerName must be given only once']],
    ['a field name in brackets', text('priority[a]', '1') + file(), ['priority[a] is not a known field']],
    ['__proto__', text('__proto__', '1') + file(), ['__proto__ is not a known field']],
    ['constructor', text('constructor', '1') + file(), ['constructor is not a known field']],
    ['a second file in another part', file() + part('name="x"; filename="x"', ''), 'file is an unexpected file'],
    ['a file in a text part', part('name="priority"; filename="5"', '5'), 'priority is an unexpected file'],
    ['a file without a name', part('name="file"', 'sound'), ['file must be a file with a file name']],
    ['a file with an empty name', file('sound', ''), ['file must be a file with a file name']],
    ['a part without a name', part('x="y"', 'z') + file(), 'The multipart body is invalid: a part has no name'],
    ['a part without headers', `--b\r\n\r\nx\r\n${file()}`, 'The multipart body is invalid: Malformed part header'],
    ['a text of more than 64 KB', text('managerName', 'x'.repeat(65_537)) + file(), 'managerName is too long'],
    ['more than 30 texts', file() + text('priority', '1').repeat(31), 'The form has too many or too long parts'],
    ['10,000 parts', file() + text('priority', '1').repeat(10_000), 'The form has too many or too long parts'],
  ] as const) {
    it(`an upload with ${what} is rejected and stores nothing`, async () => {
      const before = await countLeftovers()
      const { status, json } = await submit(body + END)
      expect(status).to.equal(400)
      if (typeof message === 'string') expect(String(json.message)).to.contain(message)
      else expect(json.message).to.deep.equal(message)
      expect(await countLeftovers()).to.deep.equal(before)
    })
  }

  it('an upload above the limit gets 413 even without Content-Length, and stores nothing', async () => {
    const head = file('').slice(0, -2)
    const before = await countLeftovers()
    expect((await sendInPieces([head, 'x'.repeat(MAX_BYTES), `\r\n${END}`])).status).to.equal(201)
    for (const more of [1, 5 * MAX_BYTES]) {
      const { status, message } = await sendInPieces([head, 'x'.repeat(MAX_BYTES), 'y'.repeat(more), `\r\n${END}`])
      expect([status, message]).to.deep.equal([413, 'The file is larger than 1 MB'])
    }
    expect(await countLeftovers()).to.deep.equal({ rows: before.rows + 1, files: before.files + 1 })
  })
})
