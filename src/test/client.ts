import { Blob } from 'node:buffer'
import { expectMatchesApiDescription, type TestResponse } from './api-description.ts'

export type { TestResponse } from './api-description.ts'

/** An HTTP client with the fixed headers of one caller. It validates each response against the description of the API. */
export class TestClient {
  readonly headers: Record<string, string>
  /** False for servers without this description, such as the panel. */
  protected readonly isApi: boolean = true
  private readonly base: () => string

  constructor(base: () => string, headers: Record<string, string>) {
    this.base = base
    this.headers = headers
  }

  get = (path: string, headers: Record<string, string> = {}): Promise<TestResponse> => this.send(path, { headers })

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<TestResponse> {
    if (body === undefined || body instanceof FormData) return this.send(path, { method: 'POST', body, headers })
    return this.send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    })
  }

  put = (path: string, body: unknown): Promise<TestResponse> => this.sendJson('PUT', path, body)

  patch = (path: string, body: unknown): Promise<TestResponse> => this.sendJson('PATCH', path, body)

  private sendJson(method: string, path: string, body: unknown): Promise<TestResponse> {
    return this.send(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })
  }

  delete = (path: string): Promise<TestResponse> => this.send(path, { method: 'DELETE' })

  async send(
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ): Promise<TestResponse> {
    const response = await fetch(this.base() + path, {
      redirect: 'manual',
      ...init,
      // Compression costs processor time, so only its own tests request it.
      headers: { 'Accept-Encoding': 'identity', ...this.headers, ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false
    const json = isJson && text ? JSON.parse(text) : undefined
    const clientResponse = { status: response.status, headers: response.headers, text, json }
    if (this.isApi) expectMatchesApiDescription(init.method ?? 'GET', path, clientResponse)
    return clientResponse
  }

  /** Uploads a file with text fields to POST /v1/recordings. */
  upload(file: Uint8Array | string, fields: Record<string, string> = {}, name = 'call.wav'): Promise<TestResponse> {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append('file', new Blob([file]), name)
    return this.post('/v1/recordings', form)
  }
}

/** A client of another release, whose responses do not match the current description. */
export class UncheckedTestClient extends TestClient {
  protected override readonly isApi = false
}
