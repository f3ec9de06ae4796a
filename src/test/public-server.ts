import dns from 'node:dns'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'

/** A public address whose connections reach this machine while a TestPublicServer runs. */
const PUBLIC_ADDRESS = '203.0.114.1'

/** A public address on which no server listens. */
export const SILENT_PUBLIC_ADDRESS = '203.0.114.2'

const LOCAL_ADDRESSES: Record<string, string> = { [PUBLIC_ADDRESS]: '127.0.0.1', [SILENT_PUBLIC_ADDRESS]: '127.0.0.2' }

type RequestHandler = (request: http.IncomingMessage, response: http.ServerResponse) => void
type LookupDone = (error: Error | null, found: dns.LookupAddress[]) => void
type Connect = (options: net.TcpNetConnectOpts) => net.Socket

/**
 * A server that this process can reach like a server of the public internet. public.example.com resolves to a public address.
 * The address of a connection is replaced only after the product has checked it.
 */
export class TestPublicServer {
  /** Handlers by path. Any other path gets the response "canary", because no request should reach it. */
  readonly paths: Record<string, RequestHandler> = {}
  /** The paths of received requests. */
  readonly hits: string[] = []
  /** Resolves a host name to addresses; undefined for an unknown name. */
  resolve: (name: string) => string[] | undefined = (name) =>
    name === 'public.example.com' ? [PUBLIC_ADDRESS] : undefined
  port = 0
  private readonly lookup = dns.lookup
  private readonly connect = net.connect
  private readonly servers = ['127.0.0.1', '::1'].map((address) => ({
    address,
    server: http.createServer((request, response) => this.handleRequest(request, response)),
  }))

  async start(): Promise<this> {
    for (const { address, server } of this.servers) {
      await new Promise<void>((resolve) => {
        server.once('error', () => resolve()) // A machine without IPv6 cannot listen on ::1.
        server.listen(this.port, address, resolve)
      })
      this.port ||= (server.address() as AddressInfo).port
    }
    dns.lookup = ((name: string, options: object | LookupDone, done?: LookupDone) => {
      // The product calls lookup with options, so a call without options comes from elsewhere.
      if (!done) return (this.lookup as (...args: unknown[]) => void)(name, options)
      const found = this.resolve(name)?.map((address) => ({ address, family: net.isIP(address) }))
      setImmediate(() => done(found ? null : Object.assign(new Error(), { code: 'ENOTFOUND' }), found ?? []))
    }) as unknown as typeof dns.lookup
    net.connect = ((options: Parameters<Connect>[0]) =>
      (this.connect as unknown as Connect)({
        ...options,
        ...(options.lookup && { lookup: this.rewriteLookup(options.lookup) }),
      })) as unknown as typeof net.connect
    return this
  }

  async stop(): Promise<void> {
    dns.lookup = this.lookup
    net.connect = this.connect
    for (const { server } of this.servers) {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    }
  }

  private handleRequest(request: http.IncomingMessage, response: http.ServerResponse): void {
    const path = new URL(request.url!, 'http://x').pathname
    this.hits.push(path)
    response.on('error', () => undefined)
    const handle = this.paths[path]
    if (handle) handle(request, response)
    else response.end('canary')
  }

  urlOf(path: string, host = 'public.example.com'): string {
    return `http://${host}:${this.port}${path}`
  }

  /**
   * Sets the handler of a path.
   * @returns the URL of the path
   */
  handleAt(path: string, handle: RequestHandler): string {
    this.paths[path] = handle
    return this.urlOf(path)
  }

  /**
   * Serves content at a path.
   * @returns the URL of the path
   */
  serveFile(path: string, content: Buffer | string, headers: http.OutgoingHttpHeaders = {}): string {
    return this.handleAt(path, (_, response) => void response.writeHead(200, headers).end(content))
  }

  /** Wraps a lookup so that public addresses become local ones, after the lookup has checked them. */
  private rewriteLookup(lookup: net.LookupFunction): net.LookupFunction {
    const toLocalAddress = (address: string) => LOCAL_ADDRESSES[address] ?? address
    return (name, options, done) =>
      lookup(name, options, (error, found, family) => {
        if (error) done(error, found, family)
        else if (typeof found === 'string') done(null, toLocalAddress(found), family)
        else
          done(
            null,
            found.map((one) => ({ ...one, address: toLocalAddress(one.address) })),
            family,
          )
      })
  }
}
