import { Readable } from 'node:stream'
import type { Core } from '../../platform/core.ts'
import { fileNameOf } from '../../platform/lib/content-disposition.ts'
import type { Message } from '../../platform/lib/messages.ts'
import {
  openRequest,
  OutboundFailed,
  type Failure,
  type Limits,
  type OutboundAnswer,
} from '../../platform/outbound/client.ts'
import { asError, asObject, recordRefusal, type Asking, type Params } from './client.ts'
import { NO_ANSWER, NO_JSON, PortalError } from './errors.ts'
import { acquire, release } from './limiter.ts'
import { portalMessages } from './messages.ts'
import { RateWatch } from './minimum-rate.ts'

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
 * Releases the lane at once, so a stalled file does not block other requests.
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
    const { 'content-disposition': disposition } = answer.headers
    const body = Readable.from(translated(first, chunks, watch), { objectMode: false })
    body.on('error', () => undefined) // whoever reads it hears of it
    const close = () => {
      watch.stop()
      return answer.close()
    }
    return { body, fileName: fileNameOf(String(disposition ?? '')), close }
  } catch (error) {
    watch.stop()
    if (signal.aborted) throw signal.reason
    const failed = asPortalError(error, watch)
    throw failed instanceof PortalError ? await recordRefusal(core, webhook, failed) : failed
  }
}

/** A page says that it is one, or begins as one: a login page may come under the type of audio. */
const IS_PAGE = /^\s*<(!doctype|html|head|body)/i

/** Why an answer is no file: what the portal says of it itself, where it does, as of any other request. */
function errorOf(core: Core, { statusCode: status, headers }: OutboundAnswer, begin: string): PortalError | undefined {
  const type = String(headers['content-type'] ?? '')
  if (/json/i.test(type) || begin.startsWith('{"error"')) {
    const said = errorIn(begin)
    if (said) return asError(core, METHOD, said)
  }
  if (status !== 200) {
    return new PortalError({ code: NO_ANSWER, method: METHOD, words: portalMessages.fileStatus({ status }) })
  }
  if (!/html|json/i.test(type) && !IS_PAGE.test(begin)) return undefined
  return new PortalError({ code: NO_JSON, method: METHOD, words: portalMessages.fileIsPage() })
}

function errorIn(text: string): Params | undefined {
  try {
    const said = asObject(JSON.parse(text))
    return 'error' in said ? said : undefined
  } catch {
    return undefined
  }
}

async function* translated(
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
  if (isTooSlow) return new PortalError({ code: 'TOO_SLOW', method: METHOD, words: portalMessages.fileTooSlow() })
  if (!(error instanceof OutboundFailed)) return error as Error
  const { failure } = error
  return failure.kind === 'tooLarge'
    ? new PortalError({ code: 'FILE_TOO_LARGE', method: METHOD, words: portalMessages.fileTooLarge() })
    : new PortalError({ code: NO_ANSWER, method: METHOD, words: wordsOf(failure) })
}

const wordsOf = (failure: Failure): Message =>
  'rule' in failure ? portalMessages.fileAddress({ rule: failure.rule }) : portalMessages.fileBroke()
