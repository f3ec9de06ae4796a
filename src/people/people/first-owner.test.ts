import { expect } from 'chai'
import { TestClient } from '../../test/client.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { OWNER_CREDENTIALS, createTestDatabase, type TestDatabase } from '../../test/server.ts'

/** Passed as environment variables, because the service validates them there. */
const EMAIL_VARIABLE = { BOOTSTRAP_ADMIN_EMAIL: OWNER_CREDENTIALS.email }
const PASSWORD_VARIABLE = { BOOTSTRAP_ADMIN_PASSWORD: OWNER_CREDENTIALS.password }

describe('first owner', () => {
  let database: TestDatabase
  let api: ServiceProcess | undefined
  beforeEach(async () => {
    database = await createTestDatabase({ API_RUN_MODE: 'api', LOG_LEVEL: 'info' })
  })
  afterEach(async () => {
    await api?.stop('SIGKILL')
    await database.remove()
  })

  /** Starts the API with only these variables of the first owner. @returns a client without credentials */
  async function startApi(env: Record<string, string>): Promise<TestClient> {
    await api?.stop()
    const { BOOTSTRAP_ADMIN_EMAIL: _, BOOTSTRAP_ADMIN_PASSWORD: __, ownerPasswordGiven: ___, ...rest } = database.config
    api = new ServiceProcess('api', rest, env)
    const port = await api.waitUntilReady()
    return new TestClient(() => `http://127.0.0.1:${port}`, {})
  }
  /** Logs the owner in and returns the joined warnings of the system page. */
  async function loadWarnings(client: TestClient): Promise<string> {
    const { headers } = await client.post('/v1/auth/login', OWNER_CREDENTIALS)
    const cookie = headers.get('set-cookie')!.split(';')[0]!
    return (await client.get('/v1/system', { Cookie: cookie })).json.warnings.join()
  }
  const warnings = () => api!.lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)

  it('the API creates the first owner only with both bootstrap variables', async () => {
    await startApi(EMAIL_VARIABLE)
    expect(warnings().join(), 'nobody is there and nobody can be created').to.include('nobody can log in')
    expect((await database.db.query('SELECT FROM people')).rowCount).to.equal(0)

    const first = await startApi({ ...EMAIL_VARIABLE, ...PASSWORD_VARIABLE })
    expect((await first.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(200)
    expect(api!.lines.map(({ msg }) => msg).join()).to.include('BOOTSTRAP_ADMIN_PASSWORD can be removed now')

    expect(await loadWarnings(first), 'until it is removed').to.include('BOOTSTRAP_ADMIN_PASSWORD is no longer needed')

    const later = await startApi(EMAIL_VARIABLE)
    expect((await later.post('/v1/auth/login', OWNER_CREDENTIALS)).status).to.equal(200)
    expect(await loadWarnings(later)).not.to.include('BOOTSTRAP_ADMIN_PASSWORD')
    expect(warnings().join()).not.to.match(/BOOTSTRAP|log in/)
  })
})
