import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  MultipartFormError,
  parseMultipartForm,
  type MultipartFormFile,
  type MultipartFormLimits,
  type MultipartFormFields,
} from '../platform/lib/form-parser.ts'

export const TEST_FORM_LIMITS: MultipartFormLimits = {
  fileField: 'file',
  files: 2,
  texts: 3,
  parts: 6,
  textBytes: 100,
  bufferBytes: 16,
}
const FORM_CONTENT_TYPE = 'multipart/form-data; boundary=bound'
export const MULTIPART_FORM_END = '--bound--\r\n'

/**
 * Formats a part of a multipart body.
 * @param more further header lines
 */
export const formatMultipartPart = (disposition: string, content: string, more = '') =>
  `--bound\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
/** Formats a text field of a multipart body. */
export const formatMultipartTextPart = (name: string, value: string, more?: string) =>
  formatMultipartPart(`name="${name}"`, value, more)
/** Formats a part of a multipart body that contains a file in the field `file`. */
export const formatMultipartFilePart = (name: string, content: string, more?: string) =>
  formatMultipartPart(`name="file"; filename="${name}"`, content, more)

/** A multipart form that TestFormServer parses, and its limits. */
export interface TestMultipartForm {
  body: string | Buffer
  /** The body in chunks, each sent separately; by default one chunk. */
  pieces?: Buffer[]
  type?: string
  limits?: Partial<MultipartFormLimits>
  takeFile?: (file: MultipartFormFile, request: http.IncomingMessage) => Promise<void>
}

export const COMPLETE_MULTIPART_FORM = Buffer.from(
  `preamble\r\n${formatMultipartTextPart('a', 'Анна')}${formatMultipartFilePart('1.wav', 'sound\r\n--boun\r\n--\r\n\r--bound')}${formatMultipartTextPart('b', '')}${formatMultipartFilePart('2.wav', '')}` +
    `${formatMultipartTextPart('c', '5')}${MULTIPART_FORM_END}epilogue\r\n--bound\r\n`,
)

/** A real HTTP server that parses multipart forms with the parser of the API. */
export class TestFormServer {
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
  async submitForm({
    body,
    pieces = [Buffer.from(body)],
    type = FORM_CONTENT_TYPE,
    limits,
    takeFile,
  }: TestMultipartForm) {
    const files: [name: string, content: string][] = []
    let texts: MultipartFormFields = new Map()
    let error: unknown
    this.serve = async (req, res) => {
      const storeFile = async ({ name, content }: MultipartFormFile) =>
        void files.push([`file ${name}`, (await buffer(content)).toString()])
      try {
        texts = await parseMultipartForm({ req, res }, { ...TEST_FORM_LIMITS, ...limits }, (file) =>
          (takeFile ?? storeFile)(file, req),
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
    return { parts, error: error instanceof MultipartFormError ? `${error.kind}: ${error.message}` : error }
  }
}
