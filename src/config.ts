import {
  asFolder,
  bool,
  countries,
  databaseUrl,
  email,
  int,
  jsonObject,
  memory,
  number,
  oneOf,
  pathPrefix,
  serverUrl,
  text,
  timeZone,
  url,
  type Variable,
} from './lib/variables.ts'
import { readSecretFiles } from './lib/secret-files.ts'

/** The commands that read a configuration. */
export type Command = 'migrate' | 'api' | 'asr' | 'dashboard' | 'start' | 'transcribe'

/** Where a variable is needed and how it travels. */
interface Use {
  /** Commands that refuse to start without it. */
  neededBy?: Command[]
  /** Never shown: not in logs, errors or pages. */
  secret?: true
  /** False: in the code, but not passed by compose.yml. */
  stack?: false
}

const entry = <T>(variable: Variable<T>, use: Use = {}): Variable<T> & Use => ({ ...variable, ...use })
const secret = true as const
const stack = false as const

/** Every variable of the environment, in the order of the specification. */
export const VARIABLES = {
  DATABASE_URL: entry(databaseUrl(), { secret, neededBy: ['migrate', 'api'] }),
  REDIS_URL: entry(serverUrl(['redis', 'rediss']), { secret, neededBy: ['api'] }),
  ASR_API_KEY: entry(text({ pattern: /^[\x20-\x7e]+$/, rule: 'letters, digits and signs of ASCII only' }), {
    secret,
    neededBy: ['api', 'asr'],
  }),
  SESSION_SECRET: entry(text({ min: 32 }), { secret, neededBy: ['api'] }),

  BOOTSTRAP_ADMIN_EMAIL: entry(email()),
  // As long as a login takes it.
  BOOTSTRAP_ADMIN_PASSWORD: entry(text({ min: 8, max: 1024 }), { secret }),

  DECODER: entry(oneOf(['beam_search', 'greedy'], 'beam_search')),
  ASR_MAX_CONCURRENCY: entry(int(2, 1, 64)),
  ASR_MEMORY_LIMIT: entry(memory('3g')),
  TRANSCRIPTION_CONCURRENCY: entry(int(2, 1, 8)),
  MAX_UPLOAD_MB: entry(int(512, 1, 102_400)),
  API_RUN_MODE: entry(oneOf(['all', 'api', 'worker'], 'all')),

  COOKIE_SECURE: entry(bool(true)),
  TRUSTED_PROXY_HOPS: entry(int(1, 0, 10)),
  LOGIN_MAX_FAILURES: entry(int(10, 1, 10_000)),
  LOGIN_FAILURE_WINDOW_SECONDS: entry(int(300, 1, 86_400)),
  CALLBACK_SIGNING_SECRET: entry(text({ min: 16 }), { secret }),

  STORAGE_KIND: entry(oneOf(['local', 's3'], 'local')),
  INGESTION_SOURCE: entry(oneOf(['none', 'local-inbox', 's3'], 'none')),
  INGESTION_LOCAL_PREFIX: entry(pathPrefix('inbox')),
  S3_BUCKET: entry(text()),
  S3_ACCESS_KEY_ID: entry(text(), { secret }),
  S3_SECRET_ACCESS_KEY: entry(text(), { secret }),
  S3_ENDPOINT_URL: entry(url(['http', 'https'])),
  S3_REGION: entry(text({ default: 'us-east-1' })),
  S3_UPLOAD_PREFIX: entry(pathPrefix('uploads/')),
  S3_INGEST_PREFIX: entry(pathPrefix('')),
  S3_FORCE_PATH_STYLE: entry(bool(true)),

  CRM_WEBHOOK_URL: entry(url(['http', 'https']), { secret }),
  CRM_EVENT_TOKEN: entry(text(), { secret }),
  CRM_WRITE_WEBHOOK_URL: entry(url(['http', 'https']), { secret }),
  PUBLIC_BASE_URL: entry(url(['http', 'https'])),

  ANALYSIS_PROVIDER: entry(oneOf(['rules', 'llm-compatible', 'mock', 'none'], 'rules')),
  ANALYSIS_BASE_URL: entry(url(['http', 'https'])),
  ANALYSIS_MODEL: entry(text()),
  ANALYSIS_API_KEY: entry(text(), { secret }),
  ANALYSIS_ALLOW_EXTERNAL_EGRESS: entry(bool(false)),
  ANALYSIS_RESPONSE_FORMAT: entry(oneOf(['json_object', 'json_schema'], 'json_object')),
  ANALYSIS_EXTRA_BODY: entry(jsonObject({ chat_template_kwargs: { enable_thinking: false } })),
  ANALYSIS_CONCURRENCY: entry(int(2, 1, 8)),
  ANALYSIS_REQUESTS_PER_MINUTE: entry(int(60, 1, 600)),
  ANALYSIS_REQUEST_TIMEOUT_SECONDS: entry(int(180, 5, 600)),
  ANALYSIS_PRICE_INPUT_PER_MILLION: entry(number(0)),
  ANALYSIS_PRICE_OUTPUT_PER_MILLION: entry(number(0)),
  ANALYSIS_PRICE_CURRENCY: entry(text({ default: 'BYN' })),
  ANALYSIS_SEED_RULES: entry(bool(true)),

  APP_TIMEZONE: entry(timeZone('Europe/Moscow')),
  CORRELATION_BOOTSTRAP_REPLICATES: entry(int(1000, 20, 5000)),

  SESSION_TTL_HOURS: entry(int(168, 1, 87_600), { stack }),
  TRANSCRIPTION_ATTEMPTS: entry(int(5, 1, 20), { stack }),
  TRANSCRIPTION_RETRY_DELAY_SECONDS: entry(int(30, 1, 3600), { stack }),
  CRM_FETCH_RETRY_DELAY_SECONDS: entry(int(30, 1, 3600), { stack }),
  CRM_EXPORT_PAUSE_SECONDS: entry(int(2, 0, 3600), { stack }),
  CRM_SYNC_PAUSE_SECONDS: entry(int(1, 0, 3600), { stack }),
  CALLBACK_RETRY_DELAY_SECONDS: entry(int(30, 1, 3600), { stack }),
  ALLOW_PRIVATE_NETWORK_DOWNLOADS: entry(bool(false), { stack }),
  QUEUE_PREFIX: entry(
    text({ default: 'svc', pattern: /^[A-Za-z0-9:_.-]+$/, rule: 'letters, digits and : _ . - only' }),
    {
      stack,
    },
  ),
  DATABASE_WAIT_SECONDS: entry(int(60, 0, 3600), { stack }),

  CRM_PHONE_COUNTRIES: entry(countries(['BY', 'RU'])),
  LOG_LEVEL: entry(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info')),
  ASR_MODEL: entry(oneOf(['t-one', 'moonshine-base-en', 'moonshine-tiny-en'], 't-one')),
  ASR_MODEL_HUB_URL: entry(url(['http', 'https'], 'https://huggingface.co')),
}

type Value<V> = V extends Variable<infer T> ? T : never
type Values = { [K in keyof typeof VARIABLES]: Value<(typeof VARIABLES)[K]> }

/** Ports, addresses and folders: fixed in the stack, other values only from code (`start` and the tests). */
export interface Endpoints {
  /** Address the servers listen on. */
  host: string
  apiPort: number
  asrPort: number
  panelPort: number
  /** Where a process serves its metrics. */
  metricsPort: number
  asrUrl: string
  apiUrl: string
  audioDir: string
  modelsDir: string
  /** Within what time a body must arrive that is no upload: JSON, and the forms of the panel. */
  bodySeconds: number
  /** For how long a stop lets running jobs finish; those that are aborted then are released, too, within the 60 s of a stop. */
  jobGraceSeconds: number
}

const STACK_ENDPOINTS: Endpoints = {
  host: '0.0.0.0',
  apiPort: 3001,
  asrPort: 8000,
  panelPort: 3000,
  metricsPort: 9464,
  asrUrl: 'http://svc-asr:8000',
  apiUrl: 'http://svc-api:3001',
  audioDir: '/data/audio',
  modelsDir: '/models',
  bodySeconds: 30,
  jobGraceSeconds: 45,
}

/** The whole configuration: one value a variable, under the variable's own name, and the endpoints. */
export type Config = Values & Endpoints & Given

/** What is known of the environment besides its values. */
interface Given {
  /** Whether the password of the first owner stands there; one that `start` has made does not. */
  ownerPasswordGiven: boolean
}

/** All violations of a configuration together; the message names variables and rules, never a value. */
export class ConfigError extends Error {
  readonly violations: string[]
  constructor(violations: string[]) {
    super(
      `The configuration has ${violations.length === 1 ? 'an error' : `${violations.length} errors`}:\n  ${violations.join('\n  ')}`,
    )
    this.violations = violations
  }
}

/**
 * Reads and checks the whole environment for one command.
 * @param overrides values given in code: they win over the environment and are not checked
 * @throws ConfigError naming every violation at once
 */
export function readConfig(command: Command, env: NodeJS.ProcessEnv, overrides: Partial<Config> = {}): Config {
  const violations: string[] = []
  const values: Record<string, unknown> = {}
  const invalid = new Set<string>()
  const all = Object.entries(VARIABLES) as [string, Variable<unknown> & Use][]
  const secrets = all.filter(([, use]) => use.secret).map(([name]) => name)
  const files = readSecretFiles(env, secrets, (name, rule) => {
    violations.push(`${name}: ${rule}`)
    invalid.add(name)
  })
  for (const [name, variable] of all) {
    const raw = (files[name] ?? env[name])?.trim()
    try {
      values[name] = raw ? variable.parse(raw) : variable.default
    } catch (error) {
      violations.push(`${name}: ${(error as Error).message}`)
      invalid.add(name)
    }
    const isMissing = !raw && !invalid.has(name) && !(name in overrides)
    if (isMissing && variable.neededBy?.includes(command)) violations.push(`${name}: is required`)
  }
  const given: Given = { ownerPasswordGiven: Boolean(values.BOOTSTRAP_ADMIN_PASSWORD) }
  const config = { ...STACK_ENDPOINTS, ...given, ...values, ...overrides } as Config
  // The other commands are given only the variables that they read.
  const rules = command === 'api' || command === 'start' ? CROSS_RULES : []
  for (const { name, with: others, holds, rule } of rules) {
    // A variable that is invalid itself has no value to judge others by.
    if (![name, ...others].some((read) => invalid.has(read)) && !holds(config)) violations.push(`${name}: ${rule}`)
  }
  if (violations.length > 0) throw new ConfigError(violations)
  return config
}

interface CrossRule {
  /** The variable to change where the rule does not hold. */
  name: keyof Values
  /** The other variables that it reads. */
  with: (keyof Values)[]
  holds: (config: Config) => boolean
  rule: string
}

const USES_S3 = (config: Config) => config.STORAGE_KIND === 's3' || config.INGESTION_SOURCE === 's3'
/** Also where only uploads use the bucket: a prefix that is set is meant for files that others put there. */
const TAKES_FROM_BUCKET = (config: Config) =>
  config.INGESTION_SOURCE === 's3' || (config.STORAGE_KIND === 's3' && config.S3_INGEST_PREFIX !== '')
const USES_MODEL = (config: Config) => config.ANALYSIS_PROVIDER === 'llm-compatible'

/** Whether one folder lies in the other; an empty prefix is the whole bucket. */
function overlap(a: string, b: string): boolean {
  return asFolder(a).startsWith(asFolder(b)) || asFolder(b).startsWith(asFolder(a))
}

const pair = (a: keyof Values, b: keyof Values): CrossRule[] =>
  [
    [a, b],
    [b, a],
  ].map(([name, other]) => ({
    name: name!,
    with: [other!],
    holds: (config) => config[other!] === undefined || config[name!] !== undefined,
    rule: `is required together with ${other}`,
  }))

const CROSS_RULES: CrossRule[] = [
  {
    name: 'TRANSCRIPTION_CONCURRENCY',
    with: ['ASR_MAX_CONCURRENCY'],
    holds: (config) => config.TRANSCRIPTION_CONCURRENCY <= config.ASR_MAX_CONCURRENCY,
    rule: 'must not be above ASR_MAX_CONCURRENCY',
  },
  ...pair('ANALYSIS_PRICE_OUTPUT_PER_MILLION', 'ANALYSIS_PRICE_INPUT_PER_MILLION'),
  ...(['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const).map((name): CrossRule => ({
    name,
    with: ['STORAGE_KIND', 'INGESTION_SOURCE'],
    holds: (config) => !USES_S3(config) || config[name] !== undefined,
    rule: 'is required with STORAGE_KIND=s3 or INGESTION_SOURCE=s3',
  })),
  {
    name: 'S3_INGEST_PREFIX',
    with: ['INGESTION_SOURCE', 'STORAGE_KIND', 'S3_UPLOAD_PREFIX'],
    holds: (config) => !TAKES_FROM_BUCKET(config) || !overlap(config.S3_UPLOAD_PREFIX, config.S3_INGEST_PREFIX),
    rule: 'must not overlap S3_UPLOAD_PREFIX',
  },
  {
    name: 'INGESTION_LOCAL_PREFIX',
    with: ['INGESTION_SOURCE'],
    holds: (config) => config.INGESTION_SOURCE !== 'local-inbox' || !overlap('uploads', config.INGESTION_LOCAL_PREFIX),
    rule: 'must not overlap uploads, where uploads are put',
  },
  ...(['ANALYSIS_BASE_URL', 'ANALYSIS_MODEL'] as const).map((name): CrossRule => ({
    name,
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !USES_MODEL(config) || config[name] !== undefined,
    rule: 'is required with ANALYSIS_PROVIDER=llm-compatible',
  })),
  {
    name: 'ANALYSIS_ALLOW_EXTERNAL_EGRESS',
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !USES_MODEL(config) || config.ANALYSIS_ALLOW_EXTERNAL_EGRESS,
    rule: 'must be true with ANALYSIS_PROVIDER=llm-compatible: call texts would leave this server',
  },
]
