import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { findFreePort } from './app/embedded/index.ts'
import { ServiceProcess, runServiceCommand } from './test/service-process.ts'
import { createDatabaseFromTemplate, createTestDatabase, type TestDatabase } from './test/server.ts'

const COMMANDS = [
  'start',
  'migrate',
  'accept-storage',
  'api',
  'dashboard',
  'asr',
  'transcribe',
  'decode',
  'lm-score',
  'describe',
]

describe('command line', () => {
  it('--help, -h and help list every command and exit with 0', async () => {
    for (const word of ['--help', '-h', 'help']) {
      const { code, out, err } = await runServiceCommand([word])
      expect(code).to.equal(0)
      expect(err).to.equal('')
      for (const command of COMMANDS) {
        expect(out).to.match(new RegExp(`^  ${command} +\\w`, 'm'))
      }
    }
  })

  it('every command prints its usage with --help and starts nothing', async () => {
    for (const command of COMMANDS) {
      const { code, out, err } = await runServiceCommand([command, '--help'])
      expect({ code, err }, command).to.deep.equal({ code: 0, err: '' })
      expect(out, command).to.match(new RegExp(`^Usage: .*${command}`))
    }
  })

  it('a wrong command line prints the error and the help, and exits with 2', async () => {
    for (const [args, message] of [
      [[], 'svc: no command given'],
      [['serve'], 'svc: unknown command: serve'],
      [['toString'], 'svc: unknown command: toString'],
      [['--version'], 'svc: unknown command: --version'],
      [['api', 'now'], 'svc: api takes no argument: now'],
      [['migrate', '--force'], 'svc: migrate takes no argument: --force'],
      [['describe'], 'describe: the folder is missing'],
      [['describe', 'a', 'b'], 'describe: one folder is enough: b'],
      [['describe', '--all'], "describe: Unknown option '--all'"],
    ] as [string[], string][]) {
      const { code, out, err } = await runServiceCommand(args)
      expect(code, message).to.equal(2)
      expect(out, message).to.equal('')
      expect(err.split('\n')[0], message).to.include(message)
      expect(err, message).to.match(/^Usage: /m)
    }
  })

  it('describe prints one line and exits with 1 if it cannot write its folder', async () => {
    const { code, err } = await runServiceCommand(['describe', '/dev/null/nowhere'])
    expect(code).to.equal(1)
    expect(err).to.match(/^describe: .*\/dev\/null\/nowhere.*\n$/)
  })

  it('a configuration error lists every invalid variable without its value or a stack', async () => {
    const { code, err } = await runServiceCommand(['api'], {
      SESSION_SECRET: 'short-canary',
      REDIS_URL: 'http://canary',
    })
    expect(code).to.equal(1)
    expect(err).to.match(/^svc: The configuration has 4 errors:\n/)
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'ASR_API_KEY', 'SESSION_SECRET'])
      expect(err).to.include(`  ${name}: `)
    expect(err).to.not.match(/canary| {4}at /)
  })

  describe('failed start of the api', () => {
    let database: TestDatabase
    before(async () => (database = await createTestDatabase()))
    after(() => database.remove())

    async function catchMessage(overrides: object): Promise<string> {
      const api = new ServiceProcess('api', { ...database.config, ...overrides })
      expect((await api.waitForExit()).code).to.equal(1)
      expect(api.text).to.match(/^svc: [^\n]*\n$/)
      return api.text
    }
    const databaseUrl = (change: (url: URL) => void) => {
      const url = new URL(database.config.DATABASE_URL!)
      change(url)
      return { DATABASE_URL: url.href }
    }

    it('the api exits with one line if its port is taken', async () => {
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
      const { port } = other.address() as AddressInfo
      expect(await catchMessage({ apiPort: port })).to.equal(
        `svc: port ${port} of 127.0.0.1 is taken by another process\n`,
      )
      other.close()
    })

    it('the api exits with one line if it cannot connect to the database', async () => {
      const port = String(await findFreePort())
      expect(await catchMessage(databaseUrl((url) => (url.port = port)))).to.match(
        /nothing listens on this port \(ECONNREFUSED\)/,
      )
      expect(await catchMessage(databaseUrl((url) => (url.hostname = 'db.invalid')))).to.match(/does not resolve/)
      expect(await catchMessage(databaseUrl((url) => (url.pathname = '/none')))).to.match(/does not exist \(3D000\)/)
      const wrong = await catchMessage(databaseUrl((url) => (url.password = 'a-canary')))
      expect(wrong)
        .to.match(/wrong user or password: fix DATABASE_URL \(28P01\)/)
        .and.not.match(/canary/)
    })

    it('the api asks for the command migrate if the database has no schema', async () => {
      const database = await createDatabaseFromTemplate('template0')
      expect(await catchMessage({ DATABASE_URL: database.url, DATABASE_WAIT_SECONDS: 0 })).to.match(
        /run the command migrate first/,
      )
      await database.drop()
    })
  })
})
