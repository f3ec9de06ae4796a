import { Blob } from 'node:buffer'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { parseUploadRows } from '../../test/upload-page.ts'
import { waitUntil } from '../../test/wait.ts'
import {
  HTMX_REFRESH_HEADERS,
  startTestPanelServer,
  startTestPanel,
  type PanelBrowser,
  type TestPanel,
} from '../../test/panel.ts'

describe('panel: upload streaming', () => {
  let app: TestPanel
  let olga: PanelBrowser
  before(async () => {
    app = await startTestPanel({ MAX_UPLOAD_MB: 1 })
    olga = await app.openOwnerBrowser()
  })
  after(() => app.stop())

  /** Starts a panel with an API that accepts uploads but never responds. Other requests return the owner Olga. */
  async function startPanelWithSilentApi(requestLimitMs?: number) {
    const apiState = { received: '', broken: 0 }
    const api = http.createServer((request, response) => {
      if (request.url !== '/v1/recordings' && request.url !== '/v1/recordings/from-url') {
        const person = { name: 'Olga', role: 'owner', rights: { manageRecordings: true }, language: null }
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ person }))
        return
      }
      request.on('data', (chunk: Buffer) => (apiState.received += chunk.toString()))
      request.on('error', () => undefined)
      response.on('close', () => apiState.broken++)
    })
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
    const panel = await startTestPanelServer(app.config, apiUrl, requestLimitMs)
    const stop = async () => {
      await panel.stop()
      api.closeAllConnections()
      await new Promise((resolve) => api.close(resolve))
    }
    return { url: panel.url, seen: apiState, stop }
  }

  /** Starts to send a form with a file, but does not end it. */
  function startUpload(url: string): http.ClientRequest {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=B', Cookie: 'svc_session=x' }
    const sending = http.request(`${url}/upload`, { method: 'POST', headers })
    sending.on('error', () => undefined)
    sending.write('--B\r\nContent-Disposition: form-data; name="priority"\r\n\r\n5\r\n')
    sending.write('--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nthe first part')
    return sending
  }

  it('the panel streams a file to the API and aborts if the browser disconnects', async () => {
    const { url, seen: apiState, stop } = await startPanelWithSilentApi()
    try {
      const sending = startUpload(url)
      await waitUntil('the first part', () => apiState.received.includes('the first part'))
      expect(apiState.received).to.match(/name="priority"\r\n\r\n5\r\n.*name="file"; filename="a.wav"/s)
      expect(apiState.received).not.to.match(/--\r\n$/)
      sending.destroy()
      await waitUntil('the end', () => apiState.broken === 1)
    } finally {
      await stop()
    }
  })

  it('uploads of a file and a link fail after the request limit without a response', async () => {
    const { url, seen: apiState, stop } = await startPanelWithSilentApi(1000)
    try {
      const form = new FormData()
      form.append('links', 'https://example.com/17.wav')
      form.append('file', new Blob(['sound']), 'one.wav')
      const headers = { ...HTMX_REFRESH_HEADERS, Cookie: 'svc_session=x' }
      const began = performance.now()
      const response = await fetch(`${url}/upload`, { method: 'POST', body: form, headers })
      expect(parseUploadRows(await response.text()).map(({ name, why }) => [name, why])).to.deep.equal([
        ['one.wav', 'The service is not responding. Try again in a minute.'],
        ['https://example.com/17.wav', 'The service is not responding. Try again in a minute.'],
      ])
      expect(performance.now() - began).to.be.within(2000, 15_000)
      await waitUntil('the API is told of both', () => apiState.broken === 2)
    } finally {
      await stop()
    }
  })

  it('the panel aborts an upload that does not finish arriving within the request limit', async () => {
    const { url, seen: apiState, stop } = await startPanelWithSilentApi(3000)
    try {
      const sending = startUpload(url)
      await waitUntil('the first part', () => apiState.received.includes('the first part'))
      await waitUntil('the API is told', () => apiState.broken === 1, 15_000)
      sending.destroy()
    } finally {
      await stop()
    }
  })

  for (const [when, breakOff] of [
    ['before the file', (request: http.IncomingMessage) => void request.socket.destroy()],
    ['within the file', (request: http.IncomingMessage) => void request.once('data', () => request.socket.destroy())],
  ] as const) {
    it(`a broken connection fails only its own file of an upload (${when})`, async () => {
      let calls = 0
      const proxy = http.createServer((request, response) => {
        if (request.url === '/v1/recordings' && calls++ === 0) {
          breakOff(request)
          return
        }
        const { method, headers, url } = request
        const passed = http.request(app.url + url, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        })
        request.pipe(passed)
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const panel = await startTestPanelServer(app.config, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
      try {
        const form = new FormData()
        for (const name of ['one.wav', 'two.wav']) form.append('file', new Blob(['some sound '.repeat(90_000)]), name)
        const response = await fetch(`${panel.url}/upload`, { method: 'POST', body: form, headers: olga.headers })
        const found = parseUploadRows(await response.text())
        expect(found.map(({ state, why }) => [state, why])).to.deep.equal([
          ['failed', 'The service is not responding. Try again in a minute.'],
          ['done', undefined],
        ])
      } finally {
        await panel.stop()
        proxy.closeAllConnections()
        await new Promise((resolve) => proxy.close(resolve))
      }
    })
  }
})
