import { expect } from 'chai'
import { listApiOperations } from '../../app/api.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { generateId } from '../../platform/lib/ids.ts'
import type { Right, Role } from '../people/entity.ts'
import { TestClient, type TestResponse } from '../../test/client.ts'
import { insertQueuedRecordings, startTestApp, type TestApp } from '../../test/server.ts'
import { createSessionCookie } from './session-cookie.ts'

const CALLERS = ['no key', 'wrong key', 'revoked key', 'key', 'owner', 'head', 'manager'] as const
type Caller = (typeof CALLERS)[number]

/** Repeats the default rights of the service, so that an accidental change of them fails here. */
const DEFAULT_RIGHTS: Record<Role, Right[]> = {
  owner: [],
  head: ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'],
  manager: ['audio'],
}

/** The list includes the files of /docs and the login, because neither needs a session. */
const PUBLIC_OPERATIONS = [
  'GET /healthz',
  'GET /readyz',
  'GET /docs',
  'GET /docs/{file}',
  'GET /docs-json',
  'POST /v1/auth/login',
  'POST /v1/integrations/crm/events',
]

/** Bodies of operations on a recording that reject an empty one. */
const VALID_BODIES: Record<string, object> = {
  'POST /v1/recordings/{id}/analysis/findings/{findingId}/dispute': { comment: 'No.' },
  'POST /v1/recordings/{id}/comments': { at: 0, text: 'No.' },
  'PATCH /v1/recordings/{id}/comments/{commentId}': { text: 'No.' },
}

interface DescribedOperation {
  method: string
  path: string
  id: string
  access: string
  rights: Right[]
  /** True if the operation accepts a session cookie but no API key. */
  cookieOnly: boolean
}

/** Derives the expected result from the published x-access and x-rights. */
function expectedResult({ access, rights, cookieOnly }: DescribedOperation, caller: Caller): 401 | 403 | 'admitted' {
  if (access === 'public') return 'admitted'
  if (caller === 'no key' || caller === 'wrong key' || caller === 'revoked key') return 401
  if (caller === 'key' && cookieOnly) return 403
  if (caller === 'key') return access === 'ownerOrKey' || access === 'scoped' ? 'admitted' : 403
  if (caller === 'owner') return 'admitted'
  const roles: Record<string, string[]> = {
    self: ['head', 'manager'],
    ownerOrHead: ['head'],
    scoped: ['head', 'manager'],
  }
  const isAdmitted = roles[access]?.includes(caller) && rights.every((right) => DEFAULT_RIGHTS[caller].includes(right))
  return isAdmitted ? 'admitted' : 403
}

describe('access by role, right and key', () => {
  let app: TestApp
  let operations: DescribedOperation[]
  let revoked: TestClient
  const wrong = new TestClient(() => app.url, { 'X-API-Key': `svc_${'x'.repeat(43)}` })

  before(async () => {
    app = await startTestApp({ API_RUN_MODE: 'api', LOGIN_MAX_FAILURES: 10_000 })
    const { paths } = (await app.nobody.get('/docs-json')).json
    operations = Object.entries(paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, one]) => ({
          method: method.toUpperCase(),
          path,
          id: one.operationId as string,
          access: one['x-access'] as string,
          rights: one['x-rights'] as Right[],
          cookieOnly: (one.security as object[]).every((way) => 'session' in way),
        })),
    )
    const { id, key } = (await app.olga.post('/v1/api-keys', { name: 'revoked' })).json
    await app.olga.delete(`/v1/api-keys/${id}`)
    revoked = new TestClient(() => app.url, { 'X-API-Key': key })
  })
  after(() => app.stop())

  /** Inserts an active person with the default rights of the role. */
  async function insertPerson(role: Role, name: string = role): Promise<string> {
    const id = generateId()
    const rights = Object.fromEntries(DEFAULT_RIGHTS[role].map((right) => [right, true]))
    await app.db.query(
      `INSERT INTO people (id, email, name, role, rights, password_hash) VALUES ($1, $2, $3, $4, $5, 'none')`,
      [id, `${id}@example.com`, name, role, rights],
    )
    return id
  }

  /** Creates a session and returns a client with its cookie and the same-origin header of our pages. */
  async function logInAs(personId: string): Promise<TestClient> {
    const { token, header } = createSessionCookie(app.config)
    await app.db.query(`INSERT INTO sessions (token_hash, person_id, expires_at) VALUES ($1, $2, now() + '1 hour')`, [
      sha256(token),
      personId,
    ])
    return new TestClient(() => app.url, { Cookie: header.split(';')[0]!, 'Sec-Fetch-Site': 'same-origin' })
  }

  /** Calls an operation with an unknown id and an empty body, so admitted callers get an empty result or an error. */
  function callOperation(
    client: TestClient,
    { method, path }: Pick<DescribedOperation, 'method' | 'path'>,
    id = generateId(),
  ): Promise<TestResponse> {
    const address = path
      .replace('{id}', id)
      .replace('{name}', 'callbacks')
      .replace(/\{\w+Id\}/g, generateId())
      .replace(/\{\w+\}/g, 'x')
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(VALID_BODIES[`${method} ${path}`] ?? {})
    return client.send(address, method === 'GET' ? {} : { method, body, headers })
  }

  it('every operation admits exactly the callers of its x-access and x-rights', async () => {
    const ids = {
      owner: await insertPerson('owner'),
      head: await insertPerson('head'),
      manager: await insertPerson('manager'),
    }
    const violations: string[] = []
    for (const operation of operations) {
      for (const caller of CALLERS) {
        // Each call gets a new session, because some operations end it.
        const clients = { 'no key': app.nobody, 'wrong key': wrong, 'revoked key': revoked, key: app.ida }
        const client = caller in ids ? await logInAs(ids[caller as Role]) : clients[caller as keyof typeof clients]
        const { status, json } = await callOperation(client, operation)
        const expected = expectedResult(operation, caller)
        // This operation checks a token of its own, so it rejects an empty body from every caller.
        if (operation.id === 'receiveCrmEvent' && status === 401) continue
        const isRight = expected === 'admitted' ? status !== 401 && status !== 403 && status < 500 : status === expected
        if (!isRight)
          violations.push(`${operation.method} ${operation.path} by ${caller}: ${status}, declared ${expected}`)
        if (expected === 401) expect(json.message).to.equal('Missing or invalid credentials')
        if (expected === 403) expect(json.message).to.equal('Your role does not allow this')
      }
    }
    expect(violations).to.deep.equal([])
    expect(operations.length).to.equal(listApiOperations().length)
  })

  it('only health, documentation, login and CRM events need no credentials', async () => {
    const open = operations.filter(({ access }) => access === 'public').map(({ method, path }) => `${method} ${path}`)
    expect(open).to.have.members(PUBLIC_OPERATIONS)
  })

  it('a key can create, retry, cancel, delete and read recordings', async () => {
    const allowed = [
      'createRecording retryRecording cancelRecording retryFailedRecordings deleteRecording',
      'createRecordingFromUrl createRecordingFromStorage',
      'listRecordings readRecordingCatalog readRecordingFacets readRecording readTranscript readAudio readAnalysis',
      'listTranscripts exportTranscripts readQueue listQueues listJobs statsOverview system readIngestion',
    ]
    for (const id of allowed.join(' ').split(' ')) {
      const operation = operations.find((one) => one.id === id)
      expect(operation, id).to.be.an('object')
      expect((await callOperation(app.ida, operation!)).status, id).to.not.be.oneOf([401, 403])
    }
  })

  it('a key cannot manage people, keys, queues or settings, or read the audit log', async () => {
    const closed =
      /^\/v1\/(people|departments|api-keys|audit|settings|auth\/(?!login))|\/(pause|resume)$|^\/v1\/queues\/.*\/retry-failed$/
    const forbidden = operations.filter(({ path }) => closed.test(path))
    const named = 'listApiKeys createApiKey revokeApiKey pauseQueue resumeQueue retryFailedJobs me logout'
    expect(forbidden.map(({ id }) => id)).to.include.members(named.split(' '))
    for (const operation of forbidden) {
      const { status, json } = await callOperation(app.ida, operation)
      expect(status, operation.id).to.equal(403)
      expect(json).to.deep.equal({ statusCode: 403, message: 'Your role does not allow this', error: 'Forbidden' })
    }
  })

  it('a key gets 403 from operations that only the panel calls', async () => {
    const listed =
      /^(POST|GET) \/v1\/(recordings|recordings\/from-(url|storage)|recordings\/(catalog|facets)|transcripts|transcripts\/export|queue|queues|queues\/\{name\}\/jobs|stats\/overview|system|ingestion|analytics\/(sales|quality|refusals|weekly-report|correlation)|crm\/connection)$|^GET \/v1\/recordings\/\{id\}(\/(transcript|audio|deals|analysis))?$|^POST \/v1\/recordings\/(\{id\}\/(retry|cancel)|retry-failed)$|^DELETE \/v1\/recordings\/\{id\}$/
    const unlisted = operations.filter(
      ({ method, path, access }) => access !== 'public' && !listed.test(`${method} ${path}`),
    )
    expect(unlisted.map(({ id }) => id)).to.include.members(['readExcerpts', 'readHistory', 'readWaveform'])
    for (const operation of operations.filter(({ access }) => access !== 'public')) {
      expect(operation.cookieOnly, `security of ${operation.id}`).to.equal(unlisted.includes(operation))
    }
    for (const operation of unlisted)
      expect((await callOperation(app.ida, operation)).status, operation.id).to.equal(403)
  })

  it('every operation on an invisible recording gets 404 and changes nothing', async () => {
    const [id] = await insertQueuedRecordings(app, 1)
    await app.db.query(`UPDATE recordings SET manager_name = 'Otto' WHERE id = $1`, [id])
    const max = await insertPerson('manager', 'Max')
    await app.db.query(`UPDATE people SET rights = '{"audio": true, "manageRecordings": true}' WHERE id = $1`, [max])
    const client = await logInAs(max)
    const onOne = operations.filter(({ path }) => path.startsWith('/v1/recordings/{id}'))
    expect(onOne.length).to.be.at.least(6)
    // If a role forbids the operation, the response is 403 for every id and reveals nothing about the recording.
    for (const operation of onOne) {
      const expected = operation.access === 'ownerOrHead' ? 403 : 404
      expect((await callOperation(client, operation, id)).status, operation.id).to.equal(expected)
    }
    expect((await app.ida.get(`/v1/recordings/${id}`)).json.status).to.equal('QUEUED')
    await app.db.query(`UPDATE people SET name = ' otto ' WHERE id = $1`, [max])
    expect((await client.get(`/v1/recordings/${id}`)).status, 'once it is theirs').to.equal(200)
  })

  describe('changed access on the next requests', () => {
    const next = (client: TestClient, path: string) =>
      Promise.all(Array.from({ length: 100 }, async () => (await client.get(path)).status))
    const hundred = (status: number) => Array.from({ length: 100 }, () => status)
    const cases: [string, string, string, number][] = [
      [
        'a person without a right gets 403 on the next 100 requests',
        `UPDATE people SET rights = rights - 'analytics' WHERE id = $1`,
        '/v1/stats/overview',
        403,
      ],
      [
        'a demoted person gets 403 on the next 100 requests',
        `UPDATE people SET role = 'manager', rights = '{}' WHERE id = $1`,
        '/v1/stats/overview',
        403,
      ],
      [
        'a deactivated person gets 401 on the next 100 requests',
        `UPDATE people SET active = false WHERE id = $1`,
        '/v1/auth/me',
        401,
      ],
      [
        'an ended session gets 401 on the next 100 requests',
        `DELETE FROM sessions WHERE person_id = $1`,
        '/v1/auth/me',
        401,
      ],
    ]
    for (const [what, change, path, status] of cases) {
      it(what, async () => {
        const id = await insertPerson('head')
        const client = await logInAs(id)
        expect((await client.get(path)).status).to.equal(200)
        await app.db.query(change, [id])
        expect(await next(client, path)).to.deep.equal(hundred(status))
      })
    }

    it('a revoked key gets 401 on the next 100 requests', async () => {
      const { id, key } = (await app.olga.post('/v1/api-keys', { name: 'soon revoked' })).json
      const client = new TestClient(() => app.url, { Authorization: `Bearer ${key}` })
      expect((await client.get('/v1/queue')).status).to.equal(200)
      await app.olga.delete(`/v1/api-keys/${id}`)
      expect(await next(client, '/v1/queue')).to.deep.equal(hundred(401))
    })
  })
})
