import { Redis, type RedisOptions } from 'ioredis'
import type { Logger } from './lib/log.ts'

/** Warns of the same error code again only after this time. */
const REPEAT_LOG_MS = 60_000

/** Maps the codes of connection errors and of Redis replies to advice for the operator. */
const ADVICE: Record<string, string> = {
  NOAUTH: 'Redis asks for a password, and REDIS_URL has none',
  WRONGPASS: 'wrong user or password: fix REDIS_URL',
  NOPERM: 'the user in REDIS_URL may not run a command, or touch a key, that is needed',
  MISCONF: 'Redis refuses writes because it cannot save to its disk',
  OOM: 'Redis has no memory left',
  READONLY: 'this Redis is a replica: REDIS_URL must name the primary',
  LOADING: 'Redis is loading its data',
  ENOTFOUND: 'the host name does not resolve: the host in REDIS_URL is wrong',
  EAI_AGAIN: 'the host name does not resolve now: the host in REDIS_URL may be wrong, or the name service is away',
  ECONNREFUSED: 'nothing listens on the port of REDIS_URL',
  ETIMEDOUT: 'no answer from the address in REDIS_URL',
}

/** Maps messages of client errors without a code to the code and reason to log. */
const CLIENT_ERRORS: [RegExp, string, string][] = [
  [/isn't writeable|Connection is closed/, 'CLOSED', 'there is no connection to Redis'],
  [/Command timed out/, 'ETIMEDOUT', 'Redis did not answer in time'],
]

const ERROR_REPLY = /\b(NOAUTH|WRONGPASS|NOPERM|MISCONF|OOM|READONLY|LOADING)\b/

type ClientError = Error & { code?: string; errors?: ClientError[] }

/**
 * Warns of Redis errors with advice. Many clients report the same error, so repeats of a code within a minute are logged at debug
 * level.
 * Removes the password from messages.
 */
export class RedisErrorLog {
  private readonly loggedAt = new Map<string, number>()
  private readonly log: Logger
  private readonly secret: string

  constructor(url: string, log: Logger) {
    this.log = log
    this.secret = decodeURIComponent(new URL(url).password)
  }

  report = (error: Error): void => {
    const cause: ClientError = (error as ClientError).errors?.[0] ?? error
    const [, clientCode, clientReason] = CLIENT_ERRORS.find(([text]) => text.test(cause.message)) ?? []
    const code = ERROR_REPLY.exec(cause.message)?.[1] ?? clientCode ?? cause.code ?? cause.name
    const message = clientReason ?? cause.message
    const reason = this.secret ? message.replaceAll(this.secret, '[secret]') : message
    const line = { code, reason, advice: ADVICE[code] }
    const loggedAt = this.loggedAt.get(code)
    if (loggedAt !== undefined && performance.now() - loggedAt < REPEAT_LOG_MS) return this.log.debug(line, 'Redis')
    this.loggedAt.set(code, performance.now())
    this.log.warn(line, 'Redis cannot be used: new work starts about a second later')
  }

  /** Logs the recovery if an error was logged since the last one. */
  reportRecovery = (): void => {
    if (this.loggedAt.size > 0) this.log.info('Redis can be used again')
    this.loggedAt.clear()
  }
}

/**
 * Creates a client that reconnects forever, with pauses of at most 2 s, and reports its errors to the log. Errors never end the
 * process.
 */
export function connectRedis(url: string, errorLog: RedisErrorLog, options: RedisOptions): Redis {
  const redis = new Redis(url, { ...options, retryStrategy: (attempt) => Math.min(attempt * 100, 2000) })
  redis.on('error', errorLog.report)
  let wasReady = false
  redis.on('ready', () => (wasReady = true))
  redis.on('reconnecting', () => {
    if (wasReady) errorLog.report(Object.assign(new Error('the connection was lost'), { code: 'CLOSED' }))
    wasReady = false
  })
  return redis
}

/** Makes commands fail within 2 s while Redis is down or hangs. */
export const FAIL_FAST_REDIS_OPTIONS: RedisOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  commandTimeout: 2000,
}

/** Makes commands wait until Redis is back, for blocking commands without a time limit. */
export const UNLIMITED_RETRY_REDIS_OPTIONS: RedisOptions = { maxRetriesPerRequest: null }
