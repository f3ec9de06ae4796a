import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { findFreePort, startOnFreePort } from './free-port.ts'

describe('free ports', () => {
  it('findFreePort() returns a port below the ephemeral range', async () => {
    const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number)
    expect(await findFreePort()).to.be.below(first!)
  })

  it('a process reserves its free port among our processes', async function () {
    if (process.platform !== 'linux') this.skip()
    const port = await findFreePort()
    const taken = createServer().listen({ path: `\0svc-port-${port}`, exclusive: true })
    const [error] = (await once(taken, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).to.equal('EADDRINUSE')
  })

  it('startOnFreePort() tries another port if the first one was taken', async () => {
    const tried: number[] = []
    const stranger = createServer()
    const server = await startOnFreePort(async (port) => {
      tried.push(port)
      if (tried.length === 1) await once(stranger.listen(port, '127.0.0.1'), 'listening')
      const server = createServer().listen(port, '127.0.0.1')
      await once(server, 'listening')
      return server
    })
    server.close()
    stranger.close()
    expect(tried).to.have.length(2)
  })

  it('findFreePort() returns different ports and skips ports in use', async () => {
    const before = await findFreePort()
    const server = createServer().listen(before + 1, '127.0.0.1')
    await once(server, 'listening').catch(() => undefined) // another process already uses the port, which is just as good
    const after = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
    server.close()
    expect(new Set([before, ...after, before + 1]).size).to.equal(5)
  })
})
