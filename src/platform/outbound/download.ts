import { Readable } from 'node:stream'
import { parseDispositionFileName } from '../lib/content-disposition.ts'
import type { Message } from '../lib/messages.ts'
import { linkMessages, translateNetworkError } from './messages.ts'
import {
  openOutboundRequest,
  OutboundError,
  type OutboundFailure,
  type OutboundLimits,
  type OutboundResponse,
} from './client.ts'

/** Signals that a link cannot be downloaded. The reason continues a sentence that begins with the link. */
export class DownloadError extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

/** Signals a file larger than `maxBytes`. */
export class DownloadTooLargeError extends Error {}

type TimeLimits = Omit<OutboundLimits, 'maxBytes'>

const TIME_LIMITS: TimeLimits = { headMs: 30_000, silenceMs: 30_000, totalMs: 30 * 60_000 }
const MAX_REDIRECTS = 5

interface DownloadOptions {
  /** The value of ALLOW_PRIVATE_NETWORK_DOWNLOADS. */
  allowPrivate: boolean
  maxBytes: number
  signal: AbortSignal
  limits?: TimeLimits
}

interface Download {
  /** Bytes of the file. Fails with DownloadError or DownloadTooLargeError. */
  body: Readable
  /** File name from the response or its URL. Can be empty or contain any characters. */
  fileName: string
  /** Aborts the download and closes the connection. */
  close(): Promise<void>
}

/**
 * Starts the download of a link from a user. Rejects compressed responses, so that no file can expand.
 * @throws DownloadError, DownloadTooLargeError
 */
export async function openDownload(link: string, options: DownloadOptions): Promise<Download> {
  const { allowPrivate, maxBytes, signal, limits = TIME_LIMITS } = options
  const response = await openOutboundRequest({
    method: 'GET',
    url: link,
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
    allowPrivate,
    limits: { ...limits, maxBytes },
    maxRedirects: MAX_REDIRECTS,
    signal,
  }).catch((error: unknown) => {
    throw toDownloadError(error, limits)
  })
  try {
    checkResponseHead(response, maxBytes)
    const body = Readable.from(wrapBodyErrors(response.body, limits), { objectMode: false })
    body.on('error', () => undefined) // prevents an uncaught error if nobody reads the body; readers receive the error anyway
    return { body, fileName: findFileName(response), close: response.close }
  } catch (error) {
    await response.close()
    throw error
  }
}

function checkResponseHead({ statusCode, headers }: OutboundResponse, maxBytes: number): void {
  if (statusCode !== 200) throw new DownloadError(linkMessages.status({ status: statusCode }))
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity') throw new DownloadError(linkMessages.compressed())
  if (Number(headers['content-length']) > maxBytes) throw new DownloadTooLargeError()
}

async function* wrapBodyErrors(body: AsyncIterable<Buffer>, limits: TimeLimits): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw toDownloadError(error, limits)
  }
}

/** Returns the file name in Content-Disposition, otherwise the last part of the URL path. */
function findFileName({ headers, url }: OutboundResponse): string {
  const disposition = headers['content-disposition']
  const headerName = typeof disposition === 'string' ? parseDispositionFileName(disposition) : undefined
  if (headerName) return headerName
  const last = url.pathname.split('/').pop()!
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Converts an OutboundError to the errors of a download. Returns other errors unchanged. */
function toDownloadError(error: unknown, limits: TimeLimits): Error {
  if (!(error instanceof OutboundError)) return error as Error
  return error.failure.kind === 'tooLarge'
    ? new DownloadTooLargeError()
    : new DownloadError(toReason(error.failure, limits))
}

function toReason(failure: OutboundFailure, { headMs, silenceMs, totalMs }: TimeLimits): Message {
  if (failure.kind === 'network') return linkMessages.network({ code: translateNetworkError(failure.code) })
  if (failure.kind === 'address') return linkMessages.forbidden({ rule: failure.rule })
  if ('rule' in failure) return failure.rule
  return {
    aborted: linkMessages.notWanted(),
    late: linkMessages.late({ minutes: totalMs / 60_000 }),
    noAnswer: linkMessages.noAnswer({ seconds: headMs / 1000 }),
    silent: linkMessages.silent({ seconds: silenceMs / 1000 }),
    tooLarge: linkMessages.tooLarge(),
  }[failure.kind]
}
