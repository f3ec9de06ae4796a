import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseConfig } from '../platform/config/config.ts'
import { createLogger } from '../platform/lib/log.ts'
import { sendRawRequest } from '../test/raw-request.ts'
import type { RecognitionResult } from './contract.ts'
import { RecognizerJobFolders } from './job-folders.ts'
import type { RecognizerWorkerPool } from './worker-pool.ts'
import { createRecognizerServer } from './server.ts'
import {
  SAMPLE_CALL_PATH,
  TEST_ASR_API_KEY,
  encodeLongSampleCall,
  encodeRepeatedSampleCall,
  TestAudioFolder,
  TestRecognizer,
  normalizeTranscriptText,
} from '../test/test-recognizer.ts'
import { waitUntil } from '../test/wait.ts'

/** Lists the job folders that a recognizer currently has. */
function listJobFolders(pid: number): string[] {
  const root = readdirSync(tmpdir()).find((name) => name.startsWith(`svc-asr-${pid}-`))
  return root ? readdirSync(join(tmpdir(), root)) : []
}

describe('recognizer server', () => {
  const sounds = new TestAudioFolder()
  let recognizer: TestRecognizer
  let long: string
  before(async () => {
    long = encodeLongSampleCall(sounds)
    recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1, MAX_UPLOAD_MB: 1 })
  })
  after(async () => {
    await recognizer.stop()
    sounds.remove()
  })

  describe('responses', () => {
    it('/healthz responds without a key', async () => {
      const { status, text } = await recognizer.get('/healthz')
      expect([status, JSON.parse(text)]).to.deep.equal([200, { status: 'ok' }])
    })

    it('/readyz returns model, version, decoder, precision and queue without a key', async () => {
      expect(await recognizer.fetchReadiness()).to.deep.equal({
        status: 'ready',
        model: 'moonshine-tiny-en',
        version: '0.1.16',
        decoder: 'greedy',
        precision: 'int8',
        queue: { running: 0, waiting: 0, places: 1 },
      })
    })

    const refused: [string, number, string, object, string?][] = [
      ['an unknown path', 404, '/nothing', { method: 'GET' }],
      ['a wrong method', 405, '/transcribe', { method: 'GET' }, 'POST'],
      ['a wrong method on /readyz', 405, '/readyz', { method: 'DELETE' }, 'GET, HEAD'],
      ['a missing key', 401, '/transcribe', { method: 'POST', body: 'x' }],
      ['a wrong key', 401, '/transcribe', { method: 'POST', body: 'x', headers: { authorization: 'Bearer no' } }],
    ]
    for (const [what, code, path, options, allow] of refused) {
      it(`the recognizer rejects ${what} with ${code} and a JSON error`, async () => {
        const { status, text, headers } = await recognizer.get(path, options)
        const body = JSON.parse(text) as { statusCode: number; message: string; error: string }
        expect(status).to.equal(code)
        expect(body).to.have.all.keys('statusCode', 'message', 'error').and.include({ statusCode: code })
        expect(headers.allow).to.equal(allow)
        expect(headers['x-request-id']).to.be.a('string')
      })
    }

    for (const [what, bytes, code] of [
      ['invalid HTTP', 'GET NONSENSE\r\n\r\n', 400],
      ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      [
        'an unsupported transfer coding',
        'POST /transcribe HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
        501,
      ],
    ] as const) {
      it(`the recognizer rejects ${what} with ${code} and a JSON error`, async () => {
        const answer = await sendRawRequest(recognizer.url, bytes)
        expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${code} `))
        const body = JSON.parse(answer.split('\r\n\r\n')[1]!) as object
        expect(body).to.have.all.keys('statusCode', 'message', 'error').and.include({ statusCode: code })
      })
    }

    it('a 400 response names both an unknown decoder and an unknown parameter', async () => {
      const { status, text } = await recognizer.transcribe(SAMPLE_CALL_PATH, { query: '?decoder=best&speed=9' })
      expect(status).to.equal(400)
      expect(JSON.parse(text)).to.deep.equal({
        statusCode: 400,
        message: ['speed: unknown parameter', 'decoder: must be one of greedy, beam_search'],
        error: 'Bad Request',
      })
    })

    it('the response has the request id of the caller', async () => {
      const { headers } = await recognizer.get('/healthz', { headers: { 'x-request-id': 'call-17' } })
      expect(headers['x-request-id']).to.equal('call-17')
    })

    it('POST /playable rejects a file above MAX_UPLOAD_MB with 413, even without Content-Length', async () => {
      const limit = 1024 * 1024
      const told = {
        method: 'POST',
        body: Buffer.alloc(limit + 1),
        headers: { authorization: `Bearer ${TEST_ASR_API_KEY}` },
      } as const
      expect((await recognizer.get('/playable', told)).status).to.equal(413)
      expect(await sendChunked(recognizer, limit + 1, '/playable')).to.equal(413)
    })

    it('POST /transcribe accepts MAX_UPLOAD_MB and rejects more with 413, even without Content-Length', async () => {
      const limit = 1024 * 1024
      expect((await recognizer.transcribe(Buffer.alloc(limit + 1))).status).to.equal(413)
      expect(await sendChunked(recognizer, limit + 1)).to.equal(413)
      expect((await recognizer.transcribeError(Buffer.alloc(limit))).code).to.equal('UNSUPPORTED_AUDIO')
      await waitUntil('no job folder remains', () => listJobFolders(recognizer.pid).length === 0)
    })
  })

  it('the recognizer uses the requested decoder, otherwise the configured one', async () => {
    expect((await recognizer.transcript(SAMPLE_CALL_PATH)).decoder).to.equal('greedy')
    const { decoder, text, model, language } = await recognizer.transcript(SAMPLE_CALL_PATH, '?decoder=beam_search')
    expect({ decoder, model, language }).to.deep.equal({
      decoder: 'beam_search',
      model: 'moonshine-tiny-en',
      language: 'en',
    })
    expect(normalizeTranscriptText(text)).to.include('i am waiting for my delivery it was supposed to arrive on monday')
  })

  it('the recognizer reports increasing progress and deletes the file afterwards', async () => {
    const file = encodeRepeatedSampleCall(sounds, 6)
    const { lines, headers } = await recognizer.transcribe(file)
    expect(headers['content-type']).to.equal('application/x-ndjson')
    const progress = lines.flatMap((line) => (line.type === 'progress' ? [line] : []))
    expect(progress[0]).to.deep.equal({ type: 'progress', processedSeconds: 0, totalSeconds: null, waiting: true })
    const seconds = progress.map(({ processedSeconds }) => processedSeconds)
    expect(seconds).to.deep.equal(seconds.toSorted((a, b) => a - b))
    // The length is known only after the file is decoded. On a fast machine, the result can come first.
    expect(progress.at(-1)!.totalSeconds ?? 105).to.be.closeTo(105, 0.1)
    expect(lines.at(-1)).to.include({ type: 'result' }).and.have.property('durationSeconds').closeTo(105, 0.1)
    await waitUntil('no job folder remains', () => listJobFolders(recognizer.pid).length === 0)
  })

  it('files above ASR_MAX_CONCURRENCY wait in order while /readyz still responds', async () => {
    const abort = new AbortController()
    const running = recognizer.transcribe(long, { signal: abort.signal }).catch(() => 'aborted')
    await waitUntil('one file runs', async () => (await recognizer.fetchReadiness()).queue.running === 1)
    const order: string[] = []
    const waiting: Promise<unknown>[] = []
    let told = 0
    for (const [index, name] of ['first', 'second'].entries()) {
      const answer = recognizer.transcribe(SAMPLE_CALL_PATH, {}, (line) => {
        if (line.type === 'progress' && line.waiting) told++
        if (line.type === 'result') order.push(name)
      })
      waiting.push(answer)
      await waitUntil('the file waits', async () => (await recognizer.fetchReadiness()).queue.waiting === index + 1)
    }
    for (let i = 0; i < 50; i++) {
      expect((await recognizer.fetchReadiness()).queue).to.deep.equal({ running: 1, waiting: 2, places: 1 })
    }
    // Each waiting caller gets at least one line every two seconds.
    await waitUntil('callers get four lines', () => told >= 4)
    expect(order).to.deep.equal([])
    abort.abort()
    expect(await running).to.equal('aborted')
    await Promise.all(waiting)
    expect(order).to.deep.equal(['first', 'second'])
  })

  it('if the caller disconnects, the recognizer frees the program, slot and copy of the file', async () => {
    const abort = new AbortController()
    const running = recognizer.transcribe(long, { signal: abort.signal }).catch(() => 'aborted')
    await waitUntil(
      'the file runs',
      async () => (await recognizer.fetchReadiness()).queue.running === 1 && recognizer.childPids().length > 0,
    )
    const hungUp = performance.now()
    abort.abort()
    await waitUntil('no file runs', async () => (await recognizer.fetchReadiness()).queue.running === 0)
    await waitUntil(
      'no job folder remains',
      () => recognizer.childPids().length === 0 && listJobFolders(recognizer.pid).length === 0,
    )
    // Recognizing the whole file would take far longer.
    expect(performance.now() - hungUp).to.be.lessThan(20_000)
    expect(await running).to.equal('aborted')
  })

  it('if the caller disconnects, the recognizer drops the waiting file', async () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const running = recognizer.transcribe(long, { signal: first.signal }).catch(() => 'aborted')
    await waitUntil('one file runs', async () => (await recognizer.fetchReadiness()).queue.running === 1)
    const waiting = recognizer.transcribe(SAMPLE_CALL_PATH, { signal: second.signal }).catch(() => 'aborted')
    await waitUntil('one file waits', async () => (await recognizer.fetchReadiness()).queue.waiting === 1)
    second.abort()
    await waitUntil('no file waits', async () => (await recognizer.fetchReadiness()).queue.waiting === 0)
    first.abort()
    expect(await Promise.all([running, waiting])).to.deep.equal(['aborted', 'aborted'])
  })

  it('the recognizer deletes an interrupted upload', async () => {
    const request = httpRequest(`${recognizer.url}/transcribe`, {
      method: 'POST',
      headers: { authorization: 'Bearer a key of the tests', 'content-length': 500_000 },
    })
    request.on('error', () => undefined)
    request.write(Buffer.alloc(1000))
    await waitUntil('a job folder exists', () => listJobFolders(recognizer.pid).length === 1)
    request.destroy()
    await waitUntil('no job folder remains', () => listJobFolders(recognizer.pid).length === 0)
  })
})

describe('recognizer without a language model', () => {
  it('the log warns about beam_search without a language model, but not about greedy', async () => {
    const warnings: string[] = []
    const log = createLogger('silent', 'asr')
    log.child = () => log as never
    log.warn = (text: string) => void warnings.push(text)
    const jobs = await RecognizerJobFolders.open(log)
    const config = parseConfig('asr', { ASR_API_KEY: TEST_ASR_API_KEY })
    const info = { model: 'm', version: '1', precision: 'int8', language: 'ru', timing: 'exact' } as const
    const pool = { run: async () => ({ durationSeconds: 1 }) as RecognitionResult } as unknown as RecognizerWorkerPool
    const server = createRecognizerServer({ config, info, lacksLanguageModel: () => true, pool, jobs, log })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const ask = async (decoder: string) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/transcribe?decoder=${decoder}`
      const answer = await fetch(url, {
        method: 'POST',
        body: 'x',
        headers: { authorization: `Bearer ${TEST_ASR_API_KEY}` },
      })
      expect(await answer.text()).to.include('"type":"result"')
      return warnings.splice(0)
    }
    try {
      expect(await ask('greedy')).to.deep.equal([])
      const told = await ask('beam_search')
      expect(told).to.have.length(1)
      expect(told[0]).to.include('went by the sound alone')
    } finally {
      server.closeAllConnections()
      server.close()
      await jobs.close()
    }
  })
})

/** Uploads some bytes without Content-Length and returns the status. */
async function sendChunked(
  recognizer: TestRecognizer,
  size: number,
  path = '/transcribe',
): Promise<number | undefined> {
  const request = httpRequest(`${recognizer.url}${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer a key of the tests' },
  })
  request.write(readFileSync(SAMPLE_CALL_PATH))
  request.end(Buffer.alloc(size - readFileSync(SAMPLE_CALL_PATH).length))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
