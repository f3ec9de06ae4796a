import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { pino } from 'pino'
import { ModelHubError, parseHubRedirectTarget } from './hub.ts'
import {
  createRedirectHubResponder,
  serveModelFile,
  createStatusHubResponder,
  TestModelHub,
} from '../../test/model-hub.ts'
import {
  TEST_MODEL_CONTENT,
  catchErrorMessage,
  TEST_MODEL_SHA256,
  FAST_RETRY_POLICY,
  TestModelStore,
} from '../../test/model-store.ts'

describe('model hub errors', () => {
  let store: TestModelStore
  beforeEach(async () => {
    store = await TestModelStore.start()
  })
  afterEach(() => store.stop())

  describe('error responses', () => {
    for (const [code, reason] of [
      [401, 'asks for a login'],
      [403, 'forbids'],
      [404, 'no such file'],
      [410, 'does not give'],
    ] as const) {
      it(`a ${code} response is final, and the error names host and file`, async () => {
        store.hub.defaultResponder = createStatusHubResponder(code)
        const message = await catchErrorMessage(store.fetchFiles())
        expect(message).to.include(
          `127.0.0.1:${new URL(store.hub.url).port} answered ${code} to the request for model.onnx`,
        )
        expect(message).to.include(reason).and.include('ASR_MODEL_HUB_URL')
        expect(store.hub.requests.length).to.be.lessThan(3)
      })
    }

    for (const code of [500, 502, 503, 408, 429]) {
      it(`a ${code} response to HEAD or GET is retried`, async () => {
        const heads = [createStatusHubResponder(code), undefined]
        store.hub.defaultResponder = (response, content, request) => {
          const behaviour = request.method === 'HEAD' ? heads.shift() : undefined
          if (behaviour) return behaviour(response, content, request)
          store.hub.defaultResponder = undefined
          serveModelFile(response, content, request, `"${TEST_MODEL_SHA256}"`)
        }
        store.hub.nextResponders.push(createStatusHubResponder(code))
        await store.fetchFiles()
        store.expectModelOnly()
      })
    }

    it('the file is downloaded even if the hub rejects HEAD', async () => {
      store.hub.defaultResponder = (response, content, request) =>
        request.method === 'HEAD'
          ? createStatusHubResponder(405)(response, content, request)
          : serveModelFile(response, content, request)
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('the download waits as long as Retry-After says, up to a maximum', async () => {
      const waits: number[] = []
      const log = pino({}, { write: (line) => void waits.push(Number(/again in (\d+) s/.exec(line)?.[1] ?? -1)) })
      const soon = new Date(Date.now() + 1500).toUTCString()
      store.hub.nextResponders.push(
        createStatusHubResponder(429, { 'Retry-After': '1' }),
        createStatusHubResponder(503, { 'Retry-After': soon }),
        createStatusHubResponder(429),
      )
      const began = performance.now()
      await store.fetchFiles(undefined, { log, patience: { ...FAST_RETRY_POLICY, idleAttempts: 9 } })
      expect(performance.now() - began).to.be.greaterThan(1000)
      expect(waits.filter((seconds) => seconds >= 0)[0]).to.equal(1)
      store.hub.nextResponders.push(createStatusHubResponder(429, { 'Retry-After': '3600' }))
      rmSync(store.pathOf('model.onnx'))
      await store.fetchFiles(undefined, { log, patience: { ...FAST_RETRY_POLICY, longestPauseMs: 10 } })
      store.expectModelOnly()
    })

    it('the error names a hub that cannot be reached', async () => {
      const message = await catchErrorMessage(store.fetchFiles(undefined, { url: 'http://127.0.0.1:1' }))
      expect(message).to.include('127.0.0.1:1 for model.onnx failed').and.include('ECONNREFUSED')
    })
  })

  describe('redirects', () => {
    let blobs: TestModelHub
    beforeEach(async () => {
      blobs = await TestModelHub.start({ blob: TEST_MODEL_CONTENT })
      // The content store of the public hub sends an ETag that is no checksum, and rejects HEAD.
      blobs.etag = `"${'0'.repeat(64)}"`
    })
    afterEach(() => blobs.stop())

    it('the download follows a redirect to another host and resumes there', async () => {
      store.hub.defaultResponder = createRedirectHubResponder(`${blobs.url}/blob`, {
        size: TEST_MODEL_CONTENT.length,
        sha256: TEST_MODEL_SHA256,
      })
      blobs.nextResponders.push(store.createTruncatedResponder(10_000, '"a"'))
      await store.fetchFiles()
      expect(blobs.requests.map(({ method, range, ifRange }) => [method, range, ifRange])).to.deep.equal([
        ['GET', undefined, undefined],
        ['GET', 'bytes=10000-', undefined],
      ])
      store.expectModelOnly()
    })

    it('the ETag of a redirect target is not used as a checksum', async () => {
      store.hub.defaultResponder = createRedirectHubResponder(`${blobs.url}/blob`)
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('the download follows a relative redirect', async () => {
      store.hub.files.here = TEST_MODEL_CONTENT
      store.hub.defaultResponder = (response, content, request) =>
        request.url === '/here'
          ? serveModelFile(response, content, request)
          : createRedirectHubResponder('/here')(response, content, request)
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('the download fails after more than five redirects', async () => {
      store.hub.defaultResponder = (response, content, request) =>
        createRedirectHubResponder(`${store.hub.url}${request.url}`)(response, content, request)
      expect(await catchErrorMessage(store.fetchFiles())).to.include('more than 5 times')
      expect(store.hub.requests.length).to.equal(6)
    })

    it('a redirect without a valid target is an error', async () => {
      store.hub.defaultResponder = createStatusHubResponder(302)
      expect(await catchErrorMessage(store.fetchFiles())).to.include(
        'redirects the request for model.onnx to no address',
      )
      store.hub.defaultResponder = createRedirectHubResponder('file:///etc/passwd')
      expect(await catchErrorMessage(store.fetchFiles())).to.include('not secure')
    })

    it('a redirect from https to http is an error', () => {
      const lead = (from: string, to: string) => parseHubRedirectTarget(new URL(from), to, 'model.onnx').href
      expect(() => lead('https://store.hub.example/a', 'http://cdn.example/b')).to.throw(ModelHubError, 'not secure')
      expect(lead('https://store.hub.example/a', '//cdn.example/b')).to.equal('https://cdn.example/b')
      expect(lead('http://store.hub.example/a', 'https://cdn.example/b')).to.equal('https://cdn.example/b')
    })
  })
})
