import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Context } from 'koa'
import type { Core } from '../core.ts'
import { readText } from './body.ts'

describe('a body that the handler takes apart itself', () => {
  it('of a client that goes away in the middle is a fault of the client’s, not of the service’s', async () => {
    const core = { config: { bodySeconds: 60 } } as Core
    const server = http.createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reading = once(server, 'request').then(([req]) => readText(core, { req } as Context))
    const { port } = server.address() as AddressInfo
    const client = net.connect(port, '127.0.0.1', () => {
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf', () => client.end())
    })
    client.resume()
    try {
      const fault = await reading.then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(fault).to.include({ statusCode: 400, message: 'The connection ended before the body did' })
    } finally {
      client.destroy()
      server.close()
    }
  })
})
