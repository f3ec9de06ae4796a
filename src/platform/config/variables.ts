import {
  boolVariable,
  countriesVariable,
  databaseUrlVariable,
  emailVariable,
  intVariable,
  jsonObjectVariable,
  memoryVariable,
  numberVariable,
  enumVariable,
  pathPrefixVariable,
  serverUrlVariable,
  scoreBandsVariable,
  textVariable,
  timeZoneVariable,
  urlVariable,
  type EnvironmentVariable,
} from '../lib/environment-variables.ts'

/** Commands of the CLI that need a configuration; `neededBy` lists them per variable. */
export type CliCommand = 'migrate' | 'api' | 'asr' | 'dashboard' | 'start' | 'transcribe'

/** Describes a variable for docs/configuration.md, for the required check and for secrets. */
export interface ConfigVariableInfo {
  /** One or two sentences for docs/configuration.md. */
  meaning: string
  /** Commands that refuse to start without the variable. */
  neededBy?: CliCommand[]
  /** Allows NAME_FILE and marks the variable in docs/configuration.md. Redacts nothing: tests check that logs omit the value. */
  secret?: true
  /** False if compose.yml does not pass the variable. */
  stack?: false
}

const defineVariable = <T>(
  variable: EnvironmentVariable<T>,
  meaning: string,
  info: Omit<ConfigVariableInfo, 'meaning'> = {},
): EnvironmentVariable<T> & ConfigVariableInfo => ({
  ...variable,
  ...info,
  meaning,
})
const secret = true as const
const stack = false as const

const ASR_MODELS = {
  't-one': 'Russian telephony',
  'moonshine-base-en': 'English',
  'moonshine-tiny-en': 'English, smaller',
}

/** Declares every variable. `npm run configuration` generates docs/configuration.md from this table, in this order. */
export const CONFIG_VARIABLES = {
  DATABASE_URL: defineVariable(
    databaseUrlVariable(),
    'Address of Postgres, with user, password, database name and TLS options.',
    {
      secret,
      neededBy: ['migrate', 'api'],
    },
  ),
  REDIS_URL: defineVariable(
    serverUrlVariable(['redis', 'rediss']),
    'Address of Redis. The scheme `rediss` enables TLS.',
    {
      secret,
      neededBy: ['api'],
    },
  ),
  ASR_API_KEY: defineVariable(
    textVariable({ pattern: /^[\x20-\x7e]+$/, rule: 'letters, digits and signs of ASCII only' }),
    'Secret shared by the API and the recognizer.',
    { secret, neededBy: ['api', 'asr'] },
  ),
  SESSION_SECRET: defineVariable(
    textVariable({ min: 32 }),
    'Secret that signs session cookies. A new value logs everybody out.',
    {
      secret,
      neededBy: ['api'],
    },
  ),

  BOOTSTRAP_ADMIN_EMAIL: defineVariable(
    emailVariable(),
    'E-mail of the first owner, created only while the database has no person.',
  ),
  // These are the length limits of new passwords in the API.
  BOOTSTRAP_ADMIN_PASSWORD: defineVariable(
    textVariable({ min: 8, max: 1024 }),
    'Password of the first owner. Remove it after the first login.',
    { secret },
  ),

  DECODER: defineVariable(
    enumVariable(['beam_search', 'greedy'], 'beam_search'),
    'Default decoder of the recognizer. A recording can choose another one.',
  ),
  ASR_MAX_CONCURRENCY: defineVariable(
    intVariable(2, 1, 64),
    'Files that the recognizer processes at once; further files wait.',
  ),
  ASR_MEMORY_LIMIT: defineVariable(
    memoryVariable('3g'),
    'Memory limit of the recognizer container. Only Docker reads it.',
  ),
  TRANSCRIPTION_CONCURRENCY: defineVariable(
    intVariable(2, 1, 8),
    'Calls that an API process sends to each recognizer at once; at most `ASR_MAX_CONCURRENCY`. The default is 2, ' +
      'or 1 if `ASR_MAX_CONCURRENCY` is 1.',
  ),
  MAX_UPLOAD_MB: defineVariable(
    intVariable(512, 1, 102_400),
    'Largest uploaded or downloaded file, in units of 1,048,576 bytes.',
  ),
  API_RUN_MODE: defineVariable(
    enumVariable(['all', 'api', 'worker'], 'all'),
    '`api` only serves HTTP, `worker` only runs the queues and the schedule, `all` does both in one process.',
  ),

  COOKIE_SECURE: defineVariable(boolVariable(true), 'Whether browsers send the session cookie over HTTPS only.'),
  TRUSTED_PROXY_HOPS: defineVariable(
    intVariable(1, 0, 10),
    'Number of reverse proxies in front of the API. If the number is too high, callers can forge their address. ' +
      '`npm start` sets 0.',
  ),
  LOGIN_MAX_FAILURES: defineVariable(
    intVariable(10, 1, 10_000),
    'Failed logins from one network address within a window, after which further logins get 429.',
  ),
  LOGIN_FAILURE_WINDOW_SECONDS: defineVariable(
    intVariable(300, 1, 86_400),
    'Length of the window of `LOGIN_MAX_FAILURES`, in seconds.',
  ),
  CALLBACK_SIGNING_SECRET: defineVariable(
    textVariable({ min: 16 }),
    'Secret that signs callbacks. Without this secret, callbacks have no signature.',
    {
      secret,
    },
  ),

  STORAGE_KIND: defineVariable(
    enumVariable(['local', 's3'], 'local'),
    'Where audio is stored: a folder (the volume `audio-data`) or S3.',
  ),
  INGESTION_SOURCE: defineVariable(
    enumVariable(['none', 'local-inbox', 's3'], 'none'),
    'Source of new files: none, a folder, or a prefix of the bucket.',
  ),
  INGESTION_LOCAL_PREFIX: defineVariable(
    pathPrefixVariable('inbox'),
    'Folder inside the storage that `local-inbox` watches.',
  ),
  S3_BUCKET: defineVariable(textVariable(), 'Bucket. Required with `STORAGE_KIND=s3` or `INGESTION_SOURCE=s3`.'),
  S3_ACCESS_KEY_ID: defineVariable(textVariable(), 'Access key of the bucket. Required with S3.', { secret }),
  S3_SECRET_ACCESS_KEY: defineVariable(textVariable(), 'Secret of the access key. Required with S3.', { secret }),
  S3_ENDPOINT_URL: defineVariable(urlVariable(['http', 'https']), 'Address of the S3 provider. Default: Amazon S3.'),
  S3_REGION: defineVariable(textVariable({ default: 'us-east-1' }), 'Region of the bucket.'),
  S3_UPLOAD_PREFIX: defineVariable(pathPrefixVariable('uploads/'), 'Prefix of uploaded files in the bucket.'),
  S3_INGEST_PREFIX: defineVariable(
    pathPrefixVariable(''),
    'Prefix whose audio files become calls with `INGESTION_SOURCE=s3`. It must not overlap `S3_UPLOAD_PREFIX`.',
  ),
  S3_FORCE_PATH_STYLE: defineVariable(
    boolVariable(true),
    'Whether requests name the bucket in the path of the address, not in the host name.',
  ),

  CRM_WEBHOOK_URL: defineVariable(
    urlVariable(['http', 'https']),
    'Incoming webhook of the Bitrix24 portal, for reading. http works only with `ALLOW_PRIVATE_NETWORK_DOWNLOADS`.',
    {
      secret,
    },
  ),
  CRM_EVENT_TOKEN: defineVariable(
    textVariable(),
    "Application token of the portal's outgoing webhook for finished calls.",
    { secret },
  ),
  CRM_WRITE_WEBHOOK_URL: defineVariable(
    urlVariable(['http', 'https']),
    'Separate incoming webhook for writing comments into deals.',
    {
      secret,
    },
  ),
  PUBLIC_BASE_URL: defineVariable(
    urlVariable(['http', 'https']),
    'Public address of the panel, used for links in deal comments and e-mails.',
  ),

  SMTP_URL: defineVariable(
    serverUrlVariable(['smtp', 'smtps']),
    'Mail server that sends notifications by e-mail, with user, password and options of Nodemailer. Requires ' +
      '`SMTP_FROM` and `PUBLIC_BASE_URL`. Without it, the service sends no e-mails.',
    { secret },
  ),
  SMTP_FROM: defineVariable(emailVariable(), 'Sender of e-mails.'),

  ANALYSIS_PROVIDER: defineVariable(
    enumVariable(['rules', 'llm-compatible', 'mock', 'none'], 'rules'),
    '`rules` checks calls on this server, `llm-compatible` uses a language model, `mock` invents scores for ' +
      'demos, and `none` checks no calls.',
  ),
  ANALYSIS_BASE_URL: defineVariable(
    urlVariable(['http', 'https']),
    'Address of the model API. Required with `llm-compatible`.',
  ),
  ANALYSIS_MODEL: defineVariable(textVariable(), 'Name of the model. Required with `llm-compatible`.'),
  ANALYSIS_API_KEY: defineVariable(textVariable(), 'Key of the model API.', { secret }),
  ANALYSIS_ALLOW_EXTERNAL_EGRESS: defineVariable(
    boolVariable(false),
    'Permission to send call texts to another server. With `llm-compatible`, the API does not start unless it is ' +
      '`true`.',
  ),
  ANALYSIS_RESPONSE_FORMAT: defineVariable(
    enumVariable(['json_object', 'json_schema'], 'json_object'),
    'How the service asks the model for JSON. Servers support different formats.',
  ),
  ANALYSIS_EXTRA_BODY: defineVariable(
    jsonObjectVariable({ chat_template_kwargs: { enable_thinking: false } }),
    'Extra parameters of each model request. The default switches off reasoning.',
  ),
  ANALYSIS_CONCURRENCY: defineVariable(
    intVariable(2, 1, 8),
    'Maximum number of call checks and of model requests at once, in each process.',
  ),
  ANALYSIS_REQUESTS_PER_MINUTE: defineVariable(
    intVariable(60, 1, 600),
    'Maximum number of model requests per minute, over all processes.',
  ),
  ANALYSIS_REQUEST_TIMEOUT_SECONDS: defineVariable(
    intVariable(180, 5, 600),
    'Time limit of a model request, in seconds.',
  ),
  ANALYSIS_PRICE_INPUT_PER_MILLION: defineVariable(
    numberVariable(0),
    'Price of a million input tokens. Set both prices or neither.',
  ),
  ANALYSIS_PRICE_OUTPUT_PER_MILLION: defineVariable(numberVariable(0), 'Price of a million output tokens.'),
  ANALYSIS_PRICE_CURRENCY: defineVariable(textVariable({ default: 'BYN' }), 'Currency of the prices.'),
  ANALYSIS_SEED_RULES: defineVariable(
    boolVariable(true),
    'Whether the API stores the rule sets of the release at start. New sets are published. Changed rules become a ' +
      'draft, or a retired version if there is a draft already.',
  ),

  APP_TIMEZONE: defineVariable(
    timeZoneVariable('Europe/Moscow'),
    'Time zone of days in statistics, catalog, reports and exports.',
  ),
  SCORE_BANDS: defineVariable(
    scoreBandsVariable([50, 70]),
    'Scores at which the middle and the good band begin. The panel colours scores by band.',
  ),
  CORRELATION_BOOTSTRAP_REPLICATES: defineVariable(
    intVariable(1000, 20, 5000),
    'Number of resamples for the interval of the correlation report.',
  ),

  SESSION_TTL_HOURS: defineVariable(intVariable(168, 1, 87_600), 'Lifetime of a session, in hours.', { stack }),
  TRANSCRIPTION_ATTEMPTS: defineVariable(intVariable(5, 1, 20), 'Attempts to transcribe a recording.', { stack }),
  TRANSCRIPTION_RETRY_DELAY_SECONDS: defineVariable(
    intVariable(30, 1, 3600),
    'Pause in seconds after the first failed attempt to transcribe a recording; the pause doubles each time.',
    { stack },
  ),
  CRM_FETCH_RETRY_DELAY_SECONDS: defineVariable(
    intVariable(30, 1, 3600),
    'Pause in seconds after the first failed attempt to load a call or to read from the CRM; the pause doubles ' +
      'each time.',
    { stack },
  ),
  CRM_EXPORT_PAUSE_SECONDS: defineVariable(
    intVariable(2, 0, 3600),
    'Pause in seconds between pages of calls that are read from the CRM.',
    { stack },
  ),
  CRM_SYNC_PAUSE_SECONDS: defineVariable(
    intVariable(1, 0, 3600),
    'Pause in seconds between pages of other lists that are read from the CRM.',
    {
      stack,
    },
  ),
  CALLBACK_RETRY_DELAY_SECONDS: defineVariable(
    intVariable(30, 1, 3600),
    'Pause in seconds after the first failed attempt to deliver a callback; the pause doubles each time.',
    { stack },
  ),
  ALLOW_PRIVATE_NETWORK_DOWNLOADS: defineVariable(
    boolVariable(false),
    'Whether downloads, callbacks, CRM and model requests can reach private network addresses. For trials on one ' +
      'machine.',
    { stack },
  ),
  QUEUE_PREFIX: defineVariable(
    textVariable({ default: 'svc', pattern: /^[A-Za-z0-9:_.-]+$/, rule: 'letters, digits and : _ . - only' }),
    'Prefix of the keys in Redis. Two installations that share a Redis need different prefixes.',
    { stack },
  ),
  DATABASE_WAIT_SECONDS: defineVariable(
    intVariable(60, 0, 3600),
    'Seconds that `migrate` waits for the database, and that `api` waits for `migrate`.',
    { stack },
  ),

  CRM_PHONE_COUNTRIES: defineVariable(
    countriesVariable(['BY', 'RU']),
    'Countries whose national phone formats are recognized. The first country whose format a number matches is ' +
      'used.',
  ),
  LOG_LEVEL: defineVariable(
    enumVariable(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    'Least severe log lines that are written.',
  ),
  ASR_MODEL: defineVariable(
    enumVariable(Object.keys(ASR_MODELS) as (keyof typeof ASR_MODELS)[], 't-one'),
    'Recognition model: `t-one` for Russian, the others for English. `npm start` uses `moonshine-base-en` by default.',
  ),
  ASR_MODEL_HUB_URL: defineVariable(
    urlVariable(['http', 'https'], 'https://huggingface.co'),
    'Address from which models are downloaded: the public hub, or a mirror for sites without internet.',
  ),
}

type VariableValue<V> = V extends EnvironmentVariable<infer T> ? T : never

/** Maps the name of each variable to the type of its parsed value. */
export type ConfigVariableValues = { [K in keyof typeof CONFIG_VARIABLES]: VariableValue<(typeof CONFIG_VARIABLES)[K]> }
