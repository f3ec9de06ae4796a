import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import type { Config } from '../config.ts'
import { freePort } from '../lib/free-port.ts'
import { ServiceProcess, svc } from '../test/process.ts'
import { createDatabase } from '../test/server.ts'
import { until } from '../test/wait.ts'
import { lockFolder } from './lock.ts'

describe('the data of npm start in its own Postgres', () => {
  let project: string
  let bundle: string
  let started: ServiceProcess
  let api: string
  let call: string

  before(async () => {
    ;({ project, bundle } = copyOfProject())
    const ports = { panelPort: await freePort(), apiPort: await freePort(), asrPort: await freePort() }
    api = `http://127.0.0.1:${ports.apiPort}`
    const config: Partial<Config> = { ...ports, metricsPort: 0, ASR_MODEL: 'moonshine-tiny-en' }
    started = new ServiceProcess('start', config, {}, [], bundle)
    await until('it is ready', () => {
      if (started.exit) throw new Error(`it ended:\n${started.text}`)
      return started.text.includes('Ctrl-C stops everything')
    })
    const body = new FormData()
    body.set('file', new Blob(['some sound']), 'call.wav')
    const headers = { 'X-API-Key': shown('API key') }
    const answer = await fetch(`${api}/v1/recordings`, { method: 'POST', headers, body })
    expect(answer.status).to.equal(201)
    call = ((await answer.json()) as { id: string }).id
  })
  after(async () => {
    await started.end('SIGTERM')
    rmSync(project, { recursive: true, force: true })
  })

  const shown = (name: string): string => new RegExp(`^ {2}${name} +(\\S+)`, 'm').exec(started.text)?.[1] ?? ''
  const run = (args: string[], env: NodeJS.ProcessEnv = {}) => svc(args, env, bundle)
  const soundOf = (backup: string) => readFileSync(join(project, backup, 'audio.jsonl'), 'utf8')
  const postmaster = () => join(project, '.svc/postgres/data/postmaster.pid')

  it('is backed up while it runs', async () => {
    const { code, out, err } = await run(['backup', join(project, 'running')])
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out).to.match(/ tables and 1 audio files \(10 bytes\): /)
    expect(existsSync(postmaster()), 'its Postgres goes on').to.equal(true)
  })

  it('gets a new password for its owner while it runs', async () => {
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

  it('is backed up after it has stopped, by a Postgres that is started for the while', async () => {
    expect((await started.end('SIGINT')).code).to.equal(0)
    const { code, err } = await run(['backup', join(project, 'stopped')])
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(soundOf('stopped')).to.equal(soundOf('running'))
    expect(existsSync(postmaster()), 'it has stopped again').to.equal(false)
  })

  it('moves into a database of one’s own, where its sound is already', async () => {
    const database = await createDatabase('template0')
    const client = new pg.Client({ connectionString: database.url })
    try {
      const env = { DATABASE_URL: database.url }
      const { code, out, err } = await run(['restore', join(project, 'stopped')], env)
      expect({ code, err }).to.deep.equal({ code: 0, err: '' })
      expect(out).to.include('restored the backup of ')
      await client.connect()
      expect((await client.query('SELECT id FROM recordings')).rows).to.deep.equal([{ id: call }])
      const checked = await run(['check'], env)
      expect([checked.code, checked.err]).to.deep.equal([0, ''])
      expect(existsSync(postmaster()), 'its own stays as it is').to.equal(false)
    } finally {
      await client.end()
      await database.drop()
    }
  })

  it('is left alone while npm start is just starting or stopping', async () => {
    await lockFolder(join(project, '.svc'))
    const { code, out, err } = await run(['backup', join(project, 'third')])
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.match(/^backup: npm start is just starting or stopping here/)
  })
})

/** A project of its own with the bundle under test: .svc lies beside the folder of the bundle. */
function copyOfProject(): { project: string; bundle: string } {
  const built = dirname(process.env['SVC_TEST_BUNDLE']!)
  const project = mkdtempSync(join(tmpdir(), 'svc-own-'))
  chmodSync(project, 0o755) // as root, Postgres runs as another user, who must pass through
  for (const name of readdirSync(dirname(built))) {
    if (!/^(\.|dist)/.test(name)) symlinkSync(join(dirname(built), name), join(project, name))
  }
  const isProgram = (path: string) => path === built || /^[^/]*\.js$/.test(path.slice(built.length + 1))
  cpSync(built, join(project, 'dist'), { recursive: true, filter: isProgram })
  return { project, bundle: join(project, 'dist/svc.js') }
}
