import type { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import koaMulter from '@koa/multer'
import type { Context } from 'koa'
import { MulterError, type StorageEngine } from 'multer'
import { parseHeaderParameters } from './content-disposition.ts'
import { MultipartHeaderConverter } from './part-headers.ts'

/** Represents one file of a multipart form. Read `content` before `onFile` resolves; the rest is discarded. */
export interface MultipartFormFile {
  /** File name from the sender, without folders. */
  name: string
  content: Readable
}

/** Limits the parts of a form. A form above a limit fails with MultipartFormError. */
export interface MultipartFormLimits {
  /** Only this field can contain files. */
  fileField: string
  files: number
  texts: number
  /** Limits files and texts together. */
  parts: number
  textBytes: number
  fileBytes?: number
  bodyBytes?: number
  /** Bytes of a file that are buffered in memory. */
  bufferBytes: number
}

/** Maps field names to texts; an array if a name is repeated. */
export type MultipartFormFields = Map<string, string | string[]>

/**
 * Reports an invalid form. The kinds in order: wrong files, too many or too long parts, a too large form or file, invalid UTF-8,
 * an unknown field, broken syntax.
 */
export class MultipartFormError extends Error {
  readonly kind: 'files' | 'parts' | 'size' | 'text' | 'unknown' | 'broken'
  /** Name of the invalid part, if known. */
  readonly field: string | undefined

  constructor(kind: MultipartFormError['kind'], message: string, field?: string) {
    super(message)
    this.kind = kind
    this.field = field
  }
}

const MAX_NAME_LENGTH = 100

/**
 * Parses a multipart/form-data request as it arrives. Passes files to `onFile` one after the other and discards the bytes that
 * `onFile` leaves unread.
 * Always reads the request to its end, so that the client can read the response.
 * @param texts filled as the form arrives, so `onFile` can read the texts that precede the file
 * @throws MultipartFormError, or the error of `onFile`
 */
export async function parseMultipartForm(
  ctx: Pick<Context, 'req' | 'res'>,
  limits: MultipartFormLimits,
  onFile: (file: MultipartFormFile) => Promise<void>,
  texts: MultipartFormFields = new Map(),
): Promise<MultipartFormFields> {
  const { req } = ctx
  if (req.destroyed) throw new MultipartFormError('broken', 'Request aborted')
  const form = normalizeFileNames(req)
  const files = new FileReceiver(onFile, texts)
  const parser = new ParserMonitor(limits.bodyBytes ?? Infinity)
  const runMulter = koaMulter(buildMulterOptions(limits, files, parser)).array(limits.fileField)
  try {
    await runMulter({ req: form as unknown, res: ctx.res } as Context, async () => undefined)
    if (!parser.isStarted) throw new MultipartFormError('broken', 'Multipart: Boundary not found') // multer ignores a request without a boundary
    copyTexts(form, texts)
    checkTexts(texts)
    return texts
  } catch (error) {
    copyTexts(form, texts)
    req.unpipe(form) // nobody reads the form any more, and its full buffer blocks the request
    await drain(req)
    await files.settled // `onFile` can fail after multer
    throw error instanceof MulterError ? toFormError(error) : (parser.error ?? files.error ?? toSyntaxError(error))
  }
}

/** Pipes the request through MultipartHeaderConverter, because multer reads only UTF-8 file names. */
function normalizeFileNames(request: IncomingMessage): MultipartHeaderConverter & Pick<IncomingMessage, 'headers'> {
  const { headers } = request
  const form = new MultipartHeaderConverter(parseHeaderParameters(headers['content-type'] ?? '').get('boundary') ?? '')
  form.on('error', () => undefined) // multer listens for errors only if the request is a form
  finished(request, { writable: false }, (error) => error && form.destroy(new Error('Request aborted')))
  return Object.assign(request.pipe(form), { headers })
}

function buildMulterOptions(
  limits: MultipartFormLimits,
  storage: StorageEngine,
  parser: ParserMonitor,
): koaMulter.Options {
  const options = {
    storage,
    defParamCharset: 'utf8',
    fileHwm: limits.bufferBytes,
    limits: {
      fieldNameSize: MAX_NAME_LENGTH,
      fieldNestingDepth: 0,
      fieldSize: limits.textBytes,
      fields: limits.texts,
      files: limits.files,
      parts: limits.parts,
      ...(limits.fileBytes && { fileSize: limits.fileBytes }),
    },
    streamHandler: parser.feed,
  }
  return options as unknown as koaMulter.Options // the types belong to an older release
}

/** Feeds the parser of multer and separates its errors from those of the caller. */
class ParserMonitor {
  error: MultipartFormError | undefined
  isStarted = false

  constructor(private readonly maxBytes: number) {}

  readonly feed = (form: Readable, parser: NodeJS.WritableStream & { destroy(error: Error): void }): void => {
    let bytes = 0
    this.isStarted = true
    parser.once('error', (error: Error) => (this.error ??= toSyntaxError(error)))
    form.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > this.maxBytes) parser.destroy(new MultipartFormError('size', 'the form is too large'))
    })
    form.pipe(parser)
  }
}

/** Implements a multer storage engine that passes files on one after the other and stores none. */
class FileReceiver implements StorageEngine {
  /** Settles when all files so far are handled. */
  settled = Promise.resolve()
  /** First error that the client did not cause. */
  error: unknown

  constructor(
    private readonly take: (file: MultipartFormFile) => Promise<void>,
    private readonly texts: MultipartFormFields,
  ) {}

  _handleFile(
    request: IncomingMessage,
    { originalname: name, stream: content }: Express.Multer.File,
    done: (error?: unknown) => void,
  ): void {
    this.settled = this.settled.then(async () => {
      if (this.error !== undefined || content.destroyed) return done(new Error('Not taken'))
      copyTexts(request, this.texts)
      try {
        await this.take({ name, content })
        // Drain the rest, because an unread file blocks the form.
        content.on('data', () => undefined).resume()
        done()
      } catch (error) {
        if (error !== content.errored) this.error = error
        done(error)
      }
    })
  }

  _removeFile(_request: IncomingMessage, _file: Express.Multer.File, done: (error: Error | null) => void): void {
    done(null)
  }
}

function copyTexts(form: object, texts: MultipartFormFields): void {
  const { body } = form as { body?: Record<string, string | string[]> }
  for (const [name, value] of Object.entries(body ?? {})) texts.set(name, value)
}

/** Rejects texts with �, because the decoder writes this character for invalid UTF-8, which makes different texts equal. */
function checkTexts(texts: Map<string, string | string[] | undefined>): void {
  for (const [name, values] of texts) {
    for (const value of [values].flat()) {
      if (value === undefined || value.includes('\ufffd'))
        throw new MultipartFormError('text', 'must be text in UTF-8', name)
    }
  }
}

/** Clients do not read the response until they have sent the whole body. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.destroyed || request.readableEnded) return
  await new Promise((resolve) => finished(request.resume(), { writable: false }, resolve))
}

const toSyntaxError = (error: unknown): MultipartFormError =>
  error instanceof MultipartFormError ? error : new MultipartFormError('broken', (error as Error).message)

function toFormError({ code, field, message }: MulterError): MultipartFormError {
  switch (code as string) {
    case 'LIMIT_FILE_SIZE':
      return new MultipartFormError('size', 'the file is too large')
    case 'LIMIT_FILE_COUNT':
      return new MultipartFormError('files', 'too many files')
    case 'LIMIT_UNEXPECTED_FILE':
      return new MultipartFormError('files', 'an unexpected file', field)
    case 'LIMIT_FIELD_NESTING':
      return new MultipartFormError('unknown', 'is not a known field', field)
    case 'LIMIT_FIELD_VALUE':
      return new MultipartFormError('parts', 'a text is too long', field)
    case 'LIMIT_PART_COUNT':
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_FIELD_KEY':
      return new MultipartFormError('parts', message)
    case 'MISSING_FIELD_NAME':
      return new MultipartFormError('broken', 'a part has no name')
    default:
      return new MultipartFormError('broken', message)
  }
}
