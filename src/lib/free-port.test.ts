import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { freePort } from './free-port.ts'

describe('a free port', () => {
  it('is none that the system gives to connections, which could take it before it is used', async () => {
    const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number)
    expect(await freePort()).to.be.below(first!)
  })

  it('is another one each time, and passes over those that are in use', async () => {
    const before = await freePort()
    const server = createServer().listen(before + 1, '127.0.0.1')
    await once(server, 'listening').catch(() => undefined) // another process has it already: in use all the same
    const after = await Promise.all([freePort(), freePort(), freePort()])
    server.close()
    expect(new Set([before, ...after, before + 1]).size).to.equal(5)
  })
})
