import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { runServiceCommand } from '../../test/service-process.ts'
import { createProjectCopy } from '../../test/project-copy.ts'
import { createDatabaseFromTemplate, startTestApp } from '../../test/server.ts'
import { createBackup } from './backup.ts'
import type { InstallationConfig } from './installation.ts'

describe('backup and restore of npm start installations', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-installation-'))
  const backup = join(folder, 'backup')
  let database: { url: string; drop(): Promise<void> }
  let project: string
  let bundle: string

  before(async () => {
    const app = await startTestApp({ API_RUN_MODE: 'api' })
    await app.ida.upload('some sound')
    await createBackup(app.config as InstallationConfig, backup)
    await app.stop()
    database = await createDatabaseFromTemplate('template0')
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => void ({ project, bundle } = createProjectCopy()))
  afterEach(() => rmSync(project, { recursive: true, force: true }))

  const run = (args: string[], env: NodeJS.ProcessEnv = {}) => runServiceCommand(args, env, bundle)

  it('restore fails before the first npm start unless the installation is named', async () => {
    const { code, out, err } = await run(['restore', backup], { DATABASE_URL: database.url })
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include(`there is no .svc in ${project}`).and.include('--installation start')
    expect(existsSync(join(project, '.svc'))).to.equal(false)
  })

  it('restore rejects unknown installations', async () => {
    const { code, err } = await run(['restore', backup, '--installation', 'other'], { DATABASE_URL: database.url })
    expect(code).to.equal(2)
    expect(err).to.include('--installation must be start or stack')
  })

  it('restore puts the audio into the named installation and marks its storage', async () => {
    const env = { DATABASE_URL: database.url }
    const { code, err } = await run(['restore', backup, '--installation', 'start'], env)
    expect(code, err).to.equal(0)
    expect(err).to.match(/^restore: npm start in .*: database .* at .*, audio in .*\.svc\/audio\n$/)
    const mark = readFileSync(join(project, '.svc/audio/uploads/.svc-database'), 'utf8')
    expect(mark).to.match(/^[0-9a-f-]{36}\n$/)
    expect((await run(['check'], env)).out).to.equal('1 calls and 1 files compared: nothing differs\n')
    await runDocumentedBackup(env)
    const [made] = readdirSync(folder).filter((name) => name !== 'backup')
    expect(existsSync(join(folder, made!, 'backup.json')), made).to.equal(true)
  })

  it('accept-storage marks the storage of the installation', async () => {
    mkdirSync(join(project, '.svc'))
    const { code, out, err } = await run(['accept-storage'], { DATABASE_URL: database.url })
    expect(code, out + err).to.equal(0)
    expect(out).to.include(`audio in ${project}/.svc/audio`)
    expect(existsSync(join(project, '.svc/audio/uploads/.svc-database'))).to.equal(true)
  })

  /** Runs the command of the systemd unit in the document with a test folder for backups. */
  async function runDocumentedBackup(env: NodeJS.ProcessEnv): Promise<void> {
    const unit = readFileSync('docs/backup-and-upgrade.md', 'utf8')
    const line = /^ExecStart=\/bin\/sh -c '(.* backup .*)'$/m.exec(unit)![1]!
    const command = line.replaceAll('$$', '$').replaceAll('%%', '%').replace('/backups', folder)
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const options = { cwd: project, env: { PATH: path, TZ: 'UTC', ...env } }
    await promisify(execFile)('/bin/sh', ['-c', command], options)
  }

  it('backup fails without a database and creates none', async () => {
    const { code, err } = await run(['backup', join(folder, 'none')])
    expect([code, err]).to.deep.equal([
      1,
      `backup: there is no database in ${project}/.svc/postgres: set DATABASE_URL, or run npm start in ${project} first\n`,
    ])
    expect(existsSync(join(project, '.svc'))).to.equal(false)
  })

  it('backup without DATABASE_URL names the database that npm start uses', async () => {
    mkdirSync(join(project, '.svc/postgres/data'), { recursive: true })
    writeFileSync(join(project, '.svc/database'), 'calls at db.example.com:5432\n')
    const { code, err } = await run(['backup', join(folder, 'none')])
    expect([code, err]).to.deep.equal([
      1,
      `backup: npm start in ${project} uses the database calls at db.example.com:5432: set DATABASE_URL as it is set there\n`,
    ])
  })
})
