import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConfigError } from '../../platform/config/config.ts'
import { FirstAccessSetup } from './first-credentials.ts'
import { hashDatabaseUrl, loadOrCreateInstallationSecrets, generateReadablePassword } from './secret-store.ts'
import { createStartPlan, addSecretsToStartPlan } from './plan.ts'
import { formatStartReport } from './report.ts'

describe('the plan of a start', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-plan-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const plan = (env: NodeJS.ProcessEnv = {}) => createStartPlan(env, { audioDir: join(folder, 'audio') })

  it('keeps to this machine, without HTTPS and proxy, with a model that needs no download', () => {
    expect(plan().config).to.include({
      host: '127.0.0.1',
      asrUrl: 'http://127.0.0.1:8000',
      apiUrl: 'http://127.0.0.1:3001',
      ASR_MODEL: 'moonshine-base-en',
      COOKIE_SECURE: false,
      TRUSTED_PROXY_HOPS: 0,
    })
  })

  it('gives way to the environment, in which an empty value is an absent one', () => {
    const { config } = plan({ ASR_MODEL: 't-one', COOKIE_SECURE: ' ', TRUSTED_PROXY_HOPS: '2' })
    expect(config).to.include({ ASR_MODEL: 't-one', COOKIE_SECURE: false, TRUSTED_PROXY_HOPS: 2 })
  })

  it('checks the environment like every command', () => {
    expect(() => plan({ TRANSCRIPTION_CONCURRENCY: '9' })).to.throw(ConfigError, 'TRANSCRIPTION_CONCURRENCY')
  })

  it('generates the secrets once, and uses those that are given', () => {
    const [first, second] = [loadOrCreateInstallationSecrets(folder), loadOrCreateInstallationSecrets(folder)]
    expect(first).to.deep.equal(second)
    expect(first.sessionSecret.length).to.be.at.least(32)
    const { config } = addSecretsToStartPlan(plan({ ASR_API_KEY: 'given' }), first)
    expect(config).to.include({ ASR_API_KEY: 'given', SESSION_SECRET: first.sessionSecret })
  })

  it('makes passwords that are long enough and never the same', () => {
    const passwords = Array.from({ length: 50 }, generateReadablePassword)
    expect(new Set(passwords).size).to.equal(50)
    for (const password of passwords) expect(password).to.match(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
  })

  it('tells databases apart without keeping their addresses', () => {
    const [one, other] = ['one', 'other'].map((name) => hashDatabaseUrl(`postgres://me:secret@db.example:5432/${name}`))
    expect(one)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(other)
    expect(hashDatabaseUrl('postgres://you:changed@db.example:5432/one')).to.equal(one)
  })

  it('keeps a generated password only until it has been shown', () => {
    const owner = () => new FirstAccessSetup(plan(), false).bootstrapConfig().BOOTSTRAP_ADMIN_PASSWORD
    const password = owner()
    expect(owner(), 'after a start that was killed').to.equal(password)
    new FirstAccessSetup(plan(), false).recordShown({ email: 'owner@example.com', password, key: 'svc_x' })
    expect(owner()).to.equal(undefined)
    expect(JSON.stringify(loadOrCreateInstallationSecrets(folder))).not.to.include(password)
  })

  it('makes the first owner again when the database is new', () => {
    new FirstAccessSetup(plan(), true).recordShown({ email: 'owner@example.com', key: 'svc_x' })
    expect(new FirstAccessSetup(plan(), false).bootstrapConfig()).to.deep.equal({})
    expect(new FirstAccessSetup(plan(), true).bootstrapConfig()).to.have.keys(
      'BOOTSTRAP_ADMIN_EMAIL',
      'BOOTSTRAP_ADMIN_PASSWORD',
    )
  })

  it('does not print a password that was given', () => {
    const env = { BOOTSTRAP_ADMIN_EMAIL: 'olga@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'a given password' }
    const access = new FirstAccessSetup(plan(env), true)
    expect(access.bootstrapConfig()).to.deep.equal(env)
    const text = formatStartReport(plan(env), '/', { email: 'olga@example.com', key: 'svc_x' }, undefined)
    expect(text).to.include('olga@example.com').and.include('(password as given)').and.not.include('a given')
    access.recordShown({ email: 'olga@example.com', key: 'svc_x' })
    const later = formatStartReport(plan(env), '/', undefined, new FirstAccessSetup(plan(env), false).shown)
    expect(later).to.include('the password was given at the first start')
  })

  it('makes up what is not given of the first owner', () => {
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

  it('claims nothing about people in a database that had some', () => {
    const text = formatStartReport(plan(), '/', undefined, { at: '2026-01-01' })
    expect(text)
      .to.include('an account of this database')
      .and.not.match(/shown|owner@/i)
  })

  it('prints a path to the sample that works from where the person is', () => {
    const here = plan()
    expect(formatStartReport(here, here.project, undefined, undefined)).to.include('-F file=@samples/call.wav ')
    expect(formatStartReport(here, '/', undefined, undefined)).to.include(join(here.project, 'samples/call.wav'))
  })
})
