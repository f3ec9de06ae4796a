import { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import { openRequest, OutboundFailed, type Limits, type OutboundAnswer } from '../../platform/outbound/client.ts'
import { asError, asObject, recordRefusal, type Asking } from './client.ts'
import { NO_ANSWER, NO_JSON, PortalError } from './errors.ts'
import { acquire, release } from './limiter.ts'
import { portalMessages } from './messages.ts'

const TIMES: Omit<Limits, 'maxBytes'> = { headMs: 60_000, silenceMs: 60_000, totalMs: 30 * 60_000 }
const METHOD = 'download'

interface PortalFile {
  /** Fails with PortalError. */
  body: Readable
  close(): Promise<void>
}

/**
 * Starts a download. Its address contains the webhook's secret, so it must be fresh and is in no error. Releases the lane at
 * once, so that a stalled file does not block other requests.
 * @param isWanted whether another call waits for the place of this download
 * @throws PortalError, CrmNotOn, the signal's reason
 */
export async function openPortalFile(
  core: Core,
  asking: Asking,
  url: string,
  maxBytes: number,
  isWanted: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<PortalFile> {
  const { webhook, signal } = asking
  await release(core, await acquire(core, { ...asking, methods: [METHOD] }))
  const watch = new RateWatch(isWanted)
  try {
    const request = openRequest({
      method: 'GET',
      url,
      // Without these headers the front server can answer 404.
      headers: {
        Accept: '*/*',
        'Accept-Language': 'en',
        'Accept-Encoding': 'identity',
        Referer: `${webhook.origin}/`,
        'User-Agent': `Mozilla/5.0 (compatible; svc/${SVC_VERSION})`,
      },
      allowPrivate: core.config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      isSecret: true,
      limits: { ...TIMES, maxBytes },
      maxRedirects: 3,
      signal: AbortSignal.any([signal, watch.signal]),
    })
    const answer = await watch.during(request)
    const chunks: AsyncIterator<Buffer> = answer.body[Symbol.asyncIterator]()
    const first = await watch.during(chunks.next())
    const error = errorOf(core, answer, first.done ? '' : first.value.toString('latin1'))
    if (error) {
      await answer.close()
      throw error
    }
    const body = Readable.from(watchChunks(first, chunks, watch), { objectMode: false })
    body.on('error', () => undefined) // its reader handles it
    const close = () => {
      watch.stop()
      return answer.close()
    }
    return { body, close }
  } catch (error) {
    watch.stop()
    if (signal.aborted) throw signal.reason
    const failed = asPortalError(error, watch)
    throw failed instanceof PortalError ? await recordRefusal(core, webhook, failed) : failed
  }
}

const failure = (code: string, words: Message): PortalError => new PortalError({ code, method: METHOD, words })

/** A login page can have the type of audio. */
const IS_PAGE = /^\s*<(!doctype|html|head|body)/i

/** Why a response is not a file: the portal's error, if it has one. */
function errorOf(core: Core, { statusCode: status, headers }: OutboundAnswer, start: string): PortalError | undefined {
  const type = String(headers['content-type'] ?? '')
  if (/json/i.test(type) || start.startsWith('{"error"')) {
    const body = parseJsonObject(start)
    if ('error' in body) return asError(core, METHOD, body)
  }
  if (status !== 200) return failure(NO_ANSWER, portalMessages.fileStatus({ status }))
  return /html|json/i.test(type) || IS_PAGE.test(start) ? failure(NO_JSON, portalMessages.fileIsPage()) : undefined
}

function parseJsonObject(text: string) {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return {}
  }
}

async function* watchChunks(
  first: IteratorResult<Buffer>,
  chunks: AsyncIterator<Buffer>,
  watch: RateWatch,
): AsyncGenerator<Buffer> {
  try {
    for (let chunk = first; !chunk.done; chunk = await watch.during(chunks.next())) {
      watch.count(chunk.value.length)
      yield chunk.value
    }
  } catch (error) {
    throw asPortalError(error, watch)
  } finally {
    watch.stop()
    await chunks.return?.()
  }
}

function asPortalError(error: unknown, { isTooSlow }: RateWatch): Error {
  if (isTooSlow) return failure('TOO_SLOW', portalMessages.fileTooSlow())
  if (!(error instanceof OutboundFailed)) return error as Error
  if (error.failure.kind === 'tooLarge') return failure('FILE_TOO_LARGE', portalMessages.fileTooLarge())
  const { failure: why } = error
  return failure(NO_ANSWER, 'rule' in why ? portalMessages.fileAddress({ rule: why.rule }) : portalMessages.fileBroke())
}

/** A slower download fails. Tests set other times. */
export const MINIMUM_RATE = {
  bytesPerSecond: 8 * 1024,
  /** The rate is the average over this time. */
  overMs: 60_000,
  /** If another call waits for its place, a slow download fails after this time. */
  yieldsAfterMs: 5_000,
  looksEveryMs: 1_000,
}

/** Measures the rate of a download, and aborts it if it is too slow. */
class RateWatch {
  isTooSlow = false
  private readonly abort = new AbortController()
  private readonly timer: NodeJS.Timeout
  private readonly isWanted: () => Promise<boolean>
  private bytes = 0
  private waitedMs = 0
  private waitingSince: number | undefined

  constructor(isWanted: () => Promise<boolean>) {
    this.isWanted = isWanted
    this.timer = setInterval(() => void this.look(), MINIMUM_RATE.looksEveryMs).unref()
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** Waits for the portal. Only this time counts, not the time in which we store data. */
  async during<T>(answer: Promise<T>): Promise<T> {
    this.waitingSince = performance.now()
    try {
      return await answer
    } finally {
      this.waitedMs += performance.now() - this.waitingSince
      this.waitingSince = undefined
    }
  }

  count(bytes: number): void {
    this.bytes += bytes
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async look(): Promise<void> {
    const now = performance.now()
    const waitedMs = this.waitedMs + (this.waitingSince === undefined ? 0 : now - this.waitingSince)
    const isSlow = this.bytes < (MINIMUM_RATE.bytesPerSecond * waitedMs) / 1000
    if (isSlow && waitedMs >= MINIMUM_RATE.overMs) return this.fail()
    if (isSlow && waitedMs >= MINIMUM_RATE.yieldsAfterMs && (await this.isWanted().catch(() => false))) {
      return this.fail()
    }
    if (waitedMs < MINIMUM_RATE.overMs) return
    this.bytes = 0
    this.waitedMs = 0
    if (this.waitingSince !== undefined) this.waitingSince = now
  }

  private fail(): void {
    this.isTooSlow = true
    this.stop()
    this.abort.abort()
  }
}
