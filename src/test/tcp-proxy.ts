import net from 'node:net'
import { startOnFreePort } from '../platform/lib/free-port.ts'

/** A TCP proxy that simulates outages of the server behind it: rejected, broken or silent connections, or another server. */
export class TestTcpProxy {
  /** The port, which is the same before and after an outage. */
  port = 0
  private target: { host: string; port: number }
  private readonly sockets = new Set<net.Socket>()
  private server = this.createServer()
  private isFrozen = false
  private connectionsToBreak = 0

  /** @param url the URL of the server behind the proxy */
  constructor(url: string) {
    this.target = parseAddress(url)
  }

  /**
   * Accepts connections.
   * @param url the URL of a new server behind the proxy
   */
  async open(url?: string): Promise<this> {
    if (url) this.target = parseAddress(url)
    this.server = this.createServer()
    // startOnFreePort() reserves the port, so that no other test process takes it while the proxy is down.
    this.port = await (this.port ? this.listen(this.port) : startOnFreePort((port) => this.listen(port)))
    return this
  }

  private listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', () => resolve(port))
    })
  }

  /** Breaks all connections and rejects new ones. */
  async disconnect(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.sockets.forEach((socket) => socket.destroy())
    await closed
  }

  /** Returns the URL of the server through this proxy. */
  rewriteUrl(url: string): string {
    const address = new URL(url)
    address.port = String(this.port)
    return address.href
  }

  /** Breaks each of the next connections at the second or third data from the server, while the client sets it up. */
  breakNextConnections(count: number): void {
    this.connectionsToBreak = count
  }

  /** Keeps connections open but passes no data, like a hanging machine. */
  freeze(): void {
    this.isFrozen = true
    this.sockets.forEach((socket) => socket.pause())
  }

  thaw(): void {
    this.isFrozen = false
    this.sockets.forEach((socket) => socket.resume())
  }

  private createServer(): net.Server {
    return net.createServer((socket) => {
      const upstream = net.connect(this.target)
      if (this.connectionsToBreak > 0) {
        let responsesLeft = 2 + (this.connectionsToBreak-- % 2)
        upstream.on('data', () => {
          if (--responsesLeft === 0) socket.destroy()
        })
      }
      for (const [end, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        this.sockets.add(end)
        end.on('error', () => other.destroy())
        end.on('close', () => {
          this.sockets.delete(end)
          other.destroy()
        })
        end.pipe(other)
        if (this.isFrozen) end.pause()
      }
    })
  }
}

function parseAddress(url: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}
