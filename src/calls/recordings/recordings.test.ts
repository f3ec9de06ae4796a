import { expect } from 'chai'
import { ScriptedRecognizer } from '../../test/scripted-recognizer.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { countStoredObjects } from '../../test/stored-objects.ts'

describe('recordings', () => {
  let app: TestApp
  const recognizer = new ScriptedRecognizer()

  before(async () => {
    await recognizer.start()
    app = await startTestApp({ MAX_UPLOAD_MB: 1, asrUrl: recognizer.url, API_RUN_MODE: 'api' })
  })
  after(async () => {
    await app.stop()
    await recognizer.stop()
  })

  const traces = () => countStoredObjects(app)

  describe('GET /v1/recordings', () => {
    it('the list is ordered by call time, newest first by default', async () => {
      for (const [year, id] of [
        ['2001', 'a'],
        ['2003', 'c'],
        ['2002', 'b'],
      ]) {
        await app.ida.upload('x', { externalCallId: `page-${id}`, callStartedAt: `${year}-01-01T00:00:00Z` })
      }
      const { json } = await app.ida.get('/v1/recordings?order=asc&pageSize=3')
      expect(json.items.map((item: { externalCallId: string }) => item.externalCallId)).to.deep.equal([
        'page-a',
        'page-b',
        'page-c',
      ])
      expect(json).to.include({ page: 1, pageSize: 3 })
      expect(json.total).to.be.greaterThan(3)
      const times: string[] = (await app.ida.get('/v1/recordings')).json.items.map(
        (item: { callStartedAt: string | null; createdAt: string }) => item.callStartedAt ?? item.createdAt,
      )
      expect(times).to.deep.equal(times.toSorted().toReversed())
      expect((await app.ida.get('/v1/recordings?page=1000')).json.items).to.deep.equal([])
    })

    it('the list rejects unknown and invalid parameters', async () => {
      for (const query of [
        'page=0',
        'pageSize=101',
        'pageSize=0',
        'page=x',
        'order=up',
        'colour=red',
        'page=1&page=2',
      ]) {
        const { status, json } = await app.ida.get(`/v1/recordings?${query}`)
        expect(status, query).to.equal(400)
        expect(json.message[0], query).to.match(new RegExp(`^${query.split('=')[0]} `))
      }
    })
  })

  describe('GET /v1/recordings/{id}', () => {
    it('the API responds 404 to an unknown id and to an invalid UUID', async () => {
      for (const id of ['0197aaaa-0000-7000-8000-000000000000', 'none', '1', "'%20OR%201=1"]) {
        const { status, json } = await app.ida.get(`/v1/recordings/${id}`)
        expect(status, id).to.equal(404)
        expect(json.error).to.equal('Not Found')
      }
    })
  })

  describe('GET /v1/recordings/{id}/audio', () => {
    const audio = Buffer.from('0123456789')
    let path: string
    before(async () => {
      path = `/v1/recordings/${(await app.ida.upload(audio, {}, 'tone "ü".mp3')).json.id}/audio`
    })

    it('the API sends the whole audio with length, type, ETag and name', async () => {
      const { status, text, headers } = await app.ida.get(path)
      expect(status).to.equal(200)
      expect(text).to.equal('0123456789')
      expect(headers.get('content-length')).to.equal('10')
      expect(headers.get('content-type')).to.equal('audio/mpeg')
      expect(headers.get('accept-ranges')).to.equal('bytes')
      expect(headers.get('etag')).to.match(/^".+"$/)
      expect(headers.get('content-disposition')).to.equal("inline; filename*=UTF-8''tone%20%22%C3%BC%22.mp3")
    })

    for (const [range, body, contentRange] of [
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=4-', '456789', 'bytes 4-9/10'],
      ['bytes=-2', '89', 'bytes 8-9/10'],
      ['bytes=8-100', '89', 'bytes 8-9/10'],
    ]) {
      it(`the API responds 206 to Range: ${range}`, async () => {
        const { status, text, headers } = await app.ida.get(path, { Range: range! })
        expect(status).to.equal(206)
        expect(text).to.equal(body)
        expect(headers.get('content-range')).to.equal(contentRange)
        expect(headers.get('content-length')).to.equal(String(body!.length))
      })
    }

    it('the API responds 416 to an unsatisfiable range and ignores an unsupported one', async () => {
      const outside = await app.ida.get(path, { Range: 'bytes=10-' })
      expect(outside.status).to.equal(416)
      expect(outside.headers.get('content-range')).to.equal('bytes */10')
      expect(outside.json.statusCode).to.equal(416)
      for (const Range of ['lines=1-2', 'bytes=x', 'bytes=0-1,5-6']) {
        expect((await app.ida.get(path, { Range })).status, Range).to.equal(200)
      }
    })

    it('the API supports If-Range and If-None-Match', async () => {
      const tag = (await app.ida.get(path)).headers.get('etag')!
      expect((await app.ida.get(path, { Range: 'bytes=0-1', 'If-Range': tag })).status).to.equal(206)
      expect((await app.ida.get(path, { Range: 'bytes=0-1', 'If-Range': '"other"' })).status).to.equal(200)
      expect((await app.ida.get(path, { 'If-None-Match': tag })).status).to.equal(304)
    })

    it('a suffix range longer than the file gets the whole file with 206', async () => {
      const { status, text, headers } = await app.ida.get(path, { Range: 'bytes=-1000' })
      expect([status, text, headers.get('content-range')]).to.deep.equal([206, '0123456789', 'bytes 0-9/10'])
      expect((await app.ida.get(path, { Range: 'bytes=-0' })).status).to.equal(416)
    })

    it('the API responds 412 to If-Match and If-Unmodified-Since of another version', async () => {
      const { headers } = await app.ida.get(path)
      const [tag, changed] = [headers.get('etag')!, headers.get('last-modified')!]
      const old = 'Sun, 06 Nov 1994 08:49:37 GMT'
      for (const [name, value, expected] of [
        ['If-Match', tag, 200],
        ['If-Match', `"x", ${tag}`, 200],
        ['If-Match', '*', 200],
        ['If-Match', '"x"', 412],
        ['If-Match', `W/${tag}`, 412],
        ['If-Unmodified-Since', changed, 200],
        ['If-Unmodified-Since', old, 412],
        ['If-Unmodified-Since', 'Sunday, 06-Nov-94 08:49:37 GMT', 412],
        ['If-Unmodified-Since', 'Sun Nov  6 08:49:37 1994', 412],
        ['If-Unmodified-Since', '1994', 200],
        ['If-Modified-Since', changed, 304],
        ['If-Modified-Since', old, 200],
        ['If-Modified-Since', '2999', 200],
        ['If-Modified-Since', 'tomorrow', 200],
      ] as const) {
        expect((await app.ida.get(path, { [name]: value })).status, `${name}: ${value}`).to.equal(expected)
      }
      const both = { 'If-Match': tag, 'If-Unmodified-Since': old }
      expect((await app.ida.get(path, both)).status).to.equal(200)
    })

    it('the API responds to HEAD with the same headers and no body', async () => {
      const { status, text, headers } = await app.ida.send(path, { method: 'HEAD' })
      expect(status).to.equal(200)
      expect(text).to.equal('')
      expect(headers.get('content-length')).to.equal('10')
      expect(headers.get('content-type')).to.equal('audio/mpeg')
    })
  })

  describe('DELETE /v1/recordings/{id}', () => {
    it('deleting a recording removes its audio and responds 204', async () => {
      const before = await traces()
      const { json } = await app.ida.upload('x')
      const response = await app.ida.delete(`/v1/recordings/${json.id}`)
      expect(response.status).to.equal(204)
      expect(response.text).to.equal('')
      expect(await traces()).to.deep.equal(before)
      expect((await app.ida.get(`/v1/recordings/${json.id}`)).status).to.equal(404)
      expect((await app.ida.delete(`/v1/recordings/${json.id}`)).status).to.equal(404)
    })
  })

  describe('retry and cancel', () => {
    it('a waiting recording can be cancelled once and cannot be retried', async () => {
      const { json } = await app.ida.upload('x')
      const path = `/v1/recordings/${json.id}`
      const retry = await app.ida.post(`${path}/retry`)
      expect(retry.status).to.equal(409)
      const cancelled = await app.ida.post(`${path}/cancel`)
      expect(cancelled.status).to.equal(200)
      expect(cancelled.json).to.include({ id: json.id, status: 'CANCELLED' })
      expect(cancelled.json.finishedAt).to.be.a('string')
      expect((await app.ida.post(`${path}/cancel`)).status).to.equal(409)
    })

    it('a retry queues a failed recording with 0 attempts and without errors', async () => {
      const { json } = await app.ida.upload('x')
      await app.db.query(
        `UPDATE recordings SET status = 'FAILED', attempts = 5, error_code = 'AUDIO_MISSING', error_message = 'gone',
                finished_at = now() WHERE id = $1`,
        [json.id],
      )
      const response = await app.ida.post(`/v1/recordings/${json.id}/retry`)
      expect(response.status).to.equal(200)
      expect(response.json).to.include({
        status: 'QUEUED',
        attempts: 0,
        errorCode: null,
        errorMessage: null,
        finishedAt: null,
      })
    })

    it('retry-failed queues all failed recordings and returns their number', async () => {
      await app.db.query(`UPDATE recordings SET status = 'FAILED' WHERE external_call_id LIKE 'page-%'`)
      expect((await app.ida.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 3 })
      expect((await app.ida.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 0 })
    })

    it('retry and cancel respond 404 for an unknown recording', async () => {
      const path = '/v1/recordings/0197aaaa-0000-7000-8000-000000000000'
      expect((await app.ida.post(`${path}/retry`)).status).to.equal(404)
      expect((await app.ida.post(`${path}/cancel`)).status).to.equal(404)
    })
  })

  it('the API responds 409 while a transcript is not ready', async () => {
    const { json } = await app.ida.upload('x')
    const response = await app.ida.get(`/v1/recordings/${json.id}/transcript`)
    expect(response.status).to.equal(409)
    expect(response.json.error).to.equal('Conflict')
  })
})
