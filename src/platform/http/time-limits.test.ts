import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import type { HttpServerLimits } from '../lib/http-server.ts'
import { waitUntil } from '../../test/wait.ts'
import { API_SERVER_LIMITS, startApiServer } from './app.ts'

/** Reads each request body to its end, as the upload handler does. */
const app = new Koa()
app.silent = true
app.use(async (ctx) => {
  let size = 0
  for await (const chunk of ctx.req) size += (chunk as Buffer).length
  ctx.body = String(size)
})

describe('time limits of requests', () => {
  /** Starts a server with these limits and an unfinished upload to it. */
  async function startUpload(limits: HttpServerLimits) {
    const server = await startApiServer(app, '127.0.0.1', 0, limits)
    const socket = net.connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    const state = { text: '', closed: false }
    socket.on('data', (data) => (state.text += data.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => (state.closed = true))
    socket.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    const stop = async () => {
      socket.destroy()
      await server.close(0)
    }
    return { socket, state, stop }
  }

  it('the API limits a request to six hours and an idle connection to two minutes', () => {
    expect(API_SERVER_LIMITS).to.include({ request: 6 * 3600 * 1000, silence: 120_000 })
  })

  it('an upload that keeps sending can take longer than the idle timeout', async () => {
    const { socket, state, stop } = await startUpload({ ...API_SERVER_LIMITS, silence: 3000 })
    const began = performance.now()
    let sent = 0
    const drip = setInterval(() => {
      sent++
      socket.write('x')
    }, 100)
    await waitUntil('it has gone on for long enough', () => state.closed || performance.now() - began > 4500)
    clearInterval(drip)
    expect(state.closed).to.equal(false)
    socket.write('x'.repeat(1000 - sent))
    await waitUntil('it is answered', () => state.text.includes('\r\n\r\n1000'))
    await stop()
  })

  it('the API closes the connection of an upload that sends nothing', async () => {
    const { socket, state, stop } = await startUpload({ ...API_SERVER_LIMITS, silence: 300 })
    socket.write('some')
    await waitUntil('it is cut', () => state.closed)
    expect(state.text).to.equal('')
    await stop()
  })

  it('an upload that exceeds the time limit gets 408', async () => {
    const { socket, state, stop } = await startUpload({ ...API_SERVER_LIMITS, request: 1000, checks: 100 })
    const drip = setInterval(() => socket.write('x'), 200)
    await waitUntil('it is answered', () => state.text.includes('408'))
    clearInterval(drip)
    expect(state.text).to.match(/^HTTP\/1\.1 408 [^]*"statusCode":408/)
    await stop()
  })
})
