import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sendRaw } from '../test/raw.ts'
import { times } from '../test/thorough.ts'
import { freePort } from '../embedded/index.ts'
import { CALL, forkRecognizer, Sounds, TestRecognizer, until, words } from './test-support.ts'

/** Coded so that a long call stays below the upload limit. */
const SMALL = ['-c:a', 'libopus', '-b:a', '8k']

/** Folders of jobs that a recognizer has now. */
function jobsOf(pid: number): string[] {
  const root = readdirSync(tmpdir()).find((name) => name.startsWith(`svc-asr-${pid}-`))
  return root ? readdirSync(join(tmpdir(), root)) : []
}

const sounds = new Sounds()
/** A call that keeps a worker busy for a while. */
let long: string

describe('the recognizer', () => {
  let recognizer: TestRecognizer
  before(async () => {
    long = sounds.make('long.ogg', '-stream_loop', '40', '-i', CALL, '-ac', '1', ...SMALL)
    recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1, MAX_UPLOAD_MB: 1 })
  })
  after(() => recognizer.stop())

  describe('answers', () => {
    it('/healthz without a key', async () => {
      const { status, text } = await recognizer.get('/healthz')
      expect([status, JSON.parse(text)]).to.deep.equal([200, { status: 'ok' }])
    })

    it('/readyz without a key: model, version, decoder, precision and queue', async () => {
      expect(await recognizer.readiness()).to.deep.equal({
        status: 'ready',
        model: 'moonshine-tiny-en',
        version: '0.1.16',
        decoder: 'greedy',
        precision: 'int8',
        queue: { running: 0, waiting: 0, places: 1 },
      })
    })

    const refused: [string, number, string, string, object, string?][] = [
      ['a path that is not there', 404, 'noAddress', '/nothing', { method: 'GET' }],
      ['a wrong method', 405, 'wrongMethod;methods=POST', '/transcribe', { method: 'GET' }, 'POST'],
      [
        'a wrong method on /readyz',
        405,
        'wrongMethod;methods=GET%20or%20HEAD',
        '/readyz',
        { method: 'DELETE' },
        'GET, HEAD',
      ],
      ['a missing key', 401, 'unauthorized', '/transcribe', { method: 'POST', body: 'x' }],
      [
        'a wrong key',
        401,
        'unauthorized',
        '/transcribe',
        { method: 'POST', body: 'x', headers: { authorization: 'Bearer no' } },
      ],
    ]
    for (const [what, code, id, path, options, allow] of refused) {
      it(`${code} in the one shape, its id beside it, to ${what}`, async () => {
        const { status, text, headers } = await recognizer.get(path, options)
        const body = JSON.parse(text) as { statusCode: number; message: string; error: string }
        expect(status).to.equal(code)
        expect(body).to.have.all.keys('statusCode', 'message', 'error').and.include({ statusCode: code })
        expect(headers.allow).to.equal(allow)
        expect(headers['x-error-ids']).to.equal(`recognizer.${id}`)
        expect(headers['x-request-id']).to.be.a('string')
      })
    }

    for (const [what, bytes, code] of [
      ['garbage', 'GET NONSENSE\r\n\r\n', 400],
      ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
      ['another coding', 'POST /transcribe HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 501],
    ] as const) {
      it(`${code} in the one shape to ${what}`, async () => {
        const answer = await sendRaw(recognizer.url, bytes)
        expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${code} `))
        const body = JSON.parse(answer.split('\r\n\r\n')[1]!) as object
        expect(body).to.have.all.keys('statusCode', 'message', 'error').and.include({ statusCode: code })
      })
    }

    it('400 to an unknown decoder and an unknown parameter, both named', async () => {
      const { status, text, headers } = await recognizer.transcribe(CALL, { query: '?decoder=best&speed=9' })
      expect(status).to.equal(400)
      expect(JSON.parse(text)).to.deep.equal({
        statusCode: 400,
        message: ['speed: is not known', 'decoder: must be one of greedy, beam_search'],
        error: 'Bad Request',
      })
      expect(headers['x-error-ids']).to.equal(
        'recognizer.unknownParameter;name=speed, recognizer.decoder;values=greedy%2C%20beam_search',
      )
    })

    it('with the request id of the caller', async () => {
      const { headers } = await recognizer.get('/healthz', { headers: { 'x-request-id': 'call-17' } })
      expect(headers['x-request-id']).to.equal('call-17')
    })

    it('413 to a file above MAX_UPLOAD_MB, announced or not, and takes one of just that size', async () => {
      const limit = 1024 * 1024
      expect((await recognizer.transcribe(Buffer.alloc(limit + 1))).status).to.equal(413)
      expect(await chunked(recognizer, limit + 1)).to.equal(413)
      expect((await recognizer.refusal(Buffer.alloc(limit))).code).to.equal('UNSUPPORTED_AUDIO')
      await until(() => jobsOf(recognizer.pid).length === 0)
    })
  })

  it('uses the decoder that the caller asks for, else its own', async () => {
    expect((await recognizer.transcript(CALL)).decoder).to.equal('greedy')
    const { decoder, text, model, language } = await recognizer.transcript(CALL, '?decoder=beam_search')
    expect({ decoder, model, language }).to.deep.equal({
      decoder: 'beam_search',
      model: 'moonshine-tiny-en',
      language: 'en',
    })
    expect(words(text)).to.include('i am waiting for my delivery it was supposed to arrive on monday')
  })

  it('tells progress that grows up to the length of the file, and lets nothing lie about', async () => {
    const file = sounds.make('progress.ogg', '-stream_loop', '5', '-i', CALL, '-ac', '1', ...SMALL)
    const { lines, headers } = await recognizer.transcribe(file)
    expect(headers['content-type']).to.equal('application/x-ndjson')
    const progress = lines.flatMap((line) => (line.type === 'progress' ? [line] : []))
    expect(progress[0]).to.deep.equal({ type: 'progress', processedSeconds: 0, totalSeconds: null, waiting: true })
    const seconds = progress.map(({ processedSeconds }) => processedSeconds)
    expect(seconds).to.deep.equal(seconds.toSorted((a, b) => a - b))
    expect(progress.at(-1)!.totalSeconds).to.be.closeTo(105, 0.1)
    expect(lines.at(-1)!.type).to.equal('result')
    await until(() => jobsOf(recognizer.pid).length === 0)
  })

  it('works on ASR_MAX_CONCURRENCY files at once; the rest wait in order, told so, while /readyz answers at once', async () => {
    const abort = new AbortController()
    const running = recognizer.transcribe(long, { signal: abort.signal }).catch(() => 'aborted')
    await until(async () => (await recognizer.readiness()).queue.running === 1)
    const order: string[] = []
    const waiting: Promise<unknown>[] = []
    let told = 0
    for (const [index, name] of ['first', 'second'].entries()) {
      const answer = recognizer.transcribe(CALL, {}, (line) => {
        if (line.type === 'progress' && line.waiting) told++
        if (line.type === 'result') order.push(name)
      })
      waiting.push(answer)
      await until(async () => (await recognizer.readiness()).queue.waiting === index + 1)
    }
    for (let i = 0; i < 50; i++) {
      expect((await recognizer.readiness()).queue).to.deep.equal({ running: 1, waiting: 2, places: 1 })
    }
    // Each waiting caller hears something at least every two seconds.
    await until(() => told >= 4)
    expect(order).to.deep.equal([])
    abort.abort()
    expect(await running).to.equal('aborted')
    await Promise.all(waiting)
    expect(order).to.deep.equal(['first', 'second'])
  })

  it('lets go of a file whose caller hangs up: its program, its place and its copy', async () => {
    const abort = new AbortController()
    const running = recognizer.transcribe(long, { signal: abort.signal }).catch(() => 'aborted')
    await until(async () => (await recognizer.readiness()).queue.running === 1 && recognizer.programs().length > 0)
    const hungUp = performance.now()
    abort.abort()
    await until(async () => (await recognizer.readiness()).queue.running === 0)
    await until(() => recognizer.programs().length === 0 && jobsOf(recognizer.pid).length === 0)
    // To recognise it to its end would take far longer.
    expect(performance.now() - hungUp).to.be.lessThan(20_000)
    expect(await running).to.equal('aborted')
  })

  it('lets go of a waiting file whose caller hangs up', async () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const running = recognizer.transcribe(long, { signal: first.signal }).catch(() => 'aborted')
    await until(async () => (await recognizer.readiness()).queue.running === 1)
    const waiting = recognizer.transcribe(CALL, { signal: second.signal }).catch(() => 'aborted')
    await until(async () => (await recognizer.readiness()).queue.waiting === 1)
    second.abort()
    await until(async () => (await recognizer.readiness()).queue.waiting === 0)
    first.abort()
    expect(await Promise.all([running, waiting])).to.deep.equal(['aborted', 'aborted'])
  })

  it('forgets an upload that breaks off', async () => {
    const request = httpRequest(`${recognizer.url}/transcribe`, {
      method: 'POST',
      headers: { authorization: 'Bearer a key of the tests', 'content-length': 500_000 },
    })
    request.on('error', () => undefined)
    request.write(Buffer.alloc(1000))
    await until(() => jobsOf(recognizer.pid).length === 1)
    request.destroy()
    await until(() => jobsOf(recognizer.pid).length === 0)
  })
})

describe('the recognizer process', () => {
  after(() => sounds.remove())

  it('stops on SIGTERM with a running file handed back, and leaves nothing', async () => {
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1 })
    const running = recognizer.transcribe(long)
    await until(() => recognizer.programs().length > 0)
    const [code] = await Promise.all([recognizer.stop(), running.catch(() => undefined)])
    expect(code).to.equal(0)
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-asr-${recognizer.pid}-`))).to.deep.equal([])
  })

  it('stops with exit code 0 in the middle of recognition, many times over, and leaves no sound behind', async () => {
    for (let round = 0; round < times(2, 8); round++) {
      const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 2 })
      let progress = 0
      const running = Array.from({ length: 2 }, () =>
        recognizer
          .transcribe(long, {}, (line) => void (line.type === 'progress' && line.processedSeconds > 0 && progress++))
          .catch(() => undefined),
      )
      await until(() => progress > round)
      const [code] = await Promise.all([recognizer.stop(), ...running])
      expect(code, `round ${round}`).to.equal(0)
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`svc-asr-${recognizer.pid}-`))).to.deep.equal([])
    }
  })

  it('removes what a crashed predecessor left, and not what another one uses', async () => {
    const ended = spawn('true')
    await once(ended, 'exit')
    const left = join(tmpdir(), `svc-asr-${ended.pid}-left`)
    const used = join(tmpdir(), `svc-asr-${process.pid}-used`)
    const before = join(tmpdir(), `svc-asr-${process.pid}-1-before`) // of a process that had our id once
    for (const folder of [left, used, before]) mkdirSync(join(folder, '1'), { recursive: true })
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1 })
    await recognizer.stop()
    expect([existsSync(left), existsSync(used), existsSync(before)]).to.deep.equal([false, true, false])
    rmSync(used, { recursive: true })
  })

  it('serves metrics of its own, also of the files it has, on the port of metrics alone', async () => {
    const metricsPort = await freePort()
    const recognizer = await TestRecognizer.start({ ASR_MAX_CONCURRENCY: 1, metricsPort })
    try {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      expect(text)
        .to.match(/^svc_recognizer_files\{state="running"\} 0$/m)
        .and.match(/^svc_recognizer_files\{state="waiting"\} 0$/m)
        .and.match(/^process_resident_memory_bytes \d+$/m)
      expect((await recognizer.get('/metrics')).status).to.equal(404)
    } finally {
      await recognizer.stop()
    }
  })

  it('says which models there are when ASR_MODEL asks for one that is not', async () => {
    const { ended } = forkRecognizer({ ASR_MODEL: 'no-such-model' as 't-one' })
    const { code, output } = await ended
    expect(code).to.equal(1)
    expect(output).to.include('ASR_MODEL: ').and.include('moonshine-base-en').and.include('moonshine-tiny-en')
  })

  it('recognises the sample call word for word with the base model', async () => {
    const recognizer = await TestRecognizer.start({ ASR_MODEL: 'moonshine-base-en', ASR_MAX_CONCURRENCY: 1 })
    try {
      for (const decoder of ['greedy', 'beam_search']) {
        const { text } = await recognizer.transcript(CALL, `?decoder=${decoder}`)
        expect(words(text)).to.equal(
          'good morning how can i help you today hello i am waiting for my delivery it was supposed to arrive on monday ' +
            'i am sorry about that your parcel will be there on friday at noon great thank you very much for your help',
        )
      }
    } finally {
      await recognizer.stop()
    }
  })
})

/** The status of an upload of so many bytes that does not announce its length. */
async function chunked(recognizer: TestRecognizer, size: number): Promise<number | undefined> {
  const request = httpRequest(`${recognizer.url}/transcribe`, {
    method: 'POST',
    headers: { authorization: 'Bearer a key of the tests' },
  })
  request.write(readFileSync(CALL))
  request.end(Buffer.alloc(size - readFileSync(CALL).length))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
