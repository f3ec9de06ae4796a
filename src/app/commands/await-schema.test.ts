import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Config } from '../../platform/config/config.ts'
import { ServiceProcess } from '../../test/service-process.ts'
import { createDatabaseFromTemplate, makeTestConfig } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'

/** A separate process starts slowly on a busy machine. */
const START_LIMIT_MS = 90_000

describe('API start before migrate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-await-'))
  const started: ServiceProcess[] = []
  let database: { url: string; drop(): Promise<void> }
  let config: Config
  before(async () => {
    database = await createDatabaseFromTemplate('template0')
    config = makeTestConfig(database.url, folder, { LOG_LEVEL: 'info' })
  })
  after(async () => {
    await Promise.all(started.map((process) => process.stop('SIGKILL')))
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const start = (command: string) => {
    const process = new ServiceProcess(command, config)
    started.push(process)
    return process
  }
  const waits = (process: ServiceProcess) =>
    waitUntil(
      'it says what it waits for',
      () => {
        if (process.exit) throw new Error(process.text)
        return process.lines.find(({ msg }) => msg?.includes('waiting for migrate'))
      },
      START_LIMIT_MS,
    )

  it('the API waits until migrate has created the schema, then serves', async () => {
    const api = start('api')
    await waits(api)
    expect(api.lines.some(({ msg }) => msg === 'ready')).to.equal(false)
    expect(await start('migrate').waitForExit()).to.deep.include({ code: 0 })
    const port = await api.waitUntilReady()
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).to.equal(200)
    expect((await api.stop()).code).to.equal(0)
  })

  it('the API gives up after DATABASE_WAIT_SECONDS and says what to do', async () => {
    const empty = await createDatabaseFromTemplate('template0')
    const api = new ServiceProcess('api', { ...config, DATABASE_URL: empty.url, DATABASE_WAIT_SECONDS: 1 })
    started.push(api)
    expect(await api.waitForExit()).to.deep.include({ code: 1 })
    expect(api.text).to.match(/^svc: the database schema is older than this version: run the command migrate first/)
    await empty.drop()
  })

  it('the API can be stopped while it waits for migrate', async () => {
    const empty = await createDatabaseFromTemplate('template0')
    const api = new ServiceProcess('api', { ...config, DATABASE_URL: empty.url })
    started.push(api)
    await waits(api)
    const { code, seconds } = await api.stop('SIGTERM')
    expect(code).to.equal(0)
    expect(seconds).to.be.below(30)
    await empty.drop()
  })
})
