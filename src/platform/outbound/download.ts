import { Readable } from 'node:stream'
import { fileNameOf } from '../lib/content-disposition.ts'
import type { Message } from '../lib/messages.ts'
import { linkMessages, networkError } from './messages.ts'
import { openRequest, OutboundFailed, type Failure, type Limits, type OutboundAnswer } from './client.ts'

/** A link cannot be downloaded; the reason continues a sentence that begins with the link. */
export class DownloadFailed extends Error {
  constructor(readonly reason: Message) {
    super(reason.text)
  }
}

export class DownloadTooLarge extends Error {}

type TimeLimits = Omit<Limits, 'maxBytes'>

const TIME_LIMITS: TimeLimits = { headMs: 30_000, silenceMs: 30_000, totalMs: 30 * 60_000 }
const MAX_REDIRECTS = 5

interface DownloadOptions {
  /** ALLOW_PRIVATE_NETWORK_DOWNLOADS */
  allowPrivate: boolean
  maxBytes: number
  signal: AbortSignal
  limits?: TimeLimits
}

interface Download {
  /** The file's bytes; fails with DownloadFailed or DownloadTooLarge. */
  body: Readable
  /** The file name sent by the server; can be empty or contain anything. */
  fileName: string
  /** Ends the download at any point. */
  close(): Promise<void>
}

/** Opens a user's address; decodes nothing, so no file can grow. @throws DownloadFailed, DownloadTooLarge */
export async function openDownload(link: string, options: DownloadOptions): Promise<Download> {
  const { allowPrivate, maxBytes, signal, limits = TIME_LIMITS } = options
  const answer = await openRequest({
    method: 'GET',
    url: link,
    headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
    allowPrivate,
    limits: { ...limits, maxBytes },
    maxRedirects: MAX_REDIRECTS,
    signal,
  }).catch((error: unknown) => {
    throw describe(error, limits)
  })
  try {
    checkHead(answer, maxBytes)
    const body = Readable.from(described(answer.body, limits), { objectMode: false })
    body.on('error', () => undefined) // whoever reads it hears of it; when nobody does any more, nobody needs to
    return { body, fileName: nameOf(answer), close: answer.close }
  } catch (error) {
    await answer.close()
    throw error
  }
}

function checkHead({ statusCode, headers }: OutboundAnswer, maxBytes: number): void {
  if (statusCode !== 200) throw new DownloadFailed(linkMessages.status({ status: statusCode }))
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity') throw new DownloadFailed(linkMessages.compressed())
  if (Number(headers['content-length']) > maxBytes) throw new DownloadTooLarge()
}

async function* described(body: AsyncIterable<Buffer>, limits: TimeLimits): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw describe(error, limits)
  }
}

/** The file name of the response, else the last part of its address. */
function nameOf({ headers, url }: OutboundAnswer): string {
  const disposition = headers['content-disposition']
  const given = typeof disposition === 'string' ? fileNameOf(disposition) : undefined
  if (given) return given
  const last = url.pathname.split('/').pop()!
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Why a download failed, as the continuation of a sentence with the link. */
function describe(error: unknown, limits: TimeLimits): Error {
  if (!(error instanceof OutboundFailed)) return error as Error
  return error.failure.kind === 'tooLarge'
    ? new DownloadTooLarge()
    : new DownloadFailed(reasonOf(error.failure, limits))
}

function reasonOf(failure: Failure, { headMs, silenceMs, totalMs }: TimeLimits): Message {
  if (failure.kind === 'network') return linkMessages.network({ code: networkError(failure.code) })
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
