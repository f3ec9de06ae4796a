import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Static, TObject } from 'typebox'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import { FormError, readForm, type FormLimits, type FormTexts } from '../lib/forms.ts'
import type { Message } from '../lib/messages.ts'
import { formMessages, rules } from './messages.ts'
import type { MultipartBody } from './operation.ts'
import { checkText, type LinkRule } from './validation.ts'

/** The buffer of the file's stream: with less, a large upload pauses at every chunk. */
const BUFFER_BYTES = 1024 * 1024
/** Boundaries and text parts of a request. */
const ENVELOPE_BYTES = 1024 * 1024
const MB = 1024 * 1024

interface StoredFile {
  sizeBytes: number
}

/** The target of an upload's file while it arrives. */
interface UploadTarget<T extends StoredFile> {
  store(content: Readable, fileName: string): Promise<T>
  /** Removes what `store` stored, because the request turned out to be invalid. */
  discard(stored: T): Promise<void>
}

/** Streams the file part of a form into `target`; if the form is invalid, nothing stays. @throws HttpError 400, 413, 415 */
export async function receiveUpload<T extends StoredFile, F extends TObject>(
  ctx: Context,
  { file: fileField, fields }: Omit<MultipartBody, 'fields'> & { fields: F },
  config: LinkRule & { MAX_UPLOAD_MB: number },
  target: UploadTarget<T>,
): Promise<{ file: T; fields: Static<F> }> {
  if (!ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data')
  const limitMb = config.MAX_UPLOAD_MB
  const limits: FormLimits = {
    fileField,
    files: 1,
    texts: 30,
    parts: 32,
    textBytes: 64 * 1024,
    fileBytes: limitMb * MB,
    bodyBytes: limitMb * MB + ENVELOPE_BYTES,
    bufferBytes: BUFFER_BYTES,
  }
  if ((ctx.request.length ?? 0) > limits.bodyBytes!) throw tooLarge(formMessages.tooLarge({ limit: limitMb }))
  let file: T | undefined
  try {
    const texts = await readForm(ctx, limits, async ({ name, content }) => {
      file = await target.store(content, name)
    })
    return { file: file!, fields: checkParts(texts, fileField, fields, config, file) }
  } catch (error) {
    if (file !== undefined) await target.discard(file)
    throw error instanceof FormError ? asHttpError(error, limitMb) : error
  }
}

/** Checks file and fields together, so that the caller learns every violation at once. */
function checkParts<F extends TObject>(
  parts: FormTexts,
  fileField: string,
  schema: F,
  rule: LinkRule,
  file: StoredFile | undefined,
): Static<F> {
  const violations: Message[] = []
  if (file?.sizeBytes === 0) violations.push(formMessages.emptyFile().about(fileField))
  if (parts.has(fileField))
    violations.push((file ? formMessages.filePartAlone() : formMessages.filePart()).about(fileField))
  else if (!file) violations.push(rules.required().about(fileField))
  // Forms send untouched fields as empty text. An unknown field stays a violation.
  const isUntouched = (name: string, value: string | string[]) => value === '' && Object.hasOwn(schema.properties, name)
  const fields = Object.fromEntries(
    [...parts].filter(([name, value]) => name !== fileField && !isUntouched(name, value)),
  )
  try {
    const checked = checkText(schema, fields, rule)
    if (violations.length === 0) return checked
  } catch (error) {
    if (!(error instanceof HttpError) || !Array.isArray(error.messages)) throw error
    violations.push(...error.messages)
  }
  throw badRequest(violations)
}

function asHttpError({ kind, field, message }: FormError, limitMb: number): HttpError {
  if (kind === 'size') return tooLarge(formMessages.tooLarge({ limit: limitMb }))
  if (kind === 'broken') return badRequest(formMessages.broken({ reason: message }))
  if (kind === 'text') return badRequest([formMessages.text().about(field!.slice(0, 60))])
  if (kind === 'unknown') return badRequest([rules.unknownField().about(field!.slice(0, 60))])
  if (kind === 'files') {
    return badRequest([formMessages.unexpectedFile().about(field ?? 'file')])
  }
  return badRequest(field ? [formMessages.tooLong().about(field.slice(0, 60))] : formMessages.tooMuch())
}
