import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConfigError } from '../../platform/config/config.ts'
import { FirstAccessSetup } from './first-credentials.ts'
import { hashDatabaseUrl, loadOrCreateInstallationSecrets, generateReadablePassword } from './secret-store.ts'
import { createStartPlan, addSecretsToStartPlan } from './plan.ts'
import { formatStartReport } from './report.ts'

describe('settings of npm start', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-plan-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const plan = (env: NodeJS.ProcessEnv = {}) => createStartPlan(env, { audioDir: join(folder, 'audio') })

  it('npm start uses only this machine, without HTTPS, and a model without download', () => {
    expect(plan().config).to.include({
      host: '127.0.0.1',
      asrUrl: 'http://127.0.0.1:8000',
      apiUrl: 'http://127.0.0.1:3001',
      ASR_MODEL: 'moonshine-base-en',
      COOKIE_SECURE: false,
      TRUSTED_PROXY_HOPS: 0,
    })
  })

  it('the environment overrides the defaults of npm start, unless a value is empty', () => {
    const { config } = plan({ ASR_MODEL: 't-one', COOKIE_SECURE: ' ', TRUSTED_PROXY_HOPS: '2' })
    expect(config).to.include({ ASR_MODEL: 't-one', COOKIE_SECURE: false, TRUSTED_PROXY_HOPS: 2 })
  })

  it('npm start validates the environment like every command', () => {
    expect(() => plan({ TRANSCRIPTION_CONCURRENCY: '9' })).to.throw(ConfigError, 'TRANSCRIPTION_CONCURRENCY')
  })

  it('secrets are generated once, and configured secrets take precedence', () => {
    const [first, second] = [loadOrCreateInstallationSecrets(folder), loadOrCreateInstallationSecrets(folder)]
    expect(first).to.deep.equal(second)
    expect(first.sessionSecret.length).to.be.at.least(32)
    const { config } = addSecretsToStartPlan(plan({ ASR_API_KEY: 'given' }), first)
    expect(config).to.include({ ASR_API_KEY: 'given', SESSION_SECRET: first.sessionSecret })
  })

  it('generated passwords are long and differ', () => {
    const passwords = Array.from({ length: 50 }, generateReadablePassword)
    expect(new Set(passwords).size).to.equal(50)
    for (const password of passwords) expect(password).to.match(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
  })

  it('the key of a database is a hash of its host and name', () => {
    const [one, other] = ['one', 'other'].map((name) => hashDatabaseUrl(`postgres://me:secret@db.example:5432/${name}`))
    expect(one)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(other)
    expect(hashDatabaseUrl('postgres://you:changed@db.example:5432/one')).to.equal(one)
  })

  it('a generated password is stored only until it was shown', () => {
    const owner = () => new FirstAccessSetup(plan(), false).bootstrapConfig().BOOTSTRAP_ADMIN_PASSWORD
    const password = owner()
    expect(owner(), 'after a start that was killed').to.equal(password)
    new FirstAccessSetup(plan(), false).recordShown({ email: 'owner@example.com', password, key: 'svc_x' })
    expect(owner()).to.equal(undefined)
    expect(JSON.stringify(loadOrCreateInstallationSecrets(folder))).not.to.include(password)
  })

  it('a new database gets a first owner again', () => {
    new FirstAccessSetup(plan(), true).recordShown({ email: 'owner@example.com', key: 'svc_x' })
    expect(new FirstAccessSetup(plan(), false).bootstrapConfig()).to.deep.equal({})
    expect(new FirstAccessSetup(plan(), true).bootstrapConfig()).to.have.keys(
      'BOOTSTRAP_ADMIN_EMAIL',
      'BOOTSTRAP_ADMIN_PASSWORD',
    )
  })

  it('a configured password is not printed', () => {
    const env = { BOOTSTRAP_ADMIN_EMAIL: 'olga@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'a given password' }
    const access = new FirstAccessSetup(plan(env), true)
    expect(access.bootstrapConfig()).to.deep.equal(env)
    const text = formatStartReport(plan(env), '/', { email: 'olga@example.com', key: 'svc_x' }, undefined)
    expect(text).to.include('olga@example.com').and.include('(password as given)').and.not.include('a given')
    access.recordShown({ email: 'olga@example.com', key: 'svc_x' })
    const later = formatStartReport(plan(env), '/', undefined, new FirstAccessSetup(plan(env), false).shown)
    expect(later).to.include('the password was given at the first start')
  })

  it('the first owner gets a default for a missing email or password', () => {
    const made = (env: Record<string, string>) => new FirstAccessSetup(plan(env), true).bootstrapConfig()
    const named = made({ BOOTSTRAP_ADMIN_EMAIL: 'olga@example.com' })
    expect(named.BOOTSTRAP_ADMIN_EMAIL).to.equal('olga@example.com')
    expect(named.BOOTSTRAP_ADMIN_PASSWORD!.length).to.be.at.least(8)
    const unnamed = made({ BOOTSTRAP_ADMIN_PASSWORD: 'a given password' })
    expect(unnamed).to.deep.equal({
      BOOTSTRAP_ADMIN_EMAIL: 'owner@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'a given password',
    })
  })

  it('the report names no owner if the database already had people', () => {
    const text = formatStartReport(plan(), '/', undefined, { at: '2026-01-01' })
    expect(text)
      .to.include('an account of this database')
      .and.not.match(/shown|owner@/i)
  })

  it('the report prints a path to the sample that works in the caller’s folder', () => {
    const here = plan()
    expect(formatStartReport(here, here.project, undefined, undefined)).to.include('-F file=@samples/sales-call.wav ')
    expect(formatStartReport(here, '/', undefined, undefined)).to.include(join(here.project, 'samples/sales-call.wav'))
  })
})
