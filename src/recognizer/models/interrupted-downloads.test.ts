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

describe('the model store', () => {
  let store: TestModelStore
  beforeEach(async () => {
    store = await TestModelStore.start()
  })
  afterEach(() => store.stop())

  describe('goes on after a break', () => {
    it('of the connection, with the rest, as often as it brings something', async () => {
      store.hub.nextResponders.push(
        store.createTruncatedResponder(50_000),
        store.createTruncatedResponder(100_000),
        store.createTruncatedResponder(150_000),
      )
      await store.fetchFiles(undefined, { patience: { ...FAST_RETRY_POLICY, attempts: 2 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-'])
      store.expectModelOnly()
    })

    it('of the process: the next start asks for the rest', async () => {
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

    it('just before the end: nothing is asked for again', async () => {
      writeFileSync(store.pathOf('model.onnx.part'), TEST_MODEL_CONTENT)
      writeFileSync(
        store.pathOf('model.onnx.part.json'),
        JSON.stringify({ sha256: TEST_MODEL_SHA256, size: TEST_MODEL_CONTENT.length }),
      )
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([])
      store.expectModelOnly()
    })

    it('with If-Range where the hub gives no checksum', async () => {
      store.hub.etag = '"one"'
      store.hub.nextResponders.push(store.createTruncatedResponder(30_000, '"one"'))
      await store.fetchFiles()
      expect(store.hub.requests.at(-1)).to.include({ range: 'bytes=30000-', ifRange: '"one"' })
      store.expectModelOnly()
    })

    it('from the beginning where the hub tells nothing to know the content by', async () => {
      store.hub.etag = 'W/"weak"'
      store.hub.nextResponders.push(store.createTruncatedResponder(30_000))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, undefined])
      store.expectModelOnly()
    })

    it('from the beginning where the server ignores ranges', async () => {
      store.hub.nextResponders.push(store.createTruncatedResponder(90_000), (response, content, request) => {
        delete request.headers.range
        serveModelFile(response, content, request)
      })
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=90000-'])
      store.expectModelOnly()
    })

    it('of the network, however long it lasts: a hub that does not answer is asked again without end', async () => {
      store.hub.nextResponders.push(
        ...Array.from({ length: 40 }, () => (response: ServerResponse) => response.destroy()),
      )
      await store.fetchFiles(undefined, {
        patience: { ...FAST_RETRY_POLICY, idleAttempts: DEFAULT_DOWNLOAD_RETRY_POLICY.idleAttempts, lastPauseMs: 2 },
      })
      expect(store.hub.nextResponders).to.deep.equal([])
      store.expectModelOnly()
    })

    it('but gives up on a server that ignores ranges and always breaks at the same place', async () => {
      store.hub.nextResponders.push(...Array.from({ length: 9 }, () => store.createTruncatedResponder(90_000)))
      expect(await catchErrorMessage(store.fetchFiles())).to.include('Gave up after 3 attempts')
      expect(store.hub.ranges.length).to.equal(3)
    })

    it('from the beginning where the content has another checksum by now', async () => {
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
      ['as If-Range tells the server', true],
      ['as the server tells, which knows no If-Range', false],
    ] as const) {
      it(`from the beginning where the content has another ETag by now, ${what}`, async () => {
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

    it('from the beginning where the server sends another part than was asked for', async () => {
      store.hub.etag = '"one"'
      store.hub.nextResponders.push(store.createTruncatedResponder(60_000, '"one"'), (response, content, request) => {
        request.headers.range = 'bytes=50000-'
        serveModelFile(response, content, request, '"one"')
      })
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=60000-', undefined])
      store.expectModelOnly()
    })

    it('from the beginning where nobody knows whose bytes a part holds', async () => {
      writeFileSync(store.pathOf('model.onnx.part'), TEST_LANGUAGE_MODEL_CONTENT.subarray(0, 1000))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined])
      store.expectModelOnly()
    })

    it('from the beginning where the part has more bytes than the file', async () => {
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

    it('of a connection that is open and brings nothing', async () => {
      store.hub.nextResponders.push((response, content) => {
        response.writeHead(200, { 'Content-Length': content.length })
        response.write(content.subarray(0, 40_000))
      })
      await store.fetchFiles(undefined, { patience: { ...FAST_RETRY_POLICY, stallMs: 2000 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=40000-'])
      store.expectModelOnly()
    })
  })

  describe('checks what comes', () => {
    it('and fetches a file with a wrong checksum once more', async () => {
      store.hub.nextResponders.push((response) => void response.end(TEST_LANGUAGE_MODEL_CONTENT))
      await store.fetchFiles()
      store.expectModelOnly()
    })

    it('and refuses it when it is wrong again, leaving nothing', async () => {
      store.hub.nextResponders.push(
        ...[1, 2].map(() => (response: ServerResponse) => void response.end(TEST_LANGUAGE_MODEL_CONTENT)),
      )
      const message = await catchErrorMessage(store.fetchFiles())
      expect(message)
        .to.include(`SHA-256 is ${hashSha256(TEST_LANGUAGE_MODEL_CONTENT)}; it should be ${TEST_MODEL_SHA256}`)
        .and.include('twice')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('and refuses more bytes than the hub announced', async () => {
      const long = (response: ServerResponse) =>
        void response.end(Buffer.concat([TEST_MODEL_CONTENT, TEST_MODEL_CONTENT]))
      store.hub.nextResponders.push(long, long)
      expect(await catchErrorMessage(store.fetchFiles())).to.include('has 400000 bytes; it should have 200000')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('and takes an end before the announced size for a break', async () => {
      store.hub.nextResponders.push((response, content) => void response.end(content.subarray(0, 80_000)))
      await store.fetchFiles()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=80000-'])
      store.expectModelOnly()
    })

    it('and does not put a file of the wrong kind into its place, where the hub tells no checksum', async () => {
      store.hub.etag = '"one"'
      const check = () => Promise.reject(new Error('not a model'))
      expect(await catchErrorMessage(store.fetchFiles([makeModelFile('model.onnx', { check })]))).to.equal(
        'not a model',
      )
      expect(readdirSync(store.folder)).to.deep.equal([])
    })
  })
})
