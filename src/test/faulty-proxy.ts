import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A status with an HTML body, or a way in which the connection breaks. */
export type ProxyFault = number | 'close at once' | 'close in the middle' | 'close after the service answered'

interface FaultyProxy {
  url: string
  remainingFaults: ProxyFault[]
  stop(): Promise<void>
}

/** Starts a proxy for `target`. Each of the first requests gets one of the faults; later requests pass unchanged. */
export async function startFaultyProxy(target: string, faults: ProxyFault[]): Promise<FaultyProxy> {
  const server = createServer((request, response) => {
    respond(target, faults.shift(), request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    remainingFaults: faults,
    async stop() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

async function respond(
  target: string,
  fault: ProxyFault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (fault === 'close at once') return void request.socket.resetAndDestroy()
  const body: Buffer[] = []
  for await (const chunk of request) body.push(chunk as Buffer)
  if (typeof fault === 'number') {
    response.writeHead(fault, { 'Content-Type': 'text/html' }).end('<html><h1>Out of order</h1></html>')
    return
  }
  if (fault === 'close in the middle') {
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': 1000 })
    response.write('{"id": "0197', () => request.socket.destroy())
    return
  }
  const { method = 'GET', url = '/' } = request
  const upstreamResponse = await fetch(target + url, {
    method,
    headers: { 'X-API-Key': String(request.headers['x-api-key']), ...copyContentType(request) },
    ...(body.length > 0 && { body: Buffer.concat(body) }),
  })
  const text = await upstreamResponse.text()
  if (fault === 'close after the service answered') return void request.socket.destroy()
  const location = upstreamResponse.headers.get('location')
  response.writeHead(upstreamResponse.status, {
    'Content-Type': 'application/json',
    ...(location && { Location: location }),
  })
  response.end(text)
}

function copyContentType(request: IncomingMessage): Record<string, string> {
  const type = request.headers['content-type']
  return type === undefined ? {} : { 'Content-Type': type }
}
