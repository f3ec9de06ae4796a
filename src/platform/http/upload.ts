import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Static, TObject } from 'typebox'
import { badRequestError, HttpError, payloadTooLargeError, unsupportedMediaTypeError } from '../errors.ts'
import {
  MultipartFormError,
  parseMultipartForm,
  type MultipartFormLimits,
  type MultipartFormFields,
} from '../lib/form-parser.ts'
import type { Message } from '../lib/messages.ts'
import { formMessages, fieldRuleMessages } from './messages.ts'
import type { MultipartBody } from './operation.ts'
import { validateTextValues, type LinkPolicy } from './validation.ts'

/** Buffers this much of the file, because a large upload pauses at every chunk with a smaller buffer. */
const BUFFER_BYTES = 1024 * 1024
/** Reserves space for boundaries and text parts beside the file. */
const ENVELOPE_BYTES = 1024 * 1024
const MB = 1024 * 1024

interface StoredFile {
  sizeBytes: number
}

/** Stores the file of an upload while it arrives. */
interface UploadTarget<T extends StoredFile> {
  store(content: Readable, fileName: string): Promise<T>
  /** Deletes the file that `store` stored, if the request is invalid. */
  discard(stored: T): Promise<void>
}

/**
 * Streams the file part of a form into `target` and validates the text parts. Discards the file if the form is invalid.
 * @throws HttpError 400, 413, 415, or the error of `target`
 */
export async function receiveUpload<T extends StoredFile, F extends TObject>(
  ctx: Context,
  { file: fileField, fields }: Omit<MultipartBody, 'fields'> & { fields: F },
  config: LinkPolicy & { MAX_UPLOAD_MB: number },
  target: UploadTarget<T>,
): Promise<{ file: T; fields: Static<F> }> {
  if (!ctx.is('multipart/form-data')) throw unsupportedMediaTypeError('multipart/form-data')
  const limitMb = config.MAX_UPLOAD_MB
  const limits: MultipartFormLimits = {
    fileField,
    files: 1,
    texts: 30,
    parts: 32,
    textBytes: 64 * 1024,
    fileBytes: limitMb * MB,
    bodyBytes: limitMb * MB + ENVELOPE_BYTES,
    bufferBytes: BUFFER_BYTES,
  }
  if ((ctx.request.length ?? 0) > limits.bodyBytes!)
    throw payloadTooLargeError(formMessages.tooLarge({ limit: limitMb }))
  let file: T | undefined
  try {
    const texts = await parseMultipartForm(ctx, limits, async ({ name, content }) => {
      file = await target.store(content, name)
    })
    return { file: file!, fields: checkParts(texts, fileField, fields, config, file) }
  } catch (error) {
    if (file !== undefined) await target.discard(file)
    throw error instanceof MultipartFormError ? toHttpError(error, limitMb) : error
  }
}

/** Validates the file and the fields together, so that one response lists all violations. */
function checkParts<F extends TObject>(
  parts: MultipartFormFields,
  fileField: string,
  schema: F,
  rule: LinkPolicy,
  file: StoredFile | undefined,
): Static<F> {
  const violations: Message[] = []
  if (file?.sizeBytes === 0) violations.push(formMessages.emptyFile().withField(fileField))
  if (parts.has(fileField))
    violations.push((file ? formMessages.filePartAlone() : formMessages.filePart()).withField(fileField))
  else if (!file) violations.push(fieldRuleMessages.required().withField(fileField))
  // Browsers send untouched fields as empty text, so drop them. Unknown fields remain violations.
  const isUntouched = (name: string, value: string | string[]) => value === '' && Object.hasOwn(schema.properties, name)
  const fields = Object.fromEntries(
    [...parts].filter(([name, value]) => name !== fileField && !isUntouched(name, value)),
  )
  try {
    const checked = validateTextValues(schema, fields, rule)
    if (violations.length === 0) return checked
  } catch (error) {
    if (!(error instanceof HttpError) || !Array.isArray(error.messages)) throw error
    violations.push(...error.messages)
  }
  throw badRequestError(violations)
}

function toHttpError({ kind, field, message }: MultipartFormError, limitMb: number): HttpError {
  if (kind === 'size') return payloadTooLargeError(formMessages.tooLarge({ limit: limitMb }))
  if (kind === 'broken') return badRequestError(formMessages.broken({ reason: message }))
  if (kind === 'text') return badRequestError([formMessages.text().withField(field!.slice(0, 60))])
  if (kind === 'unknown') return badRequestError([fieldRuleMessages.unknownField().withField(field!.slice(0, 60))])
  if (kind === 'files') {
    return badRequestError([formMessages.unexpectedFile().withField(field ?? 'file')])
  }
  return badRequestError(field ? [formMessages.tooLong().withField(field.slice(0, 60))] : formMessages.tooMuch())
}
