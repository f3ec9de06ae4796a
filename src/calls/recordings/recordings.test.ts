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
    it('answers pages in order of the call’s time, newest first by default, and an empty page past the end', async () => {
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

    it('refuses parameters that are unknown or out of their rule', async () => {
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
    it('answers 404 for an id that is not there, and for one that is no UUID', async () => {
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

    it('sends the whole file with its length, type, tag and name', async () => {
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
      it(`answers Range: ${range} with 206`, async () => {
        const { status, text, headers } = await app.ida.get(path, { Range: range! })
        expect(status).to.equal(206)
        expect(text).to.equal(body)
        expect(headers.get('content-range')).to.equal(contentRange)
        expect(headers.get('content-length')).to.equal(String(body!.length))
      })
    }

    it('answers a range outside the file with 416, and sends the whole file for one it cannot read', async () => {
      const outside = await app.ida.get(path, { Range: 'bytes=10-' })
      expect(outside.status).to.equal(416)
      expect(outside.headers.get('content-range')).to.equal('bytes */10')
      expect(outside.json.statusCode).to.equal(416)
      for (const Range of ['lines=1-2', 'bytes=x', 'bytes=0-1,5-6']) {
        expect((await app.ida.get(path, { Range })).status, Range).to.equal(200)
      }
    })

    it('honours If-Range and If-None-Match', async () => {
      const tag = (await app.ida.get(path)).headers.get('etag')!
      expect((await app.ida.get(path, { Range: 'bytes=0-1', 'If-Range': tag })).status).to.equal(206)
      expect((await app.ida.get(path, { Range: 'bytes=0-1', 'If-Range': '"other"' })).status).to.equal(200)
      expect((await app.ida.get(path, { 'If-None-Match': tag })).status).to.equal(304)
    })

    it('answers a range from the end that is longer than the file with all of it, as 206', async () => {
      const { status, text, headers } = await app.ida.get(path, { Range: 'bytes=-1000' })
      expect([status, text, headers.get('content-range')]).to.deep.equal([206, '0123456789', 'bytes 0-9/10'])
      expect((await app.ida.get(path, { Range: 'bytes=-0' })).status).to.equal(416)
    })

    it('answers 412 to If-Match and If-Unmodified-Since of another version, and ignores what is no date', async () => {
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

    it('answers HEAD with the same headers and no body', async () => {
      const { status, text, headers } = await app.ida.send(path, { method: 'HEAD' })
      expect(status).to.equal(200)
      expect(text).to.equal('')
      expect(headers.get('content-length')).to.equal('10')
      expect(headers.get('content-type')).to.equal('audio/mpeg')
    })
  })

  describe('DELETE /v1/recordings/{id}', () => {
    it('removes the recording with its audio and answers 204; then it is not there', async () => {
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
    it('cancels what waits; cancelling again, or retrying what waits, answers 409', async () => {
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

    it('retries what was cancelled: QUEUED again, with attempts 0 and without errors', async () => {
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

    it('retry-failed puts every failed recording back and answers how many', async () => {
      await app.db.query(`UPDATE recordings SET status = 'FAILED' WHERE external_call_id LIKE 'page-%'`)
      expect((await app.ida.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 3 })
      expect((await app.ida.post('/v1/recordings/retry-failed')).json).to.deep.equal({ retried: 0 })
    })

    it('answers 404 for a recording that is not there', async () => {
      const path = '/v1/recordings/0197aaaa-0000-7000-8000-000000000000'
      expect((await app.ida.post(`${path}/retry`)).status).to.equal(404)
      expect((await app.ida.post(`${path}/cancel`)).status).to.equal(404)
    })
  })

  it('a transcript that is not ready is answered with 409', async () => {
    const { json } = await app.ida.upload('x')
    const response = await app.ida.get(`/v1/recordings/${json.id}/transcript`)
    expect(response.status).to.equal(409)
    expect(response.json.error).to.equal('Conflict')
  })
})
