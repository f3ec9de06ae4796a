import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import type { Config } from '../../platform/config/config.ts'
import { findFreePort, retryOnTakenPort } from '../../platform/lib/free-port.ts'
import { ServiceProcess, runServiceCommand } from '../../test/service-process.ts'
import { createProjectCopy } from '../../test/project-copy.ts'
import { createDatabaseFromTemplate } from '../../test/server.ts'
import { waitUntil } from '../../test/wait.ts'
import { lockInstallationFolder } from './lock.ts'

describe('backup and restore with the embedded Postgres', () => {
  let project: string
  let bundle: string
  let started: ServiceProcess
  let api: string
  let call: string

  before(async () => {
    ;({ project, bundle } = createProjectCopy())
    await retryOnTakenPort(async () => {
      const ports = { panelPort: await findFreePort(), apiPort: await findFreePort(), asrPort: await findFreePort() }
      api = `http://127.0.0.1:${ports.apiPort}`
      const config: Partial<Config> = { ...ports, metricsPort: 0, ASR_MODEL: 'moonshine-tiny-en' }
      started = new ServiceProcess('start', config, {}, [], bundle)
      await waitUntil('it is ready', () => {
        if (started.exit) throw new Error(`it ended:\n${started.text}`)
        return started.text.includes('Ctrl-C stops everything')
      })
    })
    const body = new FormData()
    body.set('file', new Blob(['some sound']), 'call.wav')
    const headers = { 'X-API-Key': shown('API key') }
    const answer = await fetch(`${api}/v1/recordings`, { method: 'POST', headers, body })
    expect(answer.status).to.equal(201)
    call = ((await answer.json()) as { id: string }).id
  })
  after(async () => {
    await started.stop('SIGTERM')
    rmSync(project, { recursive: true, force: true })
  })

  const shown = (name: string): string => new RegExp(`^ {2}${name} +(\\S+)`, 'm').exec(started.text)?.[1] ?? ''
  const run = (args: string[], env: NodeJS.ProcessEnv = {}) => runServiceCommand(args, env, bundle)
  const means = () => `npm start in ${project}: its own Postgres, audio in ${join(project, '.svc/audio')}\n`
  const soundOf = (backup: string) => readFileSync(join(project, backup, 'audio.jsonl'), 'utf8')
  const postmaster = () => join(project, '.svc/postgres/data/postmaster.pid')

  it('backup works while npm start runs', async () => {
    const { code, out, err } = await run(['backup', join(project, 'running')])
    expect({ code, err }).to.deep.equal({ code: 0, err: `backup: ${means()}` })
    expect(out).to.match(/ tables and 1 audio files \(10 bytes\): /)
    expect(existsSync(postmaster()), 'its Postgres goes on').to.equal(true)
  })

  it('reset-password works while npm start runs', async () => {
    const email = shown('Owner')
    const { code, out } = await run(['reset-password', email])
    expect(code).to.equal(0)
    const logIn = async (password: string) => {
      const body = JSON.stringify({ email, password })
      const headers = { 'Content-Type': 'application/json' }
      return (await fetch(`${api}/v1/auth/login`, { method: 'POST', headers, body })).status
    }
    expect([await logIn(shown('Password')), await logIn(out.trim())]).to.deep.equal([401, 200])
  })

  it('backup starts Postgres only for its own duration if npm start is stopped', async () => {
    expect((await started.stop('SIGINT')).code).to.equal(0)
    const { code, err } = await run(['backup', join(project, 'stopped')])
    expect({ code, err }).to.deep.equal({ code: 0, err: `backup: ${means()}` })
    expect(soundOf('stopped')).to.equal(soundOf('running'))
    expect(existsSync(postmaster()), 'it has stopped again').to.equal(false)
  })

  it('restore moves the data into an external database and reuses the audio', async () => {
    const database = await createDatabaseFromTemplate('template0')
    const client = new pg.Client({ connectionString: database.url })
    try {
      const env = { DATABASE_URL: database.url }
      const { code, out, err } = await run(['restore', join(project, 'stopped')], env)
      const { host, pathname } = new URL(database.url)
      const where = `database ${pathname.slice(1)} at ${host}, audio in ${join(project, '.svc/audio')}`
      expect({ code, err }).to.deep.equal({ code: 0, err: `restore: npm start in ${project}: ${where}\n` })
      expect(out).to.include('restored the backup of ')
      await client.connect()
      expect((await client.query('SELECT id FROM recordings')).rows).to.deep.equal([{ id: call }])
      const checked = await run(['check'], env)
      expect([checked.code, checked.out]).to.deep.equal([0, '1 calls and 1 files compared: nothing differs\n'])
      expect(existsSync(postmaster()), 'its own stays as it is').to.equal(false)
    } finally {
      await client.end()
      await database.drop()
    }
  })

  it('backup is rejected while npm start is starting or stopping', async () => {
    await lockInstallationFolder(join(project, '.svc'))
    const { code, out, err } = await run(['backup', join(project, 'third')])
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.match(/^backup: npm start is just starting or stopping here/m)
  })
})
