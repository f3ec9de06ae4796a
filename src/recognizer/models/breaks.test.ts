import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { PATIENCE } from './patience.ts'
import { serve, sha256, status } from '../../test/model-hub.ts'
import { CONTENT, failure, file, HASH, OTHER, quick, TestStore } from '../../test/model-store.ts'

describe('the model store', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await TestStore.start()
  })
  afterEach(() => store.stop())

  describe('goes on after a break', () => {
    it('of the connection, with the rest, as often as it brings something', async () => {
      store.hub.next.push(store.cut(50_000), store.cut(100_000), store.cut(150_000))
      await store.fetch(undefined, { patience: { ...quick, attempts: 2 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-'])
      store.expectContent()
    })

    it('of the process: the next start asks for the rest', async () => {
      store.hub.next.push(store.cut(70_000), status(500), status(500))
      expect(await failure(store.fetch()))
        .to.include('answered 500')
        .and.include('Gave up after 3 attempts')
      expect(readFileSync(store.at('model.onnx.part')).equals(CONTENT.subarray(0, 70_000))).to.equal(true)
      await store.fetch()
      expect(store.hub.ranges.at(-1)).to.equal('bytes=70000-')
      store.expectContent()
    })

    it('just before the end: nothing is asked for again', async () => {
      writeFileSync(store.at('model.onnx.part'), CONTENT)
      writeFileSync(store.at('model.onnx.part.json'), JSON.stringify({ sha256: HASH, size: CONTENT.length }))
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([])
      store.expectContent()
    })

    it('with If-Range where the hub gives no checksum', async () => {
      store.hub.etag = '"one"'
      store.hub.next.push(store.cut(30_000, '"one"'))
      await store.fetch()
      expect(store.hub.seen.at(-1)).to.include({ range: 'bytes=30000-', ifRange: '"one"' })
      store.expectContent()
    })

    it('from the beginning where the hub tells nothing to know the content by', async () => {
      store.hub.etag = 'W/"weak"'
      store.hub.next.push(store.cut(30_000))
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined, undefined])
      store.expectContent()
    })

    it('from the beginning where the server ignores ranges', async () => {
      store.hub.next.push(store.cut(90_000), (response, content, request) => {
        delete request.headers.range
        serve(response, content, request)
      })
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=90000-'])
      store.expectContent()
    })

    it('of the network, however long it lasts: a hub that does not answer is asked again without end', async () => {
      store.hub.next.push(...Array.from({ length: 40 }, () => (response: ServerResponse) => response.destroy()))
      await store.fetch(undefined, { patience: { ...quick, idleAttempts: PATIENCE.idleAttempts, lastPauseMs: 2 } })
      expect(store.hub.next).to.deep.equal([])
      store.expectContent()
    })

    it('but gives up on a server that ignores ranges and always breaks at the same place', async () => {
      store.hub.next.push(...Array.from({ length: 9 }, () => store.cut(90_000)))
      expect(await failure(store.fetch())).to.include('Gave up after 3 attempts')
      expect(store.hub.ranges.length).to.equal(3)
    })

    it('from the beginning where the content has another checksum by now', async () => {
      store.hub.files['model.onnx'] = OTHER
      store.hub.next.push(store.cut(60_000), status(500), status(500))
      await failure(store.fetch())
      store.hub.files['model.onnx'] = CONTENT
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=60000-', 'bytes=60000-', undefined])
      store.expectContent()
    })

    for (const [what, honest] of [
      ['as If-Range tells the server', true],
      ['as the server tells, which knows no If-Range', false],
    ] as const) {
      it(`from the beginning where the content has another ETag by now, ${what}`, async () => {
        store.hub.files['model.onnx'] = OTHER
        store.hub.etag = '"old"'
        store.hub.next.push(store.cut(60_000, '"old"'), status(500), status(500))
        await failure(store.fetch())
        store.hub.files['model.onnx'] = CONTENT
        store.hub.etag = '"new"'
        store.hub.next.push((response, content, request) => {
          if (!honest) delete request.headers['if-range']
          serve(response, content, request, '"new"')
        })
        await store.fetch()
        store.expectContent()
      })
    }

    it('from the beginning where the server sends another part than was asked for', async () => {
      store.hub.etag = '"one"'
      store.hub.next.push(store.cut(60_000, '"one"'), (response, content, request) => {
        request.headers.range = 'bytes=50000-'
        serve(response, content, request, '"one"')
      })
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=60000-', undefined])
      store.expectContent()
    })

    it('from the beginning where nobody knows whose bytes a part holds', async () => {
      writeFileSync(store.at('model.onnx.part'), OTHER.subarray(0, 1000))
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined])
      store.expectContent()
    })

    it('from the beginning where the part has more bytes than the file', async () => {
      store.hub.next.push(store.cut(60_000), status(500), status(500))
      await failure(store.fetch())
      truncateSync(store.at('model.onnx.part'), CONTENT.length + 1)
      await store.fetch()
      store.expectContent()
    })

    it('of a connection that is open and brings nothing', async () => {
      store.hub.next.push((response, content) => {
        response.writeHead(200, { 'Content-Length': content.length })
        response.write(content.subarray(0, 40_000))
      })
      await store.fetch(undefined, { patience: { ...quick, stallMs: 2000 } })
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=40000-'])
      store.expectContent()
    })
  })

  describe('checks what comes', () => {
    it('and fetches a file with a wrong checksum once more', async () => {
      store.hub.next.push((response) => void response.end(OTHER))
      await store.fetch()
      store.expectContent()
    })

    it('and refuses it when it is wrong again, leaving nothing', async () => {
      store.hub.next.push(...[1, 2].map(() => (response: ServerResponse) => void response.end(OTHER)))
      const message = await failure(store.fetch())
      expect(message)
        .to.include(`SHA-256 is ${sha256(OTHER)}; it should be ${HASH}`)
        .and.include('twice')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('and refuses more bytes than the hub announced', async () => {
      const long = (response: ServerResponse) => void response.end(Buffer.concat([CONTENT, CONTENT]))
      store.hub.next.push(long, long)
      expect(await failure(store.fetch())).to.include('has 400000 bytes; it should have 200000')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })

    it('and takes an end before the announced size for a break', async () => {
      store.hub.next.push((response, content) => void response.end(content.subarray(0, 80_000)))
      await store.fetch()
      expect(store.hub.ranges).to.deep.equal([undefined, 'bytes=80000-'])
      store.expectContent()
    })

    it('and does not put a file of the wrong kind into its place, where the hub tells no checksum', async () => {
      store.hub.etag = '"one"'
      const check = () => Promise.reject(new Error('not a model'))
      expect(await failure(store.fetch([file('model.onnx', { check })]))).to.equal('not a model')
      expect(readdirSync(store.folder)).to.deep.equal([])
    })
  })
})
