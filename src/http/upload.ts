import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import multer from 'multer'
import type { Static, TObject } from 'typebox'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import type { MultipartBody } from './operation.ts'
import { checkText, type LinkRule } from './validation.ts'

/** What the file's stream holds: with less, a large upload stops and goes at every chunk. */
const BUFFER_BYTES = 1024 * 1024

/** Where an upload's file goes while it arrives. */
export interface UploadTarget<T> {
  maxBytes: number
  /** For links among the fields. */
  rule: LinkRule
  /** Stores the stream durably; called at most once. */
  store(content: Readable, fileName: string): Promise<T>
  /** What is wrong with a stored file by itself. */
  faultOf(stored: T): string | undefined
  /** Takes back what `store` stored, because the request turned out faulty. */
  discard(stored: T): Promise<void>
}

/** Multipart overhead that a request may have beyond its file: boundaries and text parts. */
const ENVELOPE_BYTES = 1024 * 1024

/**
 * Receives a multipart body, streaming its file part into `target`. Whatever is wrong with the request, nothing that
 * was stored stays.
 * @throws HttpError 400 naming every faulty part, 413 for a file above the limit, 415 for another kind of body
 */
export async function receiveUpload<T, F extends TObject>(
  ctx: Context,
  { file: fileField, fields }: Omit<MultipartBody, 'fields'> & { fields: F },
  target: UploadTarget<T>,
): Promise<{ file: T; fields: Static<F> }> {
  if (!ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data')
  const limitMb = Math.floor(target.maxBytes / 1024 / 1024)
  if ((ctx.request.length ?? 0) > target.maxBytes + ENVELOPE_BYTES) throw tooLarge(tooLargeMessage(limitMb))
  const stored: Stored<T> = {}
  try {
    await runMulter(ctx, fileField, target, stored)
    const fault = stored.file && target.faultOf(stored.file)
    const faults = fault ? [`${fileField} ${fault}`] : []
    return {
      file: stored.file!,
      fields: checkParts(ctx, fileField, fields, target.rule, stored.file ? faults : undefined),
    }
  } catch (error) {
    if (stored.file !== undefined) await target.discard(stored.file)
    // What our storage throws is not the sender's fault.
    throw error === stored.error ? error : asUploadError(error, limitMb)
  }
}

/** What became of the file part so far. */
interface Stored<T> {
  file?: T
  error?: unknown
}

async function runMulter<T>(
  ctx: Context,
  fileField: string,
  target: UploadTarget<T>,
  stored: Stored<T>,
): Promise<void> {
  let storing: Promise<void> | undefined
  // Its types do not know fileHwm yet.
  const receive = multer({
    storage: {
      _handleFile(_request, file, done) {
        storing = target.store(file.stream, file.originalname).then(
          (result) => {
            stored.file = result
            done(null, {})
          },
          (error: unknown) => {
            // The sender's stream that breaks is no fault of our storage.
            if (error !== file.stream.errored) stored.error = error
            done(error)
          },
        )
      },
      // receiveUpload discards, once storing has ended, whatever the reason.
      _removeFile: (_request, _file, done) => done(null),
    },
    limits: { fileSize: target.maxBytes, files: 1, fields: 30, parts: 32, fieldSize: 64 * 1024, fieldNameSize: 100 },
    defParamCharset: 'utf8',
    fileHwm: BUFFER_BYTES,
  } as multer.Options).single(fileField)
  try {
    await new Promise<void>((resolve, reject) => {
      receive(ctx.req as never, ctx.res as never, (error: unknown) => (error ? reject(error) : resolve()))
    })
  } finally {
    await storing
  }
}

/**
 * Checks file and fields together, so that the caller learns every fault at once.
 * @param fileFaults of the file that came; undefined when none came
 */
function checkParts<F extends TObject>(
  ctx: Context,
  fileField: string,
  schema: F,
  rule: LinkRule,
  fileFaults: string[] | undefined,
): Static<F> {
  const { body = {} } = ctx.req as unknown as { body?: Record<string, unknown> }
  const { [fileField]: notAFile, ...given } = body
  const faults = [...(fileFaults ?? [])]
  if (notAFile !== undefined)
    faults.push(`${fileField} must be a file part, with a file name${fileFaults ? ', alone' : ''}`)
  else if (!fileFaults) faults.push(`${fileField} is required`)
  // Forms send untouched fields as empty text: that is the same as not sending them.
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  try {
    const checked = checkText(schema, fields, rule)
    if (faults.length === 0) return checked
  } catch (error) {
    if (!(error instanceof HttpError) || !Array.isArray(error.details)) throw error
    faults.push(...error.details)
  }
  throw badRequest(faults)
}

const tooLargeMessage = (limitMb: number): string => `The file is larger than ${limitMb} MB`

function asUploadError(error: unknown, limitMb: number): unknown {
  if (error instanceof HttpError) return error
  const { code, field, message } = error as { code?: string; field?: string; message?: string }
  if (code === 'LIMIT_FILE_SIZE') return tooLarge(tooLargeMessage(limitMb))
  if (code === 'LIMIT_UNEXPECTED_FILE' || code === 'LIMIT_FILE_COUNT') {
    return badRequest([`${field ?? 'file'} is a file part that is not expected: send one file, in the part «file»`])
  }
  if (error instanceof multer.MulterError) {
    return badRequest(
      field ? [`${field.slice(0, 60)} is too long or misplaced`] : 'The form has too many or too long parts',
    )
  }
  return badRequest(`The multipart body is broken: ${message ?? 'it cannot be read'}`)
}
