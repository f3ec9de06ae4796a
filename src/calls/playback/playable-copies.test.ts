import { randomUUID } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { fetchResponseBytes } from '../../test/audio-playback.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/** A recognizer that decodes nothing. It sends given bytes as the recognizer sends decoded audio. */
class ScriptedDecoder {
  readonly requests: http.ServerResponse[] = []
  private readonly server = http.createServer((request, response) => {
    if (request.url !== '/playable') {
      response.writeHead(503).end()
      return
    }
    request.resume().on('end', () => {
      response.writeHead(200, { 'X-Channels': '1', 'X-Sample-Rate': '8000' }).flushHeaders()
      this.requests.push(response)
    })
  })
  url = ''

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
    return this
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

const listCopies = async ({ config }: TestApp): Promise<string[]> =>
  (await readdir(config.audioDir, { recursive: true })).filter((name) => /playable.*\.wav/.test(name))

describe('playable copies', () => {
  let app: TestApp
  let recognizer: ScriptedDecoder
  before(async () => {
    recognizer = await new ScriptedDecoder().start()
    app = await startTestApp({ asrUrl: recognizer.url })
  })
  after(async () => {
    await app.stop()
    recognizer.stop()
  })

  const SECONDS = 10
  const submit = async (): Promise<string> => {
    const { id } = (await app.ida.upload(`#!AMR\n${randomUUID()}`, {}, 'call.amr')).json
    await app.db.query(`UPDATE recordings SET status = 'DONE', duration_seconds = $2 WHERE id = $1`, [id, SECONDS])
    return id
  }
  const waitForRequest = (count: number) => waitUntil(`${count} are asked for`, () => recognizer.requests[count - 1])
  const rows = async (id: string) =>
    (await app.db.query('SELECT storage_key, token FROM playable_copies WHERE recording_id = $1', [id])).rows

  it('concurrent requests share one copy, which is deleted with the recording', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    const path = `/v1/recordings/${id}/playback`
    const first = fetch(app.url + path, { headers: { ...app.olga.headers, Range: 'bytes=0-' } })
    const decoderResponse = await waitForRequest(before + 1)
    const others = Array.from({ length: 10 }, () => fetchResponseBytes(app, path, { Range: 'bytes=80000-80057' }))
    decoderResponse.end(Buffer.alloc(SECONDS * 8000, 2))
    const response = await first
    expect([response.status, response.headers.get('content-range')]).to.deep.equal([206, 'bytes 0-80057/80058'])
    expect(Buffer.from(await response.arrayBuffer()).length).to.equal(80_058)
    for (const { body } of await Promise.all(others)) expect(body.equals(Buffer.alloc(58, 2))).to.equal(true)
    const again = await fetchResponseBytes(app, path)
    expect([again.body.length, recognizer.requests.length]).to.deep.equal([80_058, before + 1])
    expect(await app.db.query('SELECT FROM file_removals').then(({ rowCount }) => rowCount)).to.equal(0)

    expect((await app.ida.delete(`/v1/recordings/${id}`)).status).to.equal(204)
    expect([await listCopies(app), await rows(id)]).to.deep.equal([[], []])
  })

  it('if a client disconnects, the copy is still made for the next request', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    const path = `/v1/recordings/${id}/playback`
    const abortController = new AbortController()
    const first = fetch(app.url + path, { headers: app.olga.headers, signal: abortController.signal }).catch(
      () => undefined,
    )
    const decoderResponse = await waitForRequest(before + 1)
    abortController.abort()
    await first
    decoderResponse.end(Buffer.alloc(80_000, 1))
    expect((await fetchResponseBytes(app, path)).body.length).to.equal(80_058)
    expect(recognizer.requests.length).to.equal(before + 1)
    await app.ida.delete(`/v1/recordings/${id}`)
  })

  const folder = (id: string) => `uploads/playable/${id}/`

  it('a call that is deleted while its copy is made leaves no file', async () => {
    // No file exists before and after, so only this table shows that a file was removed.
    await app.db.query(`
      CREATE TABLE removed_copies (storage_key text);
      CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO removed_copies VALUES (OLD.storage_key); RETURN NULL; END';
      CREATE TRIGGER note_removal AFTER DELETE ON file_removals FOR EACH ROW EXECUTE FUNCTION note_removal()`)
    const id = await submit()
    const before = recognizer.requests.length
    const first = fetch(`${app.url}/v1/recordings/${id}/playback`, { headers: app.olga.headers })
    const decoderResponse = await waitForRequest(before + 1)
    decoderResponse.write(Buffer.alloc(8000, 1))
    await app.ida.delete(`/v1/recordings/${id}`)
    decoderResponse.end(Buffer.alloc(72_000, 1))
    await first.then((response) => response.arrayBuffer())
    const removed = () => app.db.query(`SELECT FROM removed_copies WHERE starts_with(storage_key, $1)`, [folder(id)])
    await waitUntil('its file was removed', async () => (await removed()).rowCount === 1)
    expect([await listCopies(app), await rows(id)]).to.deep.equal([[], []])
  })

  it('if the recognizer breaks off, the next request makes the copy', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    const path = `${app.url}/v1/recordings/${id}/playback`
    const first = fetch(path, { headers: app.olga.headers })
    const broken = await waitForRequest(before + 1)
    broken.write(Buffer.alloc(8000, 1))
    broken.destroy()
    expect((await first).status).to.equal(503)
    await waitUntil('the claim is given up', async () => (await rows(id)).length === 0)
    const second = fetch(path, { headers: app.olga.headers }).then((response) => response.arrayBuffer())
    ;(await waitForRequest(before + 2)).end(Buffer.alloc(80_000, 3))
    expect((await second).byteLength).to.equal(80_058)
    await waitUntil('it is stored', async () => (await rows(id))[0]?.storage_key)
    await app.ida.delete(`/v1/recordings/${id}`)
  })

  it('a request waits for the copy that another process makes', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    await app.db.query(
      `INSERT INTO playable_copies (recording_id, token, lease_until) VALUES ($1, gen_random_uuid(), now() + interval '1 min')`,
      [id],
    )
    const waiting = fetchResponseBytes(app, `/v1/recordings/${id}/playback`)
    await writeFile(join(app.config.audioDir, 'theirs.wav'), 'theirs')
    await app.db.query(`UPDATE playable_copies SET storage_key = 'theirs.wav', token = NULL WHERE recording_id = $1`, [
      id,
    ])
    expect((await waiting).body.toString()).to.equal('theirs')
    expect(recognizer.requests.length).to.equal(before)
    await app.ida.delete(`/v1/recordings/${id}`)
  })

  it('a request makes the copy if the earlier process died or the file is lost', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    await app.db.query(
      `INSERT INTO playable_copies (recording_id, token, lease_until) VALUES ($1, gen_random_uuid(), now() - interval '1 s')`,
      [id],
    )
    for (const round of [1, 2]) {
      const response = fetchResponseBytes(app, `/v1/recordings/${id}/playback`)
      ;(await waitForRequest(before + round)).end(Buffer.alloc(80_000, round))
      expect((await response).body[100]).to.equal(round)
      const { storage_key: key } = await waitUntil('it is stored', async () => {
        const [row] = await rows(id)
        return row?.storage_key && row
      })
      await rm(join(app.config.audioDir, key))
    }
  })

  it('a HEAD request makes no copy', async () => {
    const id = await submit()
    const before = recognizer.requests.length
    const response = await app.olga.send(`/v1/recordings/${id}/playback`, { method: 'HEAD' })
    expect([response.status, recognizer.requests.length]).to.deep.equal([200, before])
  })
})
