import type { Readable } from 'node:stream'
import { Agent, request, type Dispatcher } from 'undici'

const REPOSITORY = 't-tech/T-one'
const REVISION = 'main'

const MAX_REDIRECTS = 5
const REDIRECT_STATUSES = [301, 302, 303, 307, 308]
const SHA256_PATTERN = /^[0-9a-f]{64}$/

interface HubFailure {
  /** True if a later attempt can succeed. */
  retryable?: boolean
  /** True if no part of the file was transferred: no response arrived, or its status allows a retry. */
  idle?: boolean
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A failure of the hub or of the connection to it. The message is for operators and names the host and the file. */
export class ModelHubError extends Error {
  readonly failure: HubFailure
  constructor(message: string, failure: HubFailure = {}) {
    super(message, { cause: failure.cause })
    this.failure = failure
  }
}

/** Properties of a file according to the hub. `size` is in bytes, `sha256` is hexadecimal. Missing values are unknown. */
export interface HubFileMetadata {
  size?: number | undefined
  sha256?: string | undefined
}

/** The response to a download request. */
export interface HubFileResponse {
  facts: HubFileMetadata
  /** Strong ETag of the server that sends the bytes. */
  etag: string | undefined
  /** Offset of the first byte. Undefined if the server has no bytes from the requested offset. */
  from: number | undefined
  body: Readable
}

/** The offset at which to resume a download, and the ETag of the bytes before it. */
interface ResumePoint {
  from: number
  etag: string | undefined
}

interface HubResponse {
  status: number
  url: URL
  headers: Record<string, string | string[] | undefined>
  body: Dispatcher.ResponseData['body']
  facts: HubFileMetadata
}

/** A client of the model hub or a mirror. A mirror serves plain files or redirects to them. */
export class ModelHubClient {
  private readonly base: string
  private readonly agent: Agent

  constructor(base: string, stallMs: number) {
    this.base = base.replace(/\/+$/, '')
    this.agent = new Agent({ headersTimeout: stallMs, bodyTimeout: stallMs, connect: { timeout: stallMs } })
  }

  get host(): string {
    return new URL(this.base).host
  }

  /**
   * Fetches the size and checksum of a file. Values that the hub does not send are missing.
   * @throws ModelHubError if the connection fails or the hub rejects the request
   */
  async fetchMetadata(name: string): Promise<HubFileMetadata> {
    const { status, url, headers, body, facts } = await this.follow('HEAD', name, {})
    await body.dump()
    // Further errors are ignored below, because a server that rejects HEAD can still answer GET.
    if (status === 200 && headers['content-encoding'] === undefined)
      facts.size ??= parseInteger(headers['content-length'])
    if (url.host === this.host && [401, 403, 404].includes(status)) throw refusalError(status, url, name, headers)
    if (isRetryable(status)) throw refusalError(status, url, name, headers)
    return facts
  }

  /**
   * Requests a file, or the rest of it from `resume`. The caller must read or destroy the body.
   * @throws ModelHubError if the connection fails or the hub rejects the request
   */
  async open(name: string, resume?: ResumePoint): Promise<HubFileResponse> {
    const range = resume && {
      range: `bytes=${resume.from}-`,
      ...(resume.etag ? { 'if-range': resume.etag } : {}),
    }
    const { status, url, headers, body, facts } = await this.follow('GET', name, { ...range })
    // Without a listener, an unread body raises an unhandled error when the connection closes.
    body.on('error', () => undefined)
    const etag = parseStrongEtag(headers.etag)
    if (status === 200) {
      if (headers['content-encoding'] === undefined) facts.size ??= parseInteger(headers['content-length'])
      return { facts, etag, from: 0, body }
    }
    if (status === 206) {
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(headers['content-range'])) ?? []
      if (first === undefined)
        throw new ModelHubError(`${url.host} answered without saying which part of ${name} it sends.`)
      facts.size ??= parseInteger(total)
      return { facts, etag, from: Number(first), body }
    }
    if (status === 416 && resume) return { facts, etag, from: undefined, body }
    body.destroy()
    throw refusalError(status, url, name, headers)
  }

  async close(): Promise<void> {
    await this.agent.destroy()
  }

  /** Sends a request and follows redirects. Collects size and checksum from the headers of each hop. */
  private async follow(method: 'HEAD' | 'GET', name: string, headers: Record<string, string>): Promise<HubResponse> {
    let url = new URL(`${this.base}/${REPOSITORY}/resolve/${REVISION}/${name}`)
    const facts: HubFileMetadata = {}
    for (let hop = 0; ; hop++) {
      const { statusCode: status, headers: responseHeaders, body } = await this.send(method, url, name, headers)
      collectMetadata(facts, responseHeaders, hop)
      // The hub sends size and checksum with the redirect. The target's URL is often signed for GET only.
      const isSufficient = method === 'HEAD' && facts.size !== undefined
      if (!REDIRECT_STATUSES.includes(status) || isSufficient)
        return { status, url, headers: responseHeaders, body, facts }
      await body.dump()
      if (hop === MAX_REDIRECTS) {
        throw new ModelHubError(`${this.host} redirects the request for ${name} more than ${MAX_REDIRECTS} times.`)
      }
      url = parseHubRedirectTarget(url, responseHeaders.location, name)
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
      throw hubConnectionError(url.host, name, error, true)
    }
  }
}

/**
 * Creates the error for a failed connection, which can be retried.
 * @param idle true if no response arrived, false if the response ended early
 */
export function hubConnectionError(host: string, name: string, error: unknown, idle = false): ModelHubError {
  const { code, message } = error as NodeJS.ErrnoException
  // If a name has several addresses and all refuse, the error has a code but no message.
  const reason = code && !message.includes(code) ? `${message} (${code})`.trim() : message
  return new ModelHubError(`The connection to ${host} for ${name} failed: ${reason}.`, {
    retryable: true,
    idle,
    cause: error,
  })
}

function collectMetadata(facts: HubFileMetadata, headers: HubResponse['headers'], hop: number): void {
  facts.size ??= parseInteger(headers['x-linked-size'])
  // After the first hop, the ETag belongs to the content store. Its 64 digits can be another hash.
  facts.sha256 ??= parseChecksum(headers['x-linked-etag']) ?? (hop === 0 ? parseChecksum(headers.etag) : undefined)
}

function parseInteger(text: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(text)) ? Number(text) : undefined
}

function parseChecksum(etag: unknown): string | undefined {
  const unquoted = String(etag).replace(/^(W\/)?"(.*)"$/, '$2')
  return SHA256_PATTERN.test(unquoted) ? unquoted : undefined
}

function parseStrongEtag(etag: unknown): string | undefined {
  return typeof etag === 'string' && etag.startsWith('"') ? etag : undefined
}

/**
 * Parses the Location header of a redirect.
 * @param name the file name, for the error message
 * @throws ModelHubError if the target is invalid or leads from HTTPS to HTTP
 */
export function parseHubRedirectTarget(from: URL, location: unknown, name: string): URL {
  const known = typeof location === 'string' && URL.canParse(location, from.href)
  const to = known ? new URL(location, from) : undefined
  const safe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (!to || !safe) {
    const where = !to ? 'to no address' : `to ${to.protocol}//${to.host}, which is not secure`
    throw new ModelHubError(`${from.host} redirects the request for ${name} ${where}.`)
  }
  return to
}

const isRetryable = (status: number) => status >= 500 || [408, 425, 429].includes(status)

const REFUSAL_REASONS: Record<number, string> = {
  401: 'it asks for a login',
  403: 'it forbids the download',
  404: 'it has no such file',
}

function refusalError(status: number, { host }: URL, name: string, headers: HubResponse['headers']): ModelHubError {
  if (isRetryable(status)) {
    const retryAfterMs = parseRetryAfter(headers['retry-after'])
    const failure = { retryable: true, idle: true, retryAfterMs }
    return new ModelHubError(`${host} answered ${status} to the request for ${name}.`, failure)
  }
  const reason = REFUSAL_REASONS[status] ?? 'it does not give the file'
  const help = 'Check ASR_MODEL_HUB_URL, or put the file into the models folder by hand.'
  return new ModelHubError(`${host} answered ${status} to the request for ${name}: ${reason}. ${help}`)
}

/** Parses Retry-After, which is a number of seconds or a date. Returns milliseconds from now, or undefined. */
function parseRetryAfter(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
