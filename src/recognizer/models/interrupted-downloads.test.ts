import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { DEFAULT_DOWNLOAD_RETRY_POLICY } from './retry-policy.ts'
import { serveModelFile, hashSha256, createStatusHubResponder } from '../../test/model-hub.ts'
import {
  TEST_MODEL_CONTENT,
  catchErrorMessage,
  makeModelFile,
  TEST_MODEL_SHA256,
  TEST_LANGUAGE_MODEL_CONTENT,
  FAST_RETRY_POLICY,
  TestModelStore,
} from '../../test/model-store.ts'

describe('interrupted model downloads', () => {
  let store: TestModelStore
  beforeEach(async () => {
    store = await TestModelStore.start()
  })
  afterEach(() => store.stop())

  describe('resumed downloads', () => {
    it('an interrupted download resumes as long as each attempt makes progress', async () => {
      store.hub.nextResponders.push(
        store.createTruncatedResponder(50_000),
        store.createTruncatedResponder(100_000),
        store.createTruncatedResponder(150_000),
      )
      await store.fetchFiles(undefined, { patience: { ...FAST_RETRY_POLICY, attempts: 2 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-'])
      store.expectModelOnly()
    })

    it('after a failed download, the next start requests only the rest', async () => {
      store.hub.nextResponders.push(
        store.createTruncatedResponder(70_000),
        createStatusHubResponder(500),
        createStatusHubResponder(500),
      )
      expect(await catchErrorMessage(store.fetchFiles()))
        .to.include('answered 500')
        .and.include('Gave up after 3 attempts')
      expect(readFileSync(store.pathOf('model.onnx.part')).equals(TEST_MODEL_CONTENT.subarray(0, 70_000))).to.equal(
        true,
      )
      await store.fetchFiles()
      expect(store.hub.ranges.at(-1)).to.equal('bytes=70000-')
      store.expectModelOnly()
    })

    it('a complete partial file is not downloaded again', async () => {
      writeFileSync(store.pathOf('model.onnx.part'), TEST_MODEL_CONTENT)
      writeFileSync(
        store.pathOf('model.onnx.part.json'),
        JSON.stringify({ sha256: TEST_MODEL_SHA256, size: TEST_MODEL_CONTENT.length }),
      )
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([])
      store.expectModelOnly()
    })

    it('without a checksum, the download resumes with If-Range', async () => {
      store.hub.etag = '"one"'
      store.hub.nextResponders.push(store.createTruncatedResponder(30_000, '"one"'))
      await store.fetchFiles()
      expect(store.hub.requests.at(-1)).to.include({ range: 'bytes=30000-', ifRange: '"one"' })
      store.expectModelOnly()
    })

    it('without checksum and strong ETag, the download restarts', async () => {
      store.hub.etag = 'W/"weak"'
      store.hub.nextResponders.push(store.createTruncatedResponder(30_000))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, undefined])
      store.expectModelOnly()
    })

    it('the download restarts if the server ignores ranges', async () => {
      store.hub.nextResponders.push(store.createTruncatedResponder(90_000), (response, content, request) => {
        delete request.headers.range
        serveModelFile(response, content, request)
      })
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=90000-'])
      store.expectModelOnly()
    })

    it('a hub that does not respond is retried without limit', async () => {
      store.hub.nextResponders.push(
        ...Array.from({ length: 40 }, () => (response: ServerResponse) => response.destroy()),
      )
      await store.fetchFiles(undefined, {
        patience: { ...FAST_RETRY_POLICY, idleAttempts: DEFAULT_DOWNLOAD_RETRY_POLICY.idleAttempts, lastPauseMs: 2 },
      })
      expect(store.hub.nextResponders).to.deep.equal([])
      store.expectModelOnly()
    })

    it('the download gives up on a server that ignores ranges and keeps breaking', async () => {
      store.hub.nextResponders.push(...Array.from({ length: 9 }, () => store.createTruncatedResponder(90_000)))
      expect(await catchErrorMessage(store.fetchFiles())).to.include('Gave up after 3 attempts')
      expect(store.hub.ranges.length).to.equal(3)
    })

    it('the download restarts if the checksum at the hub has changed', async () => {
      store.hub.files['model.onnx'] = TEST_LANGUAGE_MODEL_CONTENT
      store.hub.nextResponders.push(
        store.createTruncatedResponder(60_000),
        createStatusHubResponder(500),
        createStatusHubResponder(500),
      )
      await catchErrorMessage(store.fetchFiles())
      store.hub.files['model.onnx'] = TEST_MODEL_CONTENT
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=60000-', 'bytes=60000-', undefined])
      store.expectModelOnly()
    })

    for (const [what, honest] of [
      ['on a server with If-Range', true],
      ['on a server without If-Range', false],
    ] as const) {
      it(`the download restarts if the ETag has changed, ${what}`, async () => {
        store.hub.files['model.onnx'] = TEST_LANGUAGE_MODEL_CONTENT
        store.hub.etag = '"old"'
        store.hub.nextResponders.push(
          store.createTruncatedResponder(60_000, '"old"'),
          createStatusHubResponder(500),
          createStatusHubResponder(500),
        )
        await catchErrorMessage(store.fetchFiles())
        store.hub.files['model.onnx'] = TEST_MODEL_CONTENT
        store.hub.etag = '"new"'
        store.hub.nextResponders.push((response, content, request) => {
          if (!honest) delete request.headers['if-range']
          serveModelFile(response, content, request, '"new"')
        })
        await store.fetchFiles()
        store.expectModelOnly()
      })
    }

    it('the download restarts if the server sends another range than requested', async () => {
      store.hub.etag = '"one"'
      store.hub.nextResponders.push(store.createTruncatedResponder(60_000, '"one"'), (response, content, request) => {
        request.headers.range = 'bytes=50000-'
        serveModelFile(response, content, request, '"one"')
      })
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=60000-', undefined])
      store.expectModelOnly()
    })

    it('the download restarts if the origin of the partial file is unknown', async () => {
      writeFileSync(store.pathOf('model.onnx.part'), TEST_LANGUAGE_MODEL_CONTENT.subarray(0, 1000))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined])
      store.expectModelOnly()
    })

    it('the download restarts if the partial file is larger than the file', async () => {
      store.hub.nextResponders.push(
        store.createTruncatedResponder(60_000),
        createStatusHubResponder(500),
        createStatusHubResponder(500),
      )
      await catchErrorMessage(store.fetchFiles())
      truncateSync(store.pathOf('model.onnx.part'), TEST_MODEL_CONTENT.length + 1)
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('the download resumes after a connection without data', async () => {
      store.hub.nextResponders.push((response, content) => {
        response.writeHead(200, { 'Content-Length': content.length })
        response.write(content.subarray(0, 40_000))
      })
      await store.fetchFiles(undefined, { patience: { ...FAST_RETRY_POLICY, stallMs: 2000 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=40000-'])
      store.expectModelOnly()
    })
  })

  describe('verification of downloads', () => {
    it('a file with a wrong checksum is downloaded once more', async () => {
      store.hub.nextResponders.push((response) => void response.end(TEST_LANGUAGE_MODEL_CONTENT))
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('a file whose checksum is wrong twice is rejected and deleted', async () => {
      store.hub.nextResponders.push(
        ...[1, 2].map(() => (response: ServerResponse) => void response.end(TEST_LANGUAGE_MODEL_CONTENT)),
      )
      const message = await catchErrorMessage(store.fetchFiles())
      expect(message)
        .to.include(`SHA-256 is ${hashSha256(TEST_LANGUAGE_MODEL_CONTENT)}; it should be ${TEST_MODEL_SHA256}`)
        .and.include('twice')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('a file with more bytes than announced is rejected', async () => {
      const long = (response: ServerResponse) =>
        void response.end(Buffer.concat([TEST_MODEL_CONTENT, TEST_MODEL_CONTENT]))
      store.hub.nextResponders.push(long, long)
      expect(await catchErrorMessage(store.fetchFiles())).to.include('has 400000 bytes; it should have 200000')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('an end before the announced size counts as an interruption', async () => {
      store.hub.nextResponders.push((response, content) => void response.end(content.subarray(0, 80_000)))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=80000-'])
      store.expectModelOnly()
    })

    it('without a checksum, a file of the wrong kind is rejected', async () => {
      store.hub.etag = '"one"'
      const check = () => Promise.reject(new Error('not a model'))
      expect(await catchErrorMessage(store.fetchFiles([makeModelFile('model.onnx', { check })]))).to.equal(
        'not a model',
      )
      expect(readdirSync(store.folder)).to.deep.equal([])
    })
  })
})
