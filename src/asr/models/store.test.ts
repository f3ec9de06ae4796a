import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { createLog } from '../../lib/log.ts'
import { repeatableRandom } from '../fixtures/fixtures.ts'
import { HubError, redirectTarget } from './hub.ts'
import { PATIENCE } from './patience.ts'
import { fetchMissing, type ModelFile } from './store.ts'
import { cutAfter, redirect, serve, sha256, status, TestHub } from './test-hub.ts'

const random = repeatableRandom(7)
const CONTENT = Buffer.from(Uint8Array.from({ length: 200_000 }, () => random() * 256))
const OTHER = Buffer.from(CONTENT.map((byte) => byte ^ 255))
const HASH = sha256(CONTENT)

const quick = { ...PATIENCE, attempts: 3, firstPauseMs: 1, lockMs: 5 }
const silent = createLog('silent', 'test')

const file = (name: string, more: Partial<ModelFile> = {}): ModelFile => ({
  name,
  roughSize: 1000,
  check: () => Promise.resolve(),
  ...more,
})

describe('the model store', () => {
  let hub: TestHub
  let modelsDir: string
  beforeEach(async () => {
    hub = await TestHub.start({ 'model.onnx': CONTENT, 'kenlm.bin': OTHER })
    modelsDir = mkdtempSync(join(tmpdir(), 'models-'))
  })
  afterEach(async () => {
    await hub.stop()
    rmSync(modelsDir, { recursive: true })
  })

  const at = (name: string) => join(modelsDir, name)
  const fetch = (files = [file('model.onnx')], log = silent, patience = quick) =>
    fetchMissing({ ASR_MODEL_HUB_URL: hub.url, modelsDir }, files, log, patience)
  const failure = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'no error',
      (error: Error) => error.message,
    )
  const cut = (bytes: number, etag?: string) => cutAfter(bytes, at('model.onnx.part'), etag)
  const expectContent = () => {
    expect(readdirSync(modelsDir)).to.deep.equal(['model.onnx'])
    expect(readFileSync(at('model.onnx')).equals(CONTENT)).to.equal(true)
  }

  it('fetches what is missing, and nothing at the next start', async () => {
    modelsDir = join(modelsDir, 'made')
    await fetch([file('model.onnx'), file('kenlm.bin')])
    expect(readdirSync(modelsDir).sort((a, b) => a.localeCompare(b))).to.deep.equal(['kenlm.bin', 'model.onnx'])
    expect(readFileSync(at('kenlm.bin')).equals(OTHER)).to.equal(true)
    const before = hub.seen.length
    await fetch([file('model.onnx'), file('kenlm.bin')])
    expect(hub.seen.length).to.equal(before)
  })

  it('fetches only the language model once the decoder is switched', async () => {
    await fetch()
    hub.seen.length = 0
    await fetch([file('model.onnx'), file('kenlm.bin')])
    expect(new Set(hub.seen.map(({ file }) => file))).to.deep.equal(new Set(['kenlm.bin']))
  })

  it('takes files that were put there by hand as they are, even where it cannot write', async () => {
    writeFileSync(at('model.onnx'), 'by hand')
    await fetchMissing({ ASR_MODEL_HUB_URL: 'http://127.0.0.1:1', modelsDir }, [file('model.onnx')], silent, quick)
    expect(readdirSync(modelsDir)).to.deep.equal(['model.onnx'])
  })

  describe('goes on after a break', () => {
    it('of the connection, with the rest, as often as it brings something', async () => {
      hub.next.push(cut(50_000), cut(100_000), cut(150_000))
      await fetch(undefined, silent, { ...quick, attempts: 2 })
      expect(hub.ranges).to.deep.equal([undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-'])
      expectContent()
    })

    it('of the process: the next start asks for the rest', async () => {
      hub.next.push(cut(70_000), status(500), status(500))
      expect(await failure(fetch()))
        .to.include('answered 500')
        .and.include('Gave up after 3 attempts')
      expect(readFileSync(at('model.onnx.part')).equals(CONTENT.subarray(0, 70_000))).to.equal(true)
      await fetch()
      expect(hub.ranges.at(-1)).to.equal('bytes=70000-')
      expectContent()
    })

    it('just before the end: nothing is asked for again', async () => {
      writeFileSync(at('model.onnx.part'), CONTENT)
      writeFileSync(at('model.onnx.part.json'), JSON.stringify({ sha256: HASH, size: CONTENT.length }))
      await fetch()
      expect(hub.ranges).to.deep.equal([])
      expectContent()
    })

    it('with If-Range where the hub gives no checksum', async () => {
      hub.etag = '"one"'
      hub.next.push(cut(30_000, '"one"'))
      await fetch()
      expect(hub.seen.at(-1)).to.include({ range: 'bytes=30000-', ifRange: '"one"' })
      expectContent()
    })

    it('from the beginning where the hub tells nothing to know the content by', async () => {
      hub.etag = 'W/"weak"'
      hub.next.push(cut(30_000))
      await fetch()
      expect(hub.ranges).to.deep.equal([undefined, undefined])
      expectContent()
    })

    it('from the beginning where the server ignores ranges', async () => {
      hub.next.push(cut(90_000), (response, content, request) => {
        delete request.headers.range
        serve(response, content, request)
      })
      await fetch()
      expect(hub.ranges).to.deep.equal([undefined, 'bytes=90000-'])
      expectContent()
    })

    it('but gives up on a server that ignores ranges and always breaks at the same place', async () => {
      hub.next.push(...Array.from({ length: 9 }, () => cut(90_000)))
      expect(await failure(fetch())).to.include('Gave up after 3 attempts')
      expect(hub.ranges.length).to.equal(3)
    })

    for (const [what, first, second] of [
      ['checksum', undefined, undefined],
      ['ETag', '"old"', '"new"'],
    ] as const) {
      it(`from the beginning where the content has another ${what} by now`, async () => {
        hub.files['model.onnx'] = OTHER
        hub.etag = first
        hub.next.push(cut(60_000, first), status(500), status(500))
        await failure(fetch())
        hub.files['model.onnx'] = CONTENT
        hub.etag = second
        await fetch()
        expectContent()
      })
    }

    it('from the beginning where the part has more bytes than the file', async () => {
      hub.next.push(cut(60_000), status(500), status(500))
      await failure(fetch())
      truncateSync(at('model.onnx.part'), CONTENT.length + 1)
      await fetch()
      expectContent()
    })

    it('of a connection that is open and brings nothing', async () => {
      hub.next.push((response, content) => {
        response.writeHead(200, { 'Content-Length': content.length })
        response.write(content.subarray(0, 40_000))
      })
      await fetch(undefined, silent, { ...quick, stallMs: 200 })
      expect(hub.ranges).to.deep.equal([undefined, 'bytes=40000-'])
      expectContent()
    })
  })

  describe('checks what comes', () => {
    it('and fetches a file with a wrong checksum once more', async () => {
      hub.next.push((response) => void response.end(OTHER))
      await fetch()
      expectContent()
    })

    it('and refuses it when it is wrong again, leaving nothing', async () => {
      hub.next.push(...[1, 2].map(() => (response: ServerResponse) => void response.end(OTHER)))
      const message = await failure(fetch())
      expect(message)
        .to.include(`SHA-256 is ${sha256(OTHER)}; it should be ${HASH}`)
        .and.include('twice')
      expect(readdirSync(modelsDir)).to.deep.equal([])
    })

    it('and refuses more bytes than the hub announced', async () => {
      const long = (response: ServerResponse) => void response.end(Buffer.concat([CONTENT, CONTENT]))
      hub.next.push(long, long)
      expect(await failure(fetch())).to.include('has 400000 bytes; it should have 200000')
      expect(readdirSync(modelsDir)).to.deep.equal([])
    })

    it('and takes an end before the announced size for a break', async () => {
      hub.next.push((response, content) => void response.end(content.subarray(0, 80_000)))
      await fetch()
      expect(hub.ranges).to.deep.equal([undefined, 'bytes=80000-'])
      expectContent()
    })

    it('and does not put a file of the wrong kind into its place', async () => {
      const check = () => Promise.reject(new Error('not a model'))
      expect(await failure(fetch([file('model.onnx', { check })]))).to.equal('not a model')
      expect(readdirSync(modelsDir)).to.deep.equal([])
    })
  })

  describe('understands refusals', () => {
    for (const [code, reason] of [
      [401, 'asks for a login'],
      [403, 'forbids'],
      [404, 'no such file'],
      [410, 'does not give'],
    ] as const) {
      it(`${code} is final, named with host and file`, async () => {
        hub.always = status(code)
        const message = await failure(fetch())
        expect(message).to.include(`127.0.0.1:${new URL(hub.url).port} answered ${code} to the request for model.onnx`)
        expect(message).to.include(reason).and.include('ASR_MODEL_HUB_URL')
        expect(hub.seen.length).to.be.lessThan(3)
      })
    }

    for (const code of [500, 502, 503, 408, 429]) {
      it(`${code} may pass, for HEAD as for GET`, async () => {
        const heads = [status(code), undefined]
        hub.always = (response, content, request) => {
          const behaviour = request.method === 'HEAD' ? heads.shift() : undefined
          if (behaviour) return behaviour(response, content, request)
          hub.always = undefined
          serve(response, content, request, `"${HASH}"`)
        }
        hub.next.push(status(code))
        await fetch()
        expectContent()
      })
    }

    it('a hub that does not know HEAD is asked with GET', async () => {
      hub.always = (response, content, request) =>
        request.method === 'HEAD' ? status(405)(response, content, request) : serve(response, content, request)
      await fetch()
      expectContent()
    })

    it('waits as long as Retry-After says, within bounds', async () => {
      const waits: number[] = []
      const log = pino({}, { write: (line) => void waits.push(Number(/again in (\d+) s/.exec(line)?.[1] ?? -1)) })
      const soon = new Date(Date.now() + 1500).toUTCString()
      hub.next.push(status(429, { 'Retry-After': '1' }), status(503, { 'Retry-After': soon }), status(429))
      const began = performance.now()
      await fetch(undefined, log, { ...quick, attempts: 9 })
      expect(performance.now() - began).to.be.greaterThan(1000)
      expect(waits.filter((seconds) => seconds >= 0)[0]).to.equal(1)
      hub.next.push(status(429, { 'Retry-After': '3600' }))
      rmSync(at('model.onnx'))
      await fetch(undefined, log, { ...quick, longestPauseMs: 10 })
      expectContent()
    })

    it('a hub that cannot be reached', async () => {
      const nowhere = { ASR_MODEL_HUB_URL: 'http://127.0.0.1:1', modelsDir }
      const message = await failure(fetchMissing(nowhere, [file('model.onnx')], silent, quick))
      expect(message).to.include('127.0.0.1:1 for model.onnx failed').and.include('ECONNREFUSED')
    })
  })

  describe('follows redirects', () => {
    let store: TestHub
    beforeEach(async () => {
      store = await TestHub.start({ blob: CONTENT })
      // The content store of the public hub gives no checksum of its own and dislikes HEAD.
      store.etag = `"${'0'.repeat(64)}"`
    })
    afterEach(() => store.stop())

    it('to another host, with size and checksum from the first, and goes on there after a break', async () => {
      hub.always = redirect(`${store.url}/blob`, { size: CONTENT.length, sha256: HASH })
      store.next.push(cut(10_000, '"a"'))
      await fetch()
      expect(store.seen.map(({ method, range, ifRange }) => [method, range, ifRange])).to.deep.equal([
        ['GET', undefined, undefined],
        ['GET', 'bytes=10000-', undefined],
      ])
      expectContent()
    })

    it('with an address of the same host, as relative ones are', async () => {
      hub.files.here = CONTENT
      hub.always = (response, content, request) =>
        request.url === '/here' ? serve(response, content, request) : redirect('/here')(response, content, request)
      await fetch()
      expectContent()
    })

    it('but not for ever', async () => {
      hub.always = (response, content, request) => redirect(`${hub.url}${request.url}`)(response, content, request)
      expect(await failure(fetch())).to.include('more than 5 times')
      expect(hub.seen.length).to.equal(6)
    })

    it('to nowhere they are an error', async () => {
      hub.always = status(302)
      expect(await failure(fetch())).to.include('redirects the request for model.onnx to no address')
      hub.always = redirect('file:///etc/passwd')
      expect(await failure(fetch())).to.include('not secure')
    })

    it('from https they never lead to http', () => {
      const lead = (from: string, to: string) => redirectTarget(new URL(from), to, 'model.onnx').href
      expect(() => lead('https://hub.example/a', 'http://cdn.example/b')).to.throw(HubError, 'not secure')
      expect(lead('https://hub.example/a', '//cdn.example/b')).to.equal('https://cdn.example/b')
      expect(lead('http://hub.example/a', 'https://cdn.example/b')).to.equal('https://cdn.example/b')
    })
  })

  describe('minds the disk', () => {
    it('and says what is missing before it fetches anything', async () => {
      hub.always = redirect('/blob', { size: 9e14, sha256: HASH })
      const message = await failure(fetch())
      expect(message).to.match(/need 900000\.0 GB in .*, and [\d.]+ GB are free there: [\d.]+ GB are missing/)
      expect(hub.ranges).to.deep.equal([])
    })

    it('and reckons with the known figures where the hub does not tell the size', async () => {
      hub.always = status(405)
      const files = [file('model.onnx'), file('kenlm.bin', { roughSize: 8e14, advice: 'Use greedy.' })]
      const message = await failure(fetch(files))
      expect(message).to.include('need 800000.0 GB').and.include('start again. Use greedy.')
    })

    it('and counts what is there already', async () => {
      writeFileSync(at('model.onnx.part'), '')
      truncateSync(at('model.onnx.part'), 1e12)
      writeFileSync(at('model.onnx.part.json'), JSON.stringify({ sha256: HASH, size: 9e14 }))
      hub.always = redirect('/blob', { size: 9e14, sha256: HASH })
      expect(await failure(fetch())).to.include('need 899000.0 GB')
    })

    it('and says so when it is full', async () => {
      symlinkSync('/dev/full', at('model.onnx.part'))
      expect(await failure(fetch())).to.include(`No space left in ${modelsDir} while fetching model.onnx`)
    })

    it('and keeps what is there for the time when there is space again', async function () {
      const small = at('small')
      mkdirSync(small)
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'tmpfs', small], { stdio: 'ignore' })
      } catch {
        return this.skip() // Only the superuser can make a small disk; the test before has a full one for everyone.
      }
      try {
        // A hub that tells no size: else nothing would be begun.
        hub.always = (response, content, request) => {
          if (request.method === 'HEAD') return status(200, { ETag: `"${HASH}"` })(response, content, request)
          serve(response, content, request, `"${HASH}"`)
        }
        const where = { ASR_MODEL_HUB_URL: hub.url, modelsDir: small }
        const message = await failure(fetchMissing(where, [file('model.onnx')], silent, quick))
        expect(message)
          .to.include('No space left')
          .and.match(/The 0\.1 MB that are there are kept/)
        execFileSync('mount', ['-o', 'remount,size=4m', small])
        await fetchMissing(where, [file('model.onnx')], silent, quick)
        expect(hub.ranges.at(-1)).to.match(/^bytes=[1-9]\d+-$/)
        expect(readFileSync(join(small, 'model.onnx')).equals(CONTENT)).to.equal(true)
      } finally {
        execFileSync('umount', [small])
      }
    })

    it('and says when the folder cannot be made', async () => {
      writeFileSync(at('file'), '')
      modelsDir = at('file/models')
      expect(await failure(fetch())).to.include('ENOTDIR')
      modelsDir = join(modelsDir, '../..')
    })
  })

  it('lets one of two fetch and the other wait, also after the first has failed', async () => {
    const [first, second] = [fetch(), fetch()]
    await Promise.all([first, second])
    expect(hub.ranges.length).to.equal(1)
    expectContent()
    rmSync(at('model.onnx'))
    hub.next.push(status(403))
    const outcomes = await Promise.all([fetch(), fetch()].map(failure))
    expect(outcomes.filter((outcome) => outcome === 'no error').length).to.equal(1)
    expectContent()
  })

  it('tells the log about its progress', async () => {
    const lines: { msg: string; percent?: number }[] = []
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) })
    await fetch(undefined, log, { ...quick, progressMs: 0 })
    const percents = lines.flatMap(({ percent }) => (percent === undefined ? [] : [percent]))
    expect(percents.at(-1)).to.equal(100)
    expect(percents).to.deep.equal(percents.toSorted((a, b) => a - b))
    expect(lines.map(({ msg }) => msg).join('\n')).to.match(/fetching model\.onnx: \d+ % of 0\.2 MB, about \d+ s left/)
    expect(existsSync(at('model.onnx'))).to.equal(true)
  })
})
