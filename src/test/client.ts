import { Blob } from 'node:buffer'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; undefined where it is none. */
  json: any // oxlint-disable-line typescript/no-explicit-any
}

/** An HTTP client with fixed headers, as one caller of the API. */
export class Client {
  readonly headers: Record<string, string>
  private readonly base: () => string

  constructor(base: () => string, headers: Record<string, string>) {
    this.base = base
    this.headers = headers
  }

  get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => this.send(path, { headers })

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    if (body === undefined || body instanceof FormData) return this.send(path, { method: 'POST', body, headers })
    return this.send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    })
  }

  delete = (path: string): Promise<Answer> => this.send(path, { method: 'DELETE' })

  async send(path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }): Promise<Answer> {
    const response = await fetch(this.base() + path, {
      redirect: 'manual',
      ...init,
      headers: { ...this.headers, ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** Submits a call: a file and text fields. */
  upload(file: Uint8Array | string, fields: Record<string, string> = {}, name = 'call.wav'): Promise<Answer> {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append('file', new Blob([file]), name)
    return this.post('/v1/recordings', form)
  }
}
