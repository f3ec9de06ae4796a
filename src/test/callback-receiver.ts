import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { waitUntil } from './wait.ts'

/** A request to CallbackReceiver with its headers and raw body, so that tests can verify the signature. */
export interface ReceivedCallback {
  path: string
  method: string
  headers: http.IncomingHttpHeaders
  /** The raw bytes, over which the signature is computed. */
  body: Buffer
}

type CallbackResponder = (request: http.IncomingMessage, response: http.ServerResponse, nth: number) => void

/** A real HTTP server that stores the callbacks it receives. Tests can set its response; the default is 204. */
export class CallbackReceiver {
  readonly received: ReceivedCallback[] = []
  answer: CallbackResponder = (_, response) => response.writeHead(204).end()
  url = ''
  private readonly server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', method = '', headers } = request
      this.received.push({ path, method, headers, body: Buffer.concat(chunks) })
      this.answer(request, response, this.callbacksTo(path).length)
    })
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  callbacksTo(path: string): ReceivedCallback[] {
    return this.received.filter((callback) => callback.path === path)
  }

  /** Waits for the `nth` callback at a path. The first callback has the number 1. */
  waitForCallback(path: string, nth = 1): Promise<ReceivedCallback> {
    return waitUntil(`callback ${nth} at ${path}`, () => this.callbacksTo(path)[nth - 1])
  }
}
