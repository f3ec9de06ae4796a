import net from 'node:net'
import { onFreePort } from '../platform/lib/free-port.ts'

/** A TCP proxy in front of a server, which can simulate outages: rejected or silent connections, or another server. */
export class Proxy {
  /** Its port; the same before and after an outage. */
  port = 0
  private target: { host: string; port: number }
  private readonly sockets = new Set<net.Socket>()
  private server = this.createServer()
  private isFrozen = false
  private toBreak = 0

  /** @param url of the server behind it */
  constructor(url: string) {
    this.target = addressOf(url)
  }

  /** Accepts connections, to the server at `url` if given. */
  async open(url?: string): Promise<this> {
    if (url) this.target = addressOf(url)
    this.server = this.createServer()
    // A claimed free port: the system assigns it to nobody else while the proxy is down.
    this.port = await (this.port ? this.listen(this.port) : onFreePort((port) => this.listen(port)))
    return this
  }

  private listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(port, '127.0.0.1', () => resolve(port))
    })
  }

  /** Breaks every connection and rejects new ones. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.sockets.forEach((socket) => socket.destroy())
    await closed
  }

  /** The address of the server, through the proxy. */
  inPlaceOf(url: string): string {
    const address = new URL(url)
    address.port = String(this.port)
    return address.href
  }

  /** Breaks the next connections at their second or third response: during their set-up. */
  breakNext(count: number): void {
    this.toBreak = count
  }

  /** Keeps every connection and passes nothing, like a hanging machine. */
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
      const behind = net.connect(this.target)
      if (this.toBreak > 0) {
        let answers = 2 + (this.toBreak-- % 2)
        behind.on('data', () => {
          if (--answers === 0) socket.destroy()
        })
      }
      for (const [end, other] of [
        [socket, behind],
        [behind, socket],
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

function addressOf(url: string): { host: string; port: number } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}
