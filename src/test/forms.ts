import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { FormError, parseForm, type FormFile, type FormLimits, type FormFields } from '../platform/lib/form-parser.ts'

export const FORM_LIMITS: FormLimits = {
  fileField: 'file',
  files: 2,
  texts: 3,
  parts: 6,
  textBytes: 100,
  bufferBytes: 16,
}
const FORM_CONTENT_TYPE = 'multipart/form-data; boundary=bound'
export const FORM_END = '--bound--\r\n'

/**
 * Formats a part of a multipart body.
 * @param more further header lines
 */
export const formatPart = (disposition: string, content: string, more = '') =>
  `--bound\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
/** Formats a text field of a multipart body. */
export const formatTextPart = (name: string, value: string, more?: string) => formatPart(`name="${name}"`, value, more)
/** Formats a part of a multipart body that contains a file in the field `file`. */
export const formatFilePart = (name: string, content: string, more?: string) =>
  formatPart(`name="file"; filename="${name}"`, content, more)

/** A multipart form that TestFormServer parses, and its limits. */
export interface TestForm {
  body: string | Buffer
  /** The body in chunks, each sent separately; by default one chunk. */
  pieces?: Buffer[]
  type?: string
  limits?: Partial<FormLimits>
  takeFile?: (formatFilePart: FormFile, request: http.IncomingMessage) => Promise<void>
}

export const COMPLETE_FORM = Buffer.from(
  `preamble\r\n${formatTextPart('a', 'Анна')}${formatFilePart('1.wav', 'sound\r\n--boun\r\n--\r\n\r--bound')}${formatTextPart('b', '')}${formatFilePart('2.wav', '')}` +
    `${formatTextPart('c', '5')}${FORM_END}epilogue\r\n--bound\r\n`,
)

/** A real HTTP server that parses multipart forms with the parser of the API. */
export class FormServer {
  /** Handles each request; tests can replace it. */
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

  openRequest(type = FORM_CONTENT_TYPE): http.ClientRequest {
    const { port } = this.server.address() as AddressInfo
    const headers = { 'Content-Type': type, 'Transfer-Encoding': 'chunked' }
    return http.request({ port, agent: this.agent, method: 'POST', headers })
  }

  /**
   * Sends a form.
   * @returns the parsed fields and files, and the error of the parser if there is one
   */
  async submitForm({ body, pieces = [Buffer.from(body)], type = FORM_CONTENT_TYPE, limits, takeFile }: TestForm) {
    const files: [name: string, content: string][] = []
    let texts: FormFields = new Map()
    let error: unknown
    this.serve = async (req, res) => {
      const storeFile = async ({ name, content }: FormFile) =>
        void files.push([`file ${name}`, (await buffer(content)).toString()])
      try {
        texts = await parseForm({ req, res }, { ...FORM_LIMITS, ...limits }, (formatFilePart) =>
          (takeFile ?? storeFile)(formatFilePart, req),
        )
      } catch (thrown) {
        error = thrown
      }
    }
    const request = this.openRequest(type)
    const responseEnd = new Promise((resolve, reject) => {
      request.on('response', (response) => response.resume().on('end', resolve)).on('error', reject)
    })
    for (const piece of pieces) request.write(piece)
    request.end()
    await responseEnd
    const parts = [...texts, ...files]
    return { parts, error: error instanceof FormError ? `${error.kind}: ${error.message}` : error }
  }
}
