import { Readable } from 'node:stream'
import type { Core } from '../../core.ts'
import { fileNameOf } from '../../lib/content-disposition.ts'
import { openRequest, OutboundFailed, type Limits } from '../../outbound/client.ts'
import type { Asking } from './client.ts'
import { NO_ANSWER, NO_JSON, PortalError } from './errors.ts'
import { endTurn, takeTurn } from './limiter.ts'
import { portalMessages } from './messages.ts'

const TIMES: Omit<Limits, 'maxBytes'> = { headMs: 60_000, silenceMs: 60_000, totalMs: 30 * 60_000 }
const METHOD = 'download'

/** A file of the portal on its way. */
export interface PortalFile {
  /** Breaks with PortalError. */
  body: Readable
  /** What the portal calls it; may hold anything. */
  fileName: string | undefined
  close(): Promise<void>
}

/**
 * Opens a file of the portal. Its address holds the webhook's secret: it is asked for fresh, and stands in no error.
 * The lane is free again once the file has begun to come.
 * @throws PortalError, CrmNotOn, the signal's reason
 */
export async function openPortalFile(core: Core, asking: Asking, url: string, maxBytes: number): Promise<PortalFile> {
  const { webhook, lane, purpose = 'work', signal } = asking
  const place = await takeTurn(core, { webhook, lane, purpose, signal, methods: [METHOD] })
  try {
    const answer = await openRequest({
      purpose: 'crm',
      method: 'GET',
      url,
      // Without these the server before the portal may answer 404.
      headers: {
        Accept: '*/*',
        'Accept-Language': 'en',
        'Accept-Encoding': 'identity',
        Referer: `${webhook.origin}/`,
        'User-Agent': `Mozilla/5.0 (compatible; svc/${SVC_VERSION})`,
      },
      allowPrivate: core.config.ALLOW_PRIVATE_NETWORK_DOWNLOADS,
      limits: { ...TIMES, maxBytes },
      maxRedirects: 3,
      signal,
    })
    const fault = faultOf(answer.statusCode, String(answer.headers['content-type'] ?? ''))
    if (fault) {
      await answer.close()
      throw fault
    }
    const { 'content-disposition': disposition } = answer.headers
    const body = Readable.from(translated(answer.body), { objectMode: false })
    body.on('error', () => undefined) // whoever reads it hears of it
    return { body, fileName: fileNameOf(String(disposition ?? '')), close: answer.close }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw asPortalError(error)
  } finally {
    await endTurn(core, place)
  }
}

function faultOf(status: number, type: string): PortalError | undefined {
  if (status !== 200) {
    return new PortalError({ code: NO_ANSWER, method: METHOD, words: portalMessages.fileStatus({ status }) })
  }
  if (!/html|json/i.test(type)) return undefined
  return new PortalError({ code: NO_JSON, method: METHOD, words: portalMessages.fileIsPage() })
}

async function* translated(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw asPortalError(error)
  }
}

function asPortalError(error: unknown): Error {
  if (!(error instanceof OutboundFailed)) return error as Error
  const { failure } = error
  const words = failure.kind === 'tooLarge' ? portalMessages.fileTooLarge() : portalMessages.fileBroke()
  return new PortalError({ code: failure.kind === 'tooLarge' ? 'FILE_TOO_LARGE' : NO_ANSWER, method: METHOD, words })
}
