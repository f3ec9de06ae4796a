import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface HubRequest {
  method: string
  file: string
  range: string | undefined
  ifRange: string | undefined
}

/** Responds to one request for a model file, for example with a fault. */
export type ModelHubResponder = (response: ServerResponse, file: Buffer, request: IncomingMessage) => void

const FILE_PATH = /^\/t-tech\/T-one\/resolve\/main\/([\w.]+)$/

/** A model hub on this machine, which serves files with ranges and SHA-256 ETags. Tests can change its responses. */
export class TestModelHub {
  readonly requests: HubRequest[] = []
  readonly files: Record<string, Buffer>
  /** Responders of the next GET requests, in order. Later requests get the file. */
  readonly nextResponders: ModelHubResponder[] = []
  /** If set, it responds to every request, including HEAD. */
  defaultResponder: ModelHubResponder | undefined
  /** The ETag of every file, instead of its SHA-256 hash. */
  etag: string | undefined
  private readonly server: Server

  private constructor(files: Record<string, Buffer>) {
    this.files = files
    this.server = createServer((request, response) => this.handleRequest(request, response))
  }

  static async start(files: Record<string, Buffer>): Promise<TestModelHub> {
    const hub = new TestModelHub(files)
    hub.server.listen(0, '127.0.0.1')
    await once(hub.server, 'listening')
    return hub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get ranges(): (string | undefined)[] {
    return this.requests.filter(({ method }) => method === 'GET').map(({ range }) => range)
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private handleRequest(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request
    const name = FILE_PATH.exec(url)?.[1] ?? url.slice(1)
    this.requests.push({ method, file: name, range: headers.range, ifRange: headers['if-range'] as string | undefined })
    const file = this.files[name]
    if (!file) return void response.writeHead(404).end('not found')
    const responder = this.defaultResponder ?? (method === 'GET' ? this.nextResponders.shift() : undefined)
    if (responder) return responder(response, file, request)
    serveModelFile(response, file, request, this.etag ?? `"${hashSha256(file)}"`)
  }
}

/** Serves a file with ranges and If-Range, like common servers. */
export function serveModelFile(
  response: ServerResponse,
  file: Buffer,
  { method, headers }: IncomingMessage,
  etag?: string,
): void {
  const rangeStart = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag
  const from = rangeStart && isCurrent ? Number(rangeStart) : 0
  if (etag) response.setHeader('ETag', etag)
  if (from > 0 && from >= file.length) return void response.writeHead(416).end()
  if (from > 0) response.setHeader('Content-Range', `bytes ${from}-${file.length - 1}/${file.length}`)
  response.setHeader('Content-Length', file.length - from)
  response.writeHead(from > 0 ? 206 : 200).end(method === 'HEAD' ? undefined : file.subarray(from))
}

/**
 * Creates a responder that sends the file up to byte `end` and then breaks the connection.
 * @param part the path of the partial file, which must contain all bytes before the break
 */
export function createTruncatedHubResponder(end: number, part: string, etag?: string): ModelHubResponder {
  return (response, file, { headers }) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    if (from > 0) response.setHeader('Content-Range', `bytes ${from}-${file.length - 1}/${file.length}`)
    if (etag) response.setHeader('ETag', etag)
    response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': file.length - from })
    response.write(file.subarray(from, end))
    // If the connection breaks, a client loses bytes that it has received but not read.
    const checkPart = () => {
      if (existsSync(part) && statSync(part).size === end) response.destroy()
      else setImmediate(checkPart)
    }
    checkPart()
  }
}

/** Creates a responder that sends a status without a body. */
export function createStatusHubResponder(code: number, headers: Record<string, string> = {}): ModelHubResponder {
  return (response) => void response.writeHead(code, headers).end()
}

/**
 * Creates a responder that redirects like the public hub: large files are at another address, and the redirect has their size and
 * SHA-256 hash.
 */
export function createRedirectHubResponder(
  to: string,
  linked: { size?: number; sha256?: string } = {},
): ModelHubResponder {
  const headers = {
    Location: to,
    ...(linked.size === undefined ? {} : { 'X-Linked-Size': String(linked.size) }),
    ...(linked.sha256 === undefined ? {} : { 'X-Linked-Etag': `"${linked.sha256}"` }),
  }
  return createStatusHubResponder(302, headers)
}

/** Computes the SHA-256 hash of bytes as hexadecimal text. */
export const hashSha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
