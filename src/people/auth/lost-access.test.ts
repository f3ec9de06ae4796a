import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createLoggedInPerson } from '../../test/people.ts'
import { TestClient } from '../../test/client.ts'
import { startTestApp, type TestApp } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

describe('access that is lost during a request', () => {
  let app: TestApp
  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api' })
  })
  after(() => app.stop())

  let number = 0
  const newPerson = (role: 'owner' | 'manager') =>
    createLoggedInPerson(app, `Person ${++number}`, {
      role,
      ...(role === 'manager' && { rights: { manageRecordings: true } }),
    })
  const newKey = async () => {
    const { id, key } = (await app.olga.post('/v1/api-keys', { name: `key ${++number}` })).json
    return Object.assign(new TestClient(() => app.url, { 'X-API-Key': key }), { id: id as string })
  }

  /** Sends half of a request body. The returned function sends the rest and resolves with the status. */
  function sendHalf(client: TestClient, path: string, type: string, body: string): () => Promise<number> {
    const headers = { ...client.headers, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
    const request = http.request(app.url + path, { method: 'POST', headers })
    const half = Math.ceil(body.length / 2)
    request.write(body.slice(0, half))
    return async () => {
      request.end(body.slice(half))
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      await text(response)
      return response.statusCode!
    }
  }
  const sendHalfJson = (client: TestClient, path: string, body: object) =>
    sendHalf(client, path, 'application/json', JSON.stringify(body))
  const sendHalfUpload = (client: TestClient) => {
    const part = (headers: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}`
    const file = part('name="file"; filename="call.wav"', 'sound '.repeat(1000))
    return sendHalf(client, '/v1/recordings', 'multipart/form-data; boundary=b', `${file}\r\n--b--\r\n`)
  }

  /** Waits until the API has authenticated the caller, which updates last_seen_at or last_used_at. */
  async function waitUntilAdmitted(client: { id: string }): Promise<void> {
    const seen = `SELECT (SELECT min(last_seen_at) > 'epoch' FROM sessions WHERE person_id = $1) AS person,
                         (SELECT last_used_at IS NOT NULL FROM api_keys WHERE id = $1) AS key`
    await waitUntil('the caller was admitted', async () => {
      const { rows } = await app.db.query<{ person: boolean | null; key: boolean | null }>(seen, [client.id])
      return rows[0]!.person ?? rows[0]!.key ?? false
    })
  }
  const resetLastSeen = ({ id }: { id: string }) =>
    app.db.query(`UPDATE sessions SET last_seen_at = 'epoch' WHERE person_id = $1`, [id])
  const count = async (table: 'api_keys' | 'people' | 'departments' | 'recordings') =>
    (await app.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]!.n

  it('an owner who is demoted while the body arrives gets 403', async () => {
    const bodies = {
      '/v1/api-keys': { name: 'late' },
      '/v1/departments': { name: 'Late' },
      '/v1/people': { email: 'late@example.com', name: 'Late', password: 'long enough', role: 'owner' },
    }
    for (const [path, body] of Object.entries(bodies)) {
      const owner = await newPerson('owner')
      await resetLastSeen(owner)
      const tables = ['api_keys', 'departments', 'people'] as const
      const before = await Promise.all(tables.map(count))
      const finish = sendHalfJson(owner, path, body)
      await waitUntilAdmitted(owner)
      await app.olga.patch(`/v1/people/${owner.id}`, { role: 'manager' })
      expect(await finish(), path).to.equal(403)
      expect(await Promise.all(tables.map(count)), path).to.deep.equal(before)
    }
  })

  it('a person who is deactivated while the body arrives gets 401', async () => {
    const owner = await newPerson('owner')
    await resetLastSeen(owner)
    const finish = sendHalfJson(owner, '/v1/api-keys', { name: 'late' })
    await waitUntilAdmitted(owner)
    await app.olga.post(`/v1/people/${owner.id}/deactivate`)
    expect(await finish()).to.equal(401)
  })

  it('a key that is revoked while the body arrives gets 401', async () => {
    const key = await newKey()
    const finish = sendHalfJson(key, '/v1/recordings/from-url', { url: 'https://example.com/call.wav' })
    await waitUntilAdmitted(key)
    await app.olga.delete(`/v1/api-keys/${key.id}`)
    expect(await finish()).to.equal(401)
  })

  it('an upload is discarded if the caller loses access while the file arrives', async () => {
    const [key, person] = [await newKey(), await newPerson('manager')]
    await resetLastSeen(person)
    const before = await count('recordings')
    const [byKey, byPerson] = [sendHalfUpload(key), sendHalfUpload(person)]
    await Promise.all([waitUntilAdmitted(key), waitUntilAdmitted(person)])
    await app.olga.delete(`/v1/api-keys/${key.id}`)
    await app.olga.patch(`/v1/people/${person.id}`, { rights: { manageRecordings: false } })
    expect([await byKey(), await byPerson()]).to.deep.equal([401, 403])
    expect(await count('recordings')).to.equal(before)
    const files = await readdir(app.config.audioDir, { recursive: true, withFileTypes: true })
    expect(files.filter((file) => file.isFile()).map(({ name }) => name)).to.deep.equal(['.svc-database'])
  })

  it('an owner who is demoted after the body arrived gets 403', async () => {
    const [{ id: key }, { id: department }] = [
      (await app.olga.post('/v1/api-keys', { name: 'old' })).json,
      (await app.olga.post('/v1/departments', { name: 'Old' })).json,
    ]
    const attempts: ((owner: TestClient) => Promise<{ status: number }>)[] = [
      (owner) => owner.post('/v1/api-keys', { name: 'late' }),
      (owner) => owner.delete(`/v1/api-keys/${key}`),
      (owner) => owner.post('/v1/departments', { name: 'Late' }),
      (owner) => owner.patch(`/v1/departments/${department}`, { managers: ['Late'] }),
      (owner) => owner.delete(`/v1/departments/${department}`),
      (owner) => owner.put('/v1/crm/roster', { members: [] }),
      (owner) =>
        owner.post('/v1/people', { email: 'x@example.com', name: 'X', password: 'long enough', role: 'owner' }),
    ]
    for (const [n, attempt] of attempts.entries()) {
      const owner = await newPerson('owner')
      const demotion = await app.db.connect()
      try {
        await demotion.query('BEGIN')
        await demotion.query(`UPDATE people SET role = 'manager' WHERE id = $1`, [owner.id])
        const response = attempt(owner)
        await waitUntil('the request waits for the demotion', async () => {
          const { rowCount } = await app.db.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`,
          )
          return rowCount === 1
        })
        await demotion.query('COMMIT')
        expect((await response).status, String(n)).to.equal(403)
      } finally {
        demotion.release()
      }
    }
  })
})
