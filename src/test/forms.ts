import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { FormError, readForm, type ArrivingFile, type FormLimits, type FormTexts } from '../platform/lib/forms.ts'

export const LIMITS: FormLimits = { fileField: 'file', files: 2, texts: 3, parts: 6, textBytes: 100, bufferBytes: 16 }
const TYPE = 'multipart/form-data; boundary=bound'
export const END = '--bound--\r\n'

export const part = (disposition: string, content: string, more = '') =>
  `--bound\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
export const text = (name: string, value: string, more?: string) => part(`name="${name}"`, value, more)
export const file = (name: string, content: string, more?: string) =>
  part(`name="file"; filename="${name}"`, content, more)

/** A form to send. */
export interface GivenForm {
  body: string | Buffer
  /** The sizes of the body's chunks. */
  pieces?: Buffer[]
  type?: string
  limits?: Partial<FormLimits>
  takeFile?: (file: ArrivingFile, request: http.IncomingMessage) => Promise<void>
}

export const WHOLE = Buffer.from(
  `preamble\r\n${text('a', 'Анна')}${file('1.wav', 'sound\r\n--boun\r\n--\r\n\r--bound')}${text('b', '')}${file('2.wav', '')}` +
    `${text('c', '5')}${END}epilogue\r\n--bound\r\n`,
)

/** A server that parses forms. */
export class FormServer {
  /** The handler of requests. */
  serve: (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void> = async () => undefined
  private readonly agent = new http.Agent({ keepAlive: true })
  private readonly server = http.createServer(
    (request, response) => void this.serve(request, response).finally(() => response.end()),
  )

  start = (): Promise<void> => new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve))

  async stop(): Promise<void> {
    this.agent.destroy()
    await new Promise((resolve) => this.server.close(resolve))
  }

  post(type = TYPE): http.ClientRequest {
    const { port } = this.server.address() as AddressInfo
    const headers = { 'Content-Type': type, 'Transfer-Encoding': 'chunked' }
    return http.request({ port, agent: this.agent, method: 'POST', headers })
  }

  /** Sends a form; returns the result as soon as the client has its response. */
  async read({ body, pieces = [Buffer.from(body)], type = TYPE, limits, takeFile }: GivenForm) {
    const files: [name: string, content: string][] = []
    let texts: FormTexts = new Map()
    let error: unknown
    this.serve = async (req, res) => {
      const keep = async ({ name, content }: ArrivingFile) =>
        void files.push([`file ${name}`, (await buffer(content)).toString()])
      try {
        texts = await readForm({ req, res }, { ...LIMITS, ...limits }, (file) => (takeFile ?? keep)(file, req))
      } catch (thrown) {
        error = thrown
      }
    }
    const request = this.post(type)
    const answered = new Promise((resolve, reject) => {
      request.on('response', (response) => response.resume().on('end', resolve)).on('error', reject)
    })
    for (const piece of pieces) request.write(piece)
    request.end()
    await answered
    const parts = [...texts, ...files]
    return { parts, error: error instanceof FormError ? `${error.kind}: ${error.message}` : error }
  }
}
