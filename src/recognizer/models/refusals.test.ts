import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { pino } from 'pino'
import { HubError, redirectTarget } from './hub.ts'
import { redirect, serve, status, TestHub } from '../../test/model-hub.ts'
import { CONTENT, failure, HASH, quick, TestStore } from '../../test/model-store.ts'

describe('the model store', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await TestStore.start()
  })
  afterEach(() => store.stop())

  describe('understands refusals', () => {
    for (const [code, reason] of [
      [401, 'asks for a login'],
      [403, 'forbids'],
      [404, 'no such file'],
      [410, 'does not give'],
    ] as const) {
      it(`${code} is final, named with host and file`, async () => {
        store.hub.always = status(code)
        const message = await failure(store.fetch())
        expect(message).to.include(
          `127.0.0.1:${new URL(store.hub.url).port} answered ${code} to the request for model.onnx`,
        )
        expect(message).to.include(reason).and.include('ASR_MODEL_HUB_URL')
        expect(store.hub.seen.length).to.be.lessThan(3)
      })
    }

    for (const code of [500, 502, 503, 408, 429]) {
      it(`${code} may pass, for HEAD as for GET`, async () => {
        const heads = [status(code), undefined]
        store.hub.always = (response, content, request) => {
          const behaviour = request.method === 'HEAD' ? heads.shift() : undefined
          if (behaviour) return behaviour(response, content, request)
          store.hub.always = undefined
          serve(response, content, request, `"${HASH}"`)
        }
        store.hub.next.push(status(code))
        await store.fetch()
        store.expectContent()
      })
    }

    it('a hub that does not know HEAD is asked with GET', async () => {
      store.hub.always = (response, content, request) =>
        request.method === 'HEAD' ? status(405)(response, content, request) : serve(response, content, request)
      await store.fetch()
      store.expectContent()
    })

    it('waits as long as Retry-After says, within bounds', async () => {
      const waits: number[] = []
      const log = pino({}, { write: (line) => void waits.push(Number(/again in (\d+) s/.exec(line)?.[1] ?? -1)) })
      const soon = new Date(Date.now() + 1500).toUTCString()
      store.hub.next.push(status(429, { 'Retry-After': '1' }), status(503, { 'Retry-After': soon }), status(429))
      const began = performance.now()
      await store.fetch(undefined, { log, patience: { ...quick, idleAttempts: 9 } })
      expect(performance.now() - began).to.be.greaterThan(1000)
      expect(waits.filter((seconds) => seconds >= 0)[0]).to.equal(1)
      store.hub.next.push(status(429, { 'Retry-After': '3600' }))
      rmSync(store.at('model.onnx'))
      await store.fetch(undefined, { log, patience: { ...quick, longestPauseMs: 10 } })
      store.expectContent()
    })

    it('a hub that cannot be reached', async () => {
      const message = await failure(store.fetch(undefined, { url: 'http://127.0.0.1:1' }))
      expect(message).to.include('127.0.0.1:1 for model.onnx failed').and.include('ECONNREFUSED')
    })
  })

  describe('follows redirects', () => {
    let blobs: TestHub
    beforeEach(async () => {
      blobs = await TestHub.start({ blob: CONTENT })
      // The content store of the public hub sends no checksum of its own and rejects HEAD.
      blobs.etag = `"${'0'.repeat(64)}"`
    })
    afterEach(() => blobs.stop())

    it('to another host, with size and checksum from the first, and goes on there after a break', async () => {
      store.hub.always = redirect(`${blobs.url}/blob`, { size: CONTENT.length, sha256: HASH })
      blobs.next.push(store.cut(10_000, '"a"'))
      await store.fetch()
      expect(blobs.seen.map(({ method, range, ifRange }) => [method, range, ifRange])).to.deep.equal([
        ['GET', undefined, undefined],
        ['GET', 'bytes=10000-', undefined],
      ])
      store.expectContent()
    })

    it('and takes no ETag of the other host for a checksum', async () => {
      store.hub.always = redirect(`${blobs.url}/blob`)
      await store.fetch()
      store.expectContent()
    })

    it('with an address of the same host, as relative ones are', async () => {
      store.hub.files.here = CONTENT
      store.hub.always = (response, content, request) =>
        request.url === '/here' ? serve(response, content, request) : redirect('/here')(response, content, request)
      await store.fetch()
      store.expectContent()
    })

    it('but not for ever', async () => {
      store.hub.always = (response, content, request) =>
        redirect(`${store.hub.url}${request.url}`)(response, content, request)
      expect(await failure(store.fetch())).to.include('more than 5 times')
      expect(store.hub.seen.length).to.equal(6)
    })

    it('to nowhere they are an error', async () => {
      store.hub.always = status(302)
      expect(await failure(store.fetch())).to.include('redirects the request for model.onnx to no address')
      store.hub.always = redirect('file:///etc/passwd')
      expect(await failure(store.fetch())).to.include('not secure')
    })

    it('from https they never lead to http', () => {
      const lead = (from: string, to: string) => redirectTarget(new URL(from), to, 'model.onnx').href
      expect(() => lead('https://store.hub.example/a', 'http://cdn.example/b')).to.throw(HubError, 'not secure')
      expect(lead('https://store.hub.example/a', '//cdn.example/b')).to.equal('https://cdn.example/b')
      expect(lead('http://store.hub.example/a', 'https://cdn.example/b')).to.equal('https://cdn.example/b')
    })
  })
})
