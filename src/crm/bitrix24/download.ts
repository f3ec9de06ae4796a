import { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import type { Message } from '../../platform/lib/messages.ts'
import {
  openOutboundRequest,
  OutboundError,
  type OutboundLimits,
  type OutboundResponse,
} from '../../platform/outbound/client.ts'
import { parsePortalError, toPortalObject, recordPortalError, type PortalAccess } from './client.ts'
import { PORTAL_NO_RESPONSE_CODE, PORTAL_INVALID_JSON_CODE, PortalError } from './errors.ts'
import { acquirePortalPermit, releasePortalPermit } from './limiter.ts'
import { portalMessages } from './messages.ts'

const DOWNLOAD_TIMEOUTS: Omit<OutboundLimits, 'maxBytes'> = { headMs: 60_000, silenceMs: 60_000, totalMs: 30 * 60_000 }
const DOWNLOAD_METHOD = 'download'

interface PortalDownload {
  /** Reading it fails with PortalError if the download fails. */
  body: Readable
  close(): Promise<void>
}

/**
 * Starts the download of a file. It releases the lane at once, so that a stalled file does not block other requests.
 * @param url from a fresh PortalFileInfo; errors omit the URL, because it contains a secret
 * @param isSlotNeeded returns true if another call waits for the place of this download
 * @throws PortalError, CrmAutomationOffError, the reason of the signal
 */
export async function openPortalFile(
  core: Core,
  access: PortalAccess,
  url: string,
  maxBytes: number,
  isSlotNeeded: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<PortalDownload> {
  const { webhook, signal } = access
  await releasePortalPermit(core, await acquirePortalPermit(core, { ...access, methods: [DOWNLOAD_METHOD] }))
  const rateMonitor = new RateMonitor(isSlotNeeded)
  try {
    const request = openOutboundRequest({
      method: 'GET',
      url,
      // Without these headers, the portal can respond with 404.
      headers: {
        Accept: '*/*',
        'Accept-Language': 'en',
        'Accept-Encoding': 'identity',
        Referer: `${webhook.origin}/`,
        'User-Agent': `Mozilla/5.0 (compatible; svc/${SVC_VERSION})`,
      },
      allowPrivate: core.config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      isSecret: true,
      limits: { ...DOWNLOAD_TIMEOUTS, maxBytes },
      maxRedirects: 3,
      signal: AbortSignal.any([signal, rateMonitor.signal]),
    })
    const response = await rateMonitor.measure(request)
    const chunks: AsyncIterator<Buffer> = response.body[Symbol.asyncIterator]()
    const first = await rateMonitor.measure(chunks.next())
    const error = findResponseError(core, response, first.done ? '' : first.value.toString('latin1'))
    if (error) {
      await response.close()
      throw error
    }
    const body = Readable.from(monitorChunks(first, chunks, rateMonitor), { objectMode: false })
    body.on('error', () => undefined) // the reader handles the error
    const close = () => {
      rateMonitor.stop()
      return response.close()
    }
    return { body, close }
  } catch (error) {
    rateMonitor.stop()
    if (signal.aborted) throw signal.reason
    const downloadError = toDownloadError(error, rateMonitor)
    throw downloadError instanceof PortalError ? await recordPortalError(core, webhook, downloadError) : downloadError
  }
}

const createDownloadError = (code: string, words: Message): PortalError =>
  new PortalError({ code, method: DOWNLOAD_METHOD, words })

/** A login page can have the content type of audio. */
const HTML_START = /^\s*<(!doctype|html|head|body)/i

/** Returns an error if the response is not a file: the error of the portal, if it has one. */
function findResponseError(
  core: Core,
  { statusCode: status, headers }: OutboundResponse,
  start: string,
): PortalError | undefined {
  const type = String(headers['content-type'] ?? '')
  if (/json/i.test(type) || start.startsWith('{"error"')) {
    const body = parseJsonObject(start)
    if ('error' in body) return parsePortalError(core, DOWNLOAD_METHOD, body)
  }
  if (status !== 200) return createDownloadError(PORTAL_NO_RESPONSE_CODE, portalMessages.fileStatus({ status }))
  return /html|json/i.test(type) || HTML_START.test(start)
    ? createDownloadError(PORTAL_INVALID_JSON_CODE, portalMessages.fileIsPage())
    : undefined
}

function parseJsonObject(text: string) {
  try {
    return toPortalObject(JSON.parse(text))
  } catch {
    return {}
  }
}

async function* monitorChunks(
  first: IteratorResult<Buffer>,
  chunks: AsyncIterator<Buffer>,
  rateMonitor: RateMonitor,
): AsyncGenerator<Buffer> {
  try {
    for (let chunk = first; !chunk.done; chunk = await rateMonitor.measure(chunks.next())) {
      rateMonitor.addBytes(chunk.value.length)
      yield chunk.value
    }
  } catch (error) {
    throw toDownloadError(error, rateMonitor)
  } finally {
    rateMonitor.stop()
    await chunks.return?.()
  }
}

function toDownloadError(error: unknown, { isTooSlow }: RateMonitor): Error {
  if (isTooSlow) return createDownloadError('TOO_SLOW', portalMessages.fileTooSlow())
  if (!(error instanceof OutboundError)) return error as Error
  if (error.failure.kind === 'tooLarge') return createDownloadError('FILE_TOO_LARGE', portalMessages.fileTooLarge())
  const { failure: cause } = error
  return createDownloadError(
    PORTAL_NO_RESPONSE_CODE,
    'rule' in cause ? portalMessages.fileAddress({ rule: cause.rule }) : portalMessages.fileBroke(),
  )
}

/** Slower downloads fail. Tests change these values. */
export const MIN_DOWNLOAD_RATE = {
  bytesPerSecond: 8 * 1024,
  /** The rate is averaged over this time. */
  overMs: 60_000,
  /** A slow download fails after this time if another call needs its place. */
  yieldsAfterMs: 5_000,
  looksEveryMs: 1_000,
}

/** Aborts a download that is slower than MIN_DOWNLOAD_RATE. */
class RateMonitor {
  isTooSlow = false
  private readonly abort = new AbortController()
  private readonly timer: NodeJS.Timeout
  private readonly isWanted: () => Promise<boolean>
  private bytes = 0
  private waitedMs = 0
  private waitingSince: number | undefined

  constructor(isSlotNeeded: () => Promise<boolean>) {
    this.isWanted = isSlotNeeded
    this.timer = setInterval(() => void this.checkRate(), MIN_DOWNLOAD_RATE.looksEveryMs).unref()
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** Measures only the time of waiting for the portal, not of storing data. */
  async measure<T>(response: Promise<T>): Promise<T> {
    this.waitingSince = performance.now()
    try {
      return await response
    } finally {
      this.waitedMs += performance.now() - this.waitingSince
      this.waitingSince = undefined
    }
  }

  addBytes(bytes: number): void {
    this.bytes += bytes
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async checkRate(): Promise<void> {
    const now = performance.now()
    const waitedMs = this.waitedMs + (this.waitingSince === undefined ? 0 : now - this.waitingSince)
    const isSlow = this.bytes < (MIN_DOWNLOAD_RATE.bytesPerSecond * waitedMs) / 1000
    if (isSlow && waitedMs >= MIN_DOWNLOAD_RATE.overMs) return this.fail()
    if (isSlow && waitedMs >= MIN_DOWNLOAD_RATE.yieldsAfterMs && (await this.isWanted().catch(() => false))) {
      return this.fail()
    }
    if (waitedMs < MIN_DOWNLOAD_RATE.overMs) return
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
