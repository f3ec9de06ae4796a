import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ConfigError, parseConfig, VARIABLES, type Command } from './config.ts'
import {
  REQUIRED_API_ENV,
  SAMPLE_SECRET,
  collectConfigViolationsWithRequiredEnv,
  collectConfigViolations,
} from '../../test/required-env.ts'

const BAD_URLS = ['ftp://x', 'example.com', '//x']

interface Row {
  default: unknown
  /** Pairs of a valid text and the parsed value. */
  good: [string, unknown][]
  bad: string[]
}
const int = (fallback: number, min: number, max: number): Row => ({
  default: fallback,
  good: [
    [String(min), min],
    [String(max), max],
    [` ${min} `, min],
  ],
  bad: [String(min - 1), String(max + 1), `${min}.5`, 'many', '1e1', '0x1', '99999999999999999999'],
})
const bool = (fallback: boolean): Row => ({
  default: fallback,
  good: [
    ['true', true],
    ['false', false],
  ],
  bad: ['yes', '1', 'TRUE', 'off'],
})
const oneOf = (fallback: string, words: string[]): Row => ({
  default: fallback,
  good: words.map((word) => [word, word]),
  bad: ['other', words[0]!.toUpperCase()],
})
const text = (fallback?: string): Row => ({ default: fallback, good: [['any text', 'any text']], bad: [] })
const link = (fallback?: string): Row => ({
  default: fallback,
  good: ['http://a', 'https://a.example.com/b?c'].map((url) => [url, url]),
  bad: BAD_URLS,
})

/** Lists every variable with its default, valid values and invalid values. */
const TABLE: Record<string, Row> = {
  DATABASE_URL: {
    default: undefined,
    good: ['postgres://a/b', 'postgresql://u:p@h:1/d?sslmode=verify-full', 'postgres://u:p%40%2Fw@h/d'].map((url) => [
      url,
      url,
    ]),
    bad: [
      'mysql://a/b',
      'localhost',
      'postgres://u:p@ss/word@h/d',
      'postgres://u:p@ss#word@h/d',
      'postgres://u:p@h/d?sslmode=bogus',
      'postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/no/such/file',
      'postgres://u:p@h/d?sslcert=/',
    ],
  },
  REDIS_URL: {
    default: undefined,
    good: ['redis://a', 'rediss://u:p@h:1/2'].map((url) => [url, url]),
    bad: ['http://a', 'localhost:6379'],
  },
  ASR_API_KEY: text(),
  SESSION_SECRET: { default: undefined, good: [[SAMPLE_SECRET, SAMPLE_SECRET]], bad: ['x'.repeat(31)] },
  BOOTSTRAP_ADMIN_EMAIL: { default: undefined, good: [['o@example.com', 'o@example.com']], bad: ['olga', 'a@b@c'] },
  BOOTSTRAP_ADMIN_PASSWORD: {
    default: undefined,
    good: ['8 digits', 'x'.repeat(1024), '😀'.repeat(1024)].map((password) => [password, password]),
    bad: ['7 chars', 'x'.repeat(1025)],
  },
  DECODER: oneOf('beam_search', ['beam_search', 'greedy']),
  ASR_MAX_CONCURRENCY: int(2, 1, 64),
  ASR_MEMORY_LIMIT: { default: '3g', good: ['512m', '3G', '1024'].map((raw) => [raw, raw]), bad: ['3 g', 'g', '-1g'] },
  TRANSCRIPTION_CONCURRENCY: int(2, 1, 8),
  MAX_UPLOAD_MB: int(512, 1, 102_400),
  API_RUN_MODE: oneOf('all', ['all', 'api', 'worker']),
  COOKIE_SECURE: bool(true),
  TRUSTED_PROXY_HOPS: int(1, 0, 10),
  LOGIN_MAX_FAILURES: int(10, 1, 10_000),
  LOGIN_FAILURE_WINDOW_SECONDS: int(300, 1, 86_400),
  CALLBACK_SIGNING_SECRET: { default: undefined, good: [['x'.repeat(16), 'x'.repeat(16)]], bad: ['x'.repeat(15)] },
  STORAGE_KIND: oneOf('local', ['local', 's3']),
  INGESTION_SOURCE: oneOf('none', ['none', 'local-inbox', 's3']),
  INGESTION_LOCAL_PREFIX: {
    default: 'inbox',
    good: [['a/b', 'a/b']],
    bad: ['/', '/a', '../a', 'a/../b', './a', 'a//b', 'a\\\\b', 'a?'],
  },
  S3_BUCKET: text(),
  S3_ACCESS_KEY_ID: text(),
  S3_SECRET_ACCESS_KEY: text(),
  S3_ENDPOINT_URL: link(),
  S3_REGION: text('us-east-1'),
  S3_UPLOAD_PREFIX: { default: 'uploads/', good: [['a/', 'a/']], bad: ['/a', 'a/..'] },
  S3_INGEST_PREFIX: { default: '', good: [['in/', 'in/']], bad: ['/in', '..'] },
  S3_FORCE_PATH_STYLE: bool(true),
  CRM_WEBHOOK_URL: link(),
  CRM_EVENT_TOKEN: text(),
  CRM_WRITE_WEBHOOK_URL: link(),
  PUBLIC_BASE_URL: link(),
  SMTP_URL: {
    default: undefined,
    good: ['smtp://mail', 'smtps://user:p%40ss@mail.example.com:465?tls.rejectUnauthorized=false'].map((url) => [
      url,
      url,
    ]),
    bad: ['mail.example.com', 'http://mail', 'smtp://user:p@ss/word@mail'],
  },
  SMTP_FROM: { default: undefined, good: [['calls@example.com', 'calls@example.com']], bad: ['calls', 'a@b@c'] },
  ANALYSIS_PROVIDER: oneOf('rules', ['rules', 'llm-compatible', 'mock', 'none']),
  ANALYSIS_BASE_URL: link(),
  ANALYSIS_MODEL: text(),
  ANALYSIS_API_KEY: text(),
  ANALYSIS_ALLOW_EXTERNAL_EGRESS: bool(false),
  ANALYSIS_RESPONSE_FORMAT: oneOf('json_object', ['json_object', 'json_schema']),
  ANALYSIS_EXTRA_BODY: {
    default: { chat_template_kwargs: { enable_thinking: false } },
    good: [
      ['{}', {}],
      ['{"a":[1]}', { a: [1] }],
    ],
    bad: ['[]', 'null', '1', '{', '"text"'],
  },
  ANALYSIS_CONCURRENCY: int(2, 1, 8),
  ANALYSIS_REQUESTS_PER_MINUTE: int(60, 1, 600),
  ANALYSIS_REQUEST_TIMEOUT_SECONDS: int(180, 5, 600),
  ANALYSIS_PRICE_INPUT_PER_MILLION: { default: undefined, good: [['0.15', 0.15]], bad: ['-1', 'free', 'Infinity'] },
  ANALYSIS_PRICE_OUTPUT_PER_MILLION: { default: undefined, good: [['0', 0]], bad: ['-0.1', 'NaN'] },
  ANALYSIS_PRICE_CURRENCY: text('BYN'),
  ANALYSIS_SEED_RULES: bool(true),
  APP_TIMEZONE: {
    default: 'Europe/Moscow',
    good: [['Asia/Tokyo', 'Asia/Tokyo']],
    bad: ['Mars/Olympus', '+03:00', '-0300', '+03', 'UTC+3'],
  },
  SCORE_BANDS: {
    default: [50, 70],
    good: [
      ['40, 85', [40, 85]],
      ['1,100', [1, 100]],
    ],
    bad: ['50', '70,50', '50,50', '0,50', '50,101', '50,70,90', '50;70', '49.5,70', '-1,70'],
  },
  CORRELATION_BOOTSTRAP_REPLICATES: int(1000, 20, 5000),
  SESSION_TTL_HOURS: int(168, 1, 87_600),
  TRANSCRIPTION_ATTEMPTS: int(5, 1, 20),
  TRANSCRIPTION_RETRY_DELAY_SECONDS: int(30, 1, 3600),
  CRM_FETCH_RETRY_DELAY_SECONDS: int(30, 1, 3600),
  CRM_EXPORT_PAUSE_SECONDS: int(2, 0, 3600),
  CRM_SYNC_PAUSE_SECONDS: int(1, 0, 3600),
  CALLBACK_RETRY_DELAY_SECONDS: int(30, 1, 3600),
  ALLOW_PRIVATE_NETWORK_DOWNLOADS: bool(false),
  QUEUE_PREFIX: { default: 'svc', good: [['stage-2:a_b.c', 'stage-2:a_b.c']], bad: ['a b', '{x}', 'ы'] },
  DATABASE_WAIT_SECONDS: int(60, 0, 3600),
  CRM_PHONE_COUNTRIES: {
    default: ['BY', 'RU'],
    good: [
      ['KZ, RU,KZ', ['KZ', 'RU']],
      ['DE', ['DE']],
    ],
    bad: ['ru', 'QQ', 'RUS', 'BY,', '7', 'BY RU'],
  },
  LOG_LEVEL: oneOf('info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  ASR_MODEL: oneOf('t-one', ['t-one', 'moonshine-base-en', 'moonshine-tiny-en']),
  ASR_MODEL_HUB_URL: link('https://huggingface.co'),
}

/** Lists the other variables that a value of each variable requires. */
const COMPANIONS: Record<string, Record<string, string>> = {
  ANALYSIS_PRICE_INPUT_PER_MILLION: { ANALYSIS_PRICE_OUTPUT_PER_MILLION: '1' },
  ANALYSIS_PRICE_OUTPUT_PER_MILLION: { ANALYSIS_PRICE_INPUT_PER_MILLION: '1' },
  TRANSCRIPTION_CONCURRENCY: { ASR_MAX_CONCURRENCY: '64' },
  SMTP_URL: { SMTP_FROM: 'calls@example.com', PUBLIC_BASE_URL: 'https://calls.example.com' },
  SMTP_FROM: { SMTP_URL: 'smtp://mail', PUBLIC_BASE_URL: 'https://calls.example.com' },
  STORAGE_KIND: { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' },
  INGESTION_SOURCE: { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's', S3_INGEST_PREFIX: 'in/' },
  ANALYSIS_PROVIDER: { ANALYSIS_BASE_URL: 'http://m', ANALYSIS_MODEL: 'm', ANALYSIS_ALLOW_EXTERNAL_EGRESS: 'true' },
}

describe('configuration', () => {
  const parse = (env: Record<string, string>, command: Command = 'api') =>
    parseConfig(command, { ...REQUIRED_API_ENV, ...env })

  it('this test covers every configuration variable', () => {
    expect(Object.keys(VARIABLES)).to.have.members(Object.keys(TABLE))
  })

  for (const [name, row] of Object.entries(TABLE)) {
    it(`${name} has its default, accepts valid values and rejects invalid ones`, () => {
      const withoutIt = Object.fromEntries(Object.entries(REQUIRED_API_ENV).filter(([required]) => required !== name))
      if (name in REQUIRED_API_ENV) {
        for (const env of [withoutIt, { ...withoutIt, [name]: '' }, { ...withoutIt, [name]: ' \t' }]) {
          expect(collectConfigViolations(env)).to.deep.equal([`${name}: is required`])
        }
      } else {
        for (const env of [{}, { [name]: '' }, { [name]: '  ' }]) {
          expect(parse(env)[name as keyof typeof VARIABLES]).to.deep.equal(row.default)
        }
      }
      for (const [raw, value] of row.good) {
        expect(parse({ ...COMPANIONS[name], [name]: raw })[name as keyof typeof VARIABLES], raw).to.deep.equal(value)
      }
      for (const raw of row.bad) {
        const found = collectConfigViolationsWithRequiredEnv({ ...COMPANIONS[name], [name]: raw })
        expect(found, raw).to.have.length(1)
        expect(found[0], raw).to.match(new RegExp(`^${name}: must `))
      }
    })
  }

  it('TRANSCRIPTION_CONCURRENCY does not exceed ASR_MAX_CONCURRENCY by default', () => {
    expect(parse({}).TRANSCRIPTION_CONCURRENCY).to.equal(2)
    expect(parse({ ASR_MAX_CONCURRENCY: '1' }).TRANSCRIPTION_CONCURRENCY).to.equal(1)
    expect(parse({ ASR_MAX_CONCURRENCY: '8' }).TRANSCRIPTION_CONCURRENCY).to.equal(2)
  })

  it('a command requires only the variables that it needs', () => {
    expect(collectConfigViolations({}, 'api').map((violation) => violation.split(':')[0])).to.deep.equal(
      Object.keys(REQUIRED_API_ENV),
    )
    expect(collectConfigViolations({}, 'migrate')).to.deep.equal(['DATABASE_URL: is required'])
    expect(collectConfigViolations({}, 'asr')).to.deep.equal(['ASR_API_KEY: is required'])
    expect(collectConfigViolations({}, 'dashboard')).to.deep.equal([])
    expect(collectConfigViolations({}, 'start')).to.deep.equal([])
  })

  it('a configuration error lists each invalid variable once', () => {
    const env = Object.fromEntries(
      Object.entries(TABLE).flatMap(([name, { bad }]) => (bad[0] === undefined ? [] : [[name, bad[0]]])),
    )
    const found = collectConfigViolationsWithRequiredEnv(env)
    expect(found.map((violation) => violation.split(':')[0])).to.have.members(Object.keys(env))
    const message = new ConfigError(found).message
    expect(message).to.match(new RegExp(`^The configuration has ${found.length} errors:\n`))
  })

  it('an invalid variable causes no error of another variable', () => {
    expect(
      collectConfigViolationsWithRequiredEnv({ ASR_MAX_CONCURRENCY: 'many', TRANSCRIPTION_CONCURRENCY: '8' }),
    ).to.deep.equal(['ASR_MAX_CONCURRENCY: must be a whole number from 1 to 64'])
    const s3 = { INGESTION_SOURCE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' }
    expect(collectConfigViolationsWithRequiredEnv({ ...s3, S3_UPLOAD_PREFIX: '/up' })).to.deep.equal([
      'S3_UPLOAD_PREFIX: must be a relative folder without ".."',
    ])
  })

  it('a configuration error never contains the value of a secret', () => {
    for (let n = 0; n < 20; n++) {
      const canary = `canary-${n}-${'!'.repeat(n % 4)}`
      const secrets = Object.entries(VARIABLES).filter(([, variable]) => 'secret' in variable)
      const env = Object.fromEntries(secrets.map(([name]) => [name, n % 2 ? canary : `x://${canary}@${canary}:port/`]))
      try {
        parseConfig('api', { ...env, TRANSCRIPTION_CONCURRENCY: canary })
        expect.fail('it should have been refused')
      } catch (error) {
        const { message, stack, violations: found } = error as ConfigError
        expect(`${message} ${stack} ${JSON.stringify(found)}`).not.to.include(`canary-${n}`)
      }
    }
  })

  it('NAME_FILE gives the file of a secret and takes precedence over NAME', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
    const file = join(folder, 'secret')
    writeFileSync(file, `${'y'.repeat(32)}\n`)
    const { SESSION_SECRET: _, ...others } = REQUIRED_API_ENV
    expect(parseConfig('api', { ...others, SESSION_SECRET_FILE: file }).SESSION_SECRET).to.equal('y'.repeat(32))
    expect(parseConfig('api', { ...REQUIRED_API_ENV, SESSION_SECRET_FILE: file }).SESSION_SECRET).to.equal(
      'y'.repeat(32),
    )
    expect(collectConfigViolationsWithRequiredEnv({ SESSION_SECRET_FILE: join(folder, 'none') })).to.deep.equal([
      'SESSION_SECRET: the file that SESSION_SECRET_FILE names cannot be read (ENOENT)',
    ])
    writeFileSync(file, 'short')
    expect(collectConfigViolationsWithRequiredEnv({ SESSION_SECRET_FILE: file })).to.deep.equal([
      'SESSION_SECRET: must have at least 32 characters',
    ])
    expect(parseConfig('api', { ...REQUIRED_API_ENV, LOG_LEVEL_FILE: file }).LOG_LEVEL, 'no secret').to.equal('info')
    rmSync(folder, { recursive: true })
  })

  it('every variable with a secret is marked as secret', () => {
    const secret = Object.entries(VARIABLES).flatMap(([name, variable]) => ('secret' in variable ? [name] : []))
    expect(secret).to.include.members(Object.keys(VARIABLES).filter((name) => /SECRET|PASSWORD|_KEY$|TOKEN/.test(name)))
    expect(secret).to.include.members([
      'DATABASE_URL',
      'REDIS_URL',
      'CRM_WEBHOOK_URL',
      'CRM_WRITE_WEBHOOK_URL',
      'SMTP_URL',
    ])
  })

  it('overrides take precedence over the environment and satisfy required variables', () => {
    const config = parseConfig('api', { MAX_UPLOAD_MB: '5' }, { ...REQUIRED_API_ENV, MAX_UPLOAD_MB: 7, apiPort: 0 })
    expect(config).to.include({ MAX_UPLOAD_MB: 7, apiPort: 0, SESSION_SECRET: SAMPLE_SECRET })
  })

  it('no environment variable changes ports, addresses, folders or the body timeout', () => {
    const config = parse({ PORT: '1', apiPort: '1', API_PORT: '1', HOST: 'x', asrUrl: 'http://evil', audioDir: '/x' })
    expect(config).to.include({
      host: '0.0.0.0',
      apiPort: 3001,
      panelPort: 3000,
      metricsPort: 9464,
      asrPort: 8000,
      asrUrl: 'http://svc-asr:8000',
      apiUrl: 'http://svc-api:3001',
      audioDir: '/data/audio',
      modelsDir: '/models',
      bodySeconds: 30,
    })
  })
})
