import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'

const REPOSITORY = 't-tech/T-one'
const REVISION = 'main'

const MOST_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const SHA256 = /^[0-9a-f]{64}$/

interface Failure {
  /** Whether a later attempt can succeed. */
  passing?: boolean
  /** Whether nothing was transferred: there was no response, or one that asks to retry. */
  idle?: boolean
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A failure of the hub or of the connection. The message is for operators; it names host and file. */
export class HubError extends Error {
  readonly failure: Failure
  constructor(message: string, failure: Failure = {}) {
    super(message, { cause: failure.cause })
    this.failure = failure
  }
}

export interface Facts {
  size?: number | undefined
  sha256?: string | undefined
}

export interface Opened {
  facts: Facts
  /** Strong ETag of the server that sends the bytes. */
  etag: string | undefined
  /** Offset of the first byte; undefined if the server has none from the offset that was asked for. */
  from: number | undefined
  body: Readable
}

/** Where to resume a file, and the ETag of the bytes before. */
interface Resume {
  from: number
  etag: string | undefined
}

interface Answer {
  status: number
  url: URL
  headers: Record<string, string | string[] | undefined>
  body: Dispatcher.ResponseData['body']
  facts: Facts
}

/** The model hub, or a mirror of it: plain files, or redirects to the bytes. */
export class Hub {
  private readonly base: string
  private readonly agent: Agent

  constructor(base: string, stallMs: number) {
    this.base = base.replace(/\/+$/, '')
    this.agent = new Agent({ headersTimeout: stallMs, bodyTimeout: stallMs, connect: { timeout: stallMs } })
  }

  get host(): string {
    return new URL(this.base).host
  }

  /** Requests a file's size and checksum; facts that the hub does not send are left out. */
  async describe(name: string): Promise<Facts> {
    const { status, url, headers, body, facts } = await this.follow('HEAD', name, {})
    await body.dump()
    // Servers that reject HEAD get a GET later: only permanent errors count now.
    if (status === 200 && headers['content-encoding'] === undefined) facts.size ??= whole(headers['content-length'])
    if (url.host === this.host && [401, 403, 404].includes(status)) throw refusal(status, url, name, headers)
    if (isPassing(status)) throw refusal(status, url, name, headers)
    return facts
  }

  async open(name: string, resume?: Resume): Promise<Opened> {
    const range = resume && {
      range: `bytes=${resume.from}-`,
      ...(resume.etag ? { 'if-range': resume.etag } : {}),
    }
    const { status, url, headers, body, facts } = await this.follow('GET', name, { ...range })
    // An unread body must not raise an unhandled error when the connection closes.
    body.on('error', () => undefined)
    const etag = strongEtag(headers.etag)
    if (status === 200) {
      if (headers['content-encoding'] === undefined) facts.size ??= whole(headers['content-length'])
      return { facts, etag, from: 0, body }
    }
    if (status === 206) {
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(headers['content-range'])) ?? []
      if (first === undefined) throw new HubError(`${url.host} answered without saying which part of ${name} it sends.`)
      facts.size ??= whole(total)
      return { facts, etag, from: Number(first), body }
    }
    if (status === 416 && resume) return { facts, etag, from: undefined, body }
    body.destroy()
    throw refusal(status, url, name, headers)
  }

  async close(): Promise<void> {
    await this.agent.destroy()
  }

  /** Sends a request and follows redirects; each hop can add facts about the file. */
  private async follow(method: 'HEAD' | 'GET', name: string, headers: Record<string, string>): Promise<Answer> {
    let url = new URL(`${this.base}/${REPOSITORY}/resolve/${REVISION}/${name}`)
    const facts: Facts = {}
    for (let hop = 0; ; hop++) {
      const { statusCode: status, headers: told, body } = await this.send(method, url, name, headers)
      learn(facts, told, hop)
      // The hub sends size and checksum with the redirect; addresses behind it are often signed for GET alone.
      const enough = method === 'HEAD' && facts.size !== undefined
      if (!REDIRECTS.includes(status) || enough) return { status, url, headers: told, body, facts }
      await body.dump()
      if (hop === MOST_REDIRECTS) {
        throw new HubError(`${this.host} redirects the request for ${name} more than ${MOST_REDIRECTS} times.`)
      }
      url = redirectTarget(url, told.location, name)
    }
  }

  private async send(
    method: 'HEAD' | 'GET',
    url: URL,
    name: string,
    headers: Record<string, string>,
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await request(url, {
        method,
        // Compressed bytes would have another size and checksum.
        headers: { 'user-agent': 'call-transcription-service', 'accept-encoding': 'identity', ...headers },
        dispatcher: this.agent,
      })
    } catch (error) {
      throw broken(url.host, name, error, true)
    }
  }
}

/** A connection that ended early or, `idle`, could not be made or got no response. */
export function broken(host: string, name: string, error: unknown, idle = false): HubError {
  const { code, message } = error as NodeJS.ErrnoException
  // A refused connection to several addresses of one name has a code and no message.
  const reason = code && !message.includes(code) ? `${message} (${code})`.trim() : message
  return new HubError(`The connection to ${host} for ${name} failed: ${reason}.`, { passing: true, idle, cause: error })
}

function learn(facts: Facts, headers: Answer['headers'], hop: number): void {
  facts.size ??= whole(headers['x-linked-size'])
  // After the first hop, an ETag is the content store's own, and its 64 digits can be another hash.
  facts.sha256 ??= checksum(headers['x-linked-etag']) ?? (hop === 0 ? checksum(headers.etag) : undefined)
}

function whole(text: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(text)) ? Number(text) : undefined
}

function checksum(etag: unknown): string | undefined {
  const bare = String(etag).replace(/^(W\/)?"(.*)"$/, '$2')
  return SHA256.test(bare) ? bare : undefined
}

function strongEtag(etag: unknown): string | undefined {
  return typeof etag === 'string' && etag.startsWith('"') ? etag : undefined
}

/** @throws HubError if a redirect has no valid target, or leads from HTTPS to HTTP */
export function redirectTarget(from: URL, location: unknown, name: string): URL {
  const known = typeof location === 'string' && URL.canParse(location, from.href)
  const to = known ? new URL(location, from) : undefined
  const safe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (!to || !safe) {
    const where = !to ? 'to no address' : `to ${to.protocol}//${to.host}, which is not secure`
    throw new HubError(`${from.host} redirects the request for ${name} ${where}.`)
  }
  return to
}

const isPassing = (status: number) => status >= 500 || [408, 425, 429].includes(status)

const REASONS: Record<number, string> = {
  401: 'it asks for a login',
  403: 'it forbids the download',
  404: 'it has no such file',
}

function refusal(status: number, { host }: URL, name: string, headers: Answer['headers']): HubError {
  if (isPassing(status)) {
    const retryAfterMs = pauseOf(headers['retry-after'])
    const failure = { passing: true, idle: true, retryAfterMs }
    return new HubError(`${host} answered ${status} to the request for ${name}.`, failure)
  }
  const reason = REASONS[status] ?? 'it does not give the file'
  const help = 'Check ASR_MODEL_HUB_URL, or put the file into the models folder by hand.'
  return new HubError(`${host} answered ${status} to the request for ${name}: ${reason}. ${help}`)
}

/** Retry-After is a number of seconds or a date. */
function pauseOf(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
