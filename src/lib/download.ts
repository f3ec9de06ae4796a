import { Readable } from 'node:stream'
import { request, type Agent, type Dispatcher } from 'undici'
import { fileNameOf } from './content-disposition.ts'
import { ForbiddenAddress, guardedAgent, linkFault } from './net-guard.ts'

/** A link cannot be downloaded; the message goes on where a sentence begins with the link. */
export class DownloadFailed extends Error {}

/** The file is larger than allowed. */
export class DownloadTooLarge extends Error {}

interface Limits {
  /** Until an answer has begun, for each hop, in milliseconds. */
  headMs: number
  /** Without any movement of the body. */
  silenceMs: number
  /** For all of it. */
  totalMs: number
}

const LIMITS: Limits = { headMs: 30_000, silenceMs: 30_000, totalMs: 30 * 60_000 }
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export interface DownloadOptions {
  /** ALLOW_PRIVATE_NETWORK_DOWNLOADS */
  allowPrivate: boolean
  maxBytes: number
  /** Aborts the download. */
  signal: AbortSignal
  limits?: Limits
}

/** A file that is on its way. */
export interface Download {
  /** The file's bytes; breaks with DownloadFailed or DownloadTooLarge. */
  body: Readable
  /** What the other side calls the file, as it says; may be empty or hold anything. */
  fileName: string
  /** Ends the download, however far it is. */
  close(): Promise<void>
}

/**
 * Opens a download from an address that a caller gave. Every hop is checked, and each connection goes to the address
 * that was checked; nothing is decoded, so no small answer becomes a large file.
 * @throws DownloadFailed, DownloadTooLarge
 */
export async function openDownload(link: string, options: DownloadOptions): Promise<Download> {
  const { allowPrivate, maxBytes, signal, limits = LIMITS } = options
  const agent = guardedAgent(allowPrivate)
  const late = AbortSignal.timeout(limits.totalMs)
  const hops: Hops = { agent, allowPrivate, limits, signal: AbortSignal.any([signal, late]) }
  const inWords = (error: unknown) => describe(error, { gone: signal.aborted, late: late.aborted }, limits)
  try {
    const { answer, url } = await follow(link, hops)
    checkHead(answer, maxBytes)
    const body = Readable.from(limited(answer.body, maxBytes, inWords), { objectMode: false })
    body.on('error', () => undefined) // whoever reads it hears of it; when nobody does any more, nobody needs to
    return { body, fileName: nameOf(answer, url), close: () => agent.destroy() }
  } catch (error) {
    await agent.destroy()
    throw inWords(error)
  }
}

interface Hops {
  agent: Agent
  allowPrivate: boolean
  limits: Limits
  signal: AbortSignal
}

/** The first answer that is no redirect, and where it came from. */
async function follow(link: string, hops: Hops): Promise<{ answer: Dispatcher.ResponseData; url: URL }> {
  let url = checkHop(link, hops, '')
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(url, hops)
    if (!REDIRECTS.has(answer.statusCode)) return { answer, url }
    answer.body.destroy()
    if (redirects === MAX_REDIRECTS) throw new DownloadFailed(`redirects more than ${MAX_REDIRECTS} times`)
    url = nextHop(url, answer.headers.location, hops)
  }
}

function nextHop(from: URL, location: string | string[] | undefined, hops: Hops): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new DownloadFailed('redirects without saying where to')
  }
  const next = checkHop(new URL(location, from.href).href, hops, 'redirects to a link that ')
  // Sound that was to travel encrypted must not end up in the clear because a server says so.
  if (from.protocol === 'https:' && next.protocol === 'http:') throw new DownloadFailed('redirects from https to http')
  return next
}

function checkHop(link: string, { allowPrivate }: Hops, prefix: string): URL {
  const fault = linkFault(link, allowPrivate)
  if (fault) throw new DownloadFailed(prefix + fault)
  return new URL(link)
}

async function ask(url: URL, { agent, limits, signal }: Hops): Promise<Dispatcher.ResponseData> {
  const silent = new AbortController()
  const timer = setTimeout(() => silent.abort(new NoAnswer()), limits.headMs)
  try {
    const answer = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.any([signal, silent.signal]),
      headers: { 'User-Agent': `svc/${SVC_VERSION}`, Accept: '*/*', 'Accept-Encoding': 'identity' },
      bodyTimeout: limits.silenceMs,
    })
    answer.body.on('error', () => undefined) // it is destroyed wherever it is not wanted
    return answer
  } finally {
    clearTimeout(timer)
  }
}

class NoAnswer extends Error {}

function checkHead({ statusCode, headers }: Dispatcher.ResponseData, maxBytes: number): void {
  if (statusCode !== 200) throw new DownloadFailed(`answers with status ${statusCode} instead of a file`)
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity') throw new DownloadFailed('answers with a compressed body, which was not asked for')
  if (Number(headers['content-length']) > maxBytes) throw new DownloadTooLarge()
}

async function* limited(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  inWords: (error: unknown) => Error,
): AsyncGenerator<Buffer> {
  let received = 0
  try {
    for await (const chunk of body) {
      received += chunk.length
      if (received > maxBytes) throw new DownloadTooLarge()
      yield chunk
    }
  } catch (error) {
    throw inWords(error)
  }
}

/** What the answer calls its file, else the last part of its address. */
function nameOf({ headers }: Dispatcher.ResponseData, url: URL): string {
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

/** Why a download failed, in words that go on after the link. */
function describe(
  error: unknown,
  ended: { gone: boolean; late: boolean },
  { headMs, silenceMs, totalMs }: Limits,
): Error {
  if (error instanceof DownloadFailed || error instanceof DownloadTooLarge) return error
  if (ended.gone) return new DownloadFailed('is not wanted any more: the caller went away')
  if (ended.late) return new DownloadFailed(`did not arrive whole within ${totalMs / 60_000} minutes`)
  if (error instanceof NoAnswer) return new DownloadFailed(`did not answer within ${headMs / 1000} seconds`)
  if (error instanceof ForbiddenAddress) return new DownloadFailed(`must not be used: ${error.message}`)
  const { code, name } = error as { code?: string; name?: string }
  if (code === 'UND_ERR_BODY_TIMEOUT') return new DownloadFailed(`sent nothing for ${silenceMs / 1000} seconds`)
  return new DownloadFailed(`cannot be reached or broke off (${code ?? name ?? 'network error'})`)
}
