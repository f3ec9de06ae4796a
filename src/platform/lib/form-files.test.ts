import type http from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import {
  MULTIPART_FORM_END,
  formatMultipartFilePart,
  TestFormServer,
  TEST_FORM_LIMITS,
  formatMultipartTextPart,
  COMPLETE_MULTIPART_FORM,
  type TestMultipartForm,
} from '../../test/forms.ts'
import { waitUntil } from '../../test/wait.ts'
import { parseMultipartForm, type MultipartFormFile } from './form-parser.ts'

describe('files of multipart forms', () => {
  const server = new TestFormServer()
  const read = (given: TestMultipartForm) => server.submitForm(given)
  before(() => server.start())
  after(() => server.stop())

  it('the parser passes on the next file only after the current one is handled', async () => {
    const steps: string[] = []
    const takeFile = async ({ name, content }: MultipartFormFile) => {
      steps.push(`begin ${name}`)
      await new Promise((resolve) => setImmediate(resolve))
      steps.push(`end ${(await buffer(content)).toString()}`)
    }
    await read({
      body: formatMultipartFilePart('1', 'one') + formatMultipartFilePart('2', 'two') + MULTIPART_FORM_END,
      takeFile,
    })
    expect(steps).to.deep.equal(['begin 1', 'end one', 'begin 2', 'end two'])
  })

  it('the parser discards the unread rest of a file and continues', async () => {
    const names: string[] = []
    const takeFile = async ({ name }: MultipartFormFile) => void names.push(name)
    const outcome = await read({
      body:
        formatMultipartFilePart('1', 'x'.repeat(90_000)) +
        formatMultipartFilePart('2', 'y') +
        formatMultipartTextPart('a', 'b') +
        MULTIPART_FORM_END,
      takeFile,
    })
    expect([names, outcome.parts, outcome.error]).to.deep.equal([['1', '2'], [['a', 'b']], undefined])
  })

  it('the parser throws the error of the file handler and passes on no more files', async () => {
    const full = new Error('The disk is full')
    for (const size of [10, 90_000]) {
      const names: string[] = []
      const takeFile = async ({ name, content }: MultipartFormFile) => {
        names.push(name)
        for await (const chunk of content) if (chunk) throw full
      }
      const body =
        formatMultipartFilePart('1', 'x'.repeat(size)) +
        formatMultipartTextPart('a', 'b') +
        formatMultipartFilePart('2', 'y') +
        MULTIPART_FORM_END
      expect([await read({ body, takeFile }), names]).to.deep.equal([{ parts: [], error: full }, ['1']])
    }
  })

  it('the parser throws the last error of a handler that also destroyed the file', async () => {
    const full = new Error('The disk is full')
    const takeFile = async ({ content }: MultipartFormFile, request: http.IncomingMessage) => {
      content.destroy(new Error('The file cannot be written'))
      await waitUntil('the rest has come', () => request.readableEnded)
      throw full
    }
    const { error } = await read({
      body: formatMultipartFilePart('1', 'x'.repeat(90_000)) + MULTIPART_FORM_END,
      takeFile,
    })
    expect(error).to.equal(full)
  })

  it('the parser reads the whole form even if a part is invalid', async () => {
    const names: string[] = []
    const takeFile = async ({ name }: MultipartFormFile, request: http.IncomingMessage) => {
      names.push(name)
      await waitUntil('the rest has come', () => request.readableEnded)
    }
    const body =
      formatMultipartFilePart('1', 'x') +
      formatMultipartTextPart('a', 'x'.repeat(90_000)) +
      formatMultipartFilePart('2', 'y') +
      MULTIPART_FORM_END
    const { error } = await read({ body, takeFile })
    expect([error, names]).to.deep.equal(['parts: a text is too long', ['1']])
  })

  it('the parser does not pass on an incomplete file behind another', async () => {
    const names: string[] = []
    const takeFile = async ({ name }: MultipartFormFile, request: http.IncomingMessage) => {
      names.push(name)
      await waitUntil('the rest has come', () => request.readableEnded)
    }
    const { error } = await read({
      body: `${formatMultipartFilePart('1', 'x')}${formatMultipartFilePart('2', 'y')}`,
      takeFile,
    })
    expect([error, names]).to.deep.equal(['broken: Unexpected end of form', ['1']])
  })

  it('no handler keeps running after the sender disconnects at any point', async () => {
    for (let sent = 0; sent < COMPLETE_MULTIPART_FORM.length; sent += 3) {
      let taking = 0
      let arrived = 0
      let reading: Promise<unknown> | undefined
      const takeFile = async ({ content }: MultipartFormFile) => {
        taking++
        await buffer(content).finally(() => taking--)
      }
      server.serve = async (req, res) => {
        req.on('data', (chunk: Buffer) => (arrived += chunk.length))
        reading = parseMultipartForm({ req, res }, TEST_FORM_LIMITS, takeFile)
        await reading.catch(() => undefined)
      }
      const request = server.openRequest().on('error', () => undefined)
      if (sent > 0) request.write(COMPLETE_MULTIPART_FORM.subarray(0, sent))
      else request.flushHeaders()
      await waitUntil('it has arrived', () => reading && arrived === sent)
      request.destroy()
      const error = await reading!.catch((error: unknown) => error)
      expect((error as Error)?.message, `after ${sent} bytes`).to.equal('Request aborted')
      expect(taking).to.equal(0)
    }
  })

  it('a request without a boundary fails without a crash when the sender disconnects', async () => {
    let arrived = 0
    let reading: Promise<unknown> | undefined
    server.serve = async (req, res) => {
      req.on('data', (chunk: Buffer) => (arrived += chunk.length))
      reading = parseMultipartForm({ req, res }, TEST_FORM_LIMITS, async () => undefined)
      await reading.catch(() => undefined)
    }
    const request = server.openRequest('text/plain').on('error', () => undefined)
    request.write(COMPLETE_MULTIPART_FORM)
    await waitUntil('it has arrived', () => arrived === COMPLETE_MULTIPART_FORM.length)
    request.destroy()
    const error = await reading!.catch((error: unknown) => error)
    expect((error as Error).message).to.equal('Multipart: Boundary not found')
  })

  it('the parser fails at once if the sender has disconnected before', async () => {
    let error: unknown
    let isCalled = false
    server.serve = async (req, res) => {
      isCalled = true
      await waitUntil('it is gone', () => req.destroyed)
      error = await parseMultipartForm({ req, res }, TEST_FORM_LIMITS, async () => undefined).catch(
        (error: unknown) => error,
      )
    }
    const request = server.openRequest().on('error', () => undefined)
    request.write(COMPLETE_MULTIPART_FORM)
    await waitUntil('it is called', () => isCalled)
    request.destroy()
    await waitUntil('it is read', () => error)
    expect((error as Error).message).to.equal('Request aborted')
  })
})
