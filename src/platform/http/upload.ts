import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Static, TObject } from 'typebox'
import { badRequest, HttpError, tooLarge, unsupportedMediaType } from '../errors.ts'
import { FormError, readForm, type FormLimits, type FormTexts } from '../lib/forms.ts'
import type { Message } from '../lib/messages.ts'
import { formMessages, rules } from './messages.ts'
import type { MultipartBody } from './operation.ts'
import { checkText, type LinkRule } from './validation.ts'

/** What the file's stream holds: with less, a large upload stops and goes at every chunk. */
const BUFFER_BYTES = 1024 * 1024

/** What is asked of whatever stands for a stored file. */
export interface StoredFile {
  sizeBytes: number
}

/** Where an upload's file goes while it arrives. */
export interface UploadTarget<T extends StoredFile> {
  maxBytes: number
  rule: LinkRule
  /** Stores the stream durably; called at most once. */
  store(content: Readable, fileName: string): Promise<T>
  /** What is wrong with a stored file by itself. */
  violationOf(stored: T): Message | undefined
  /** Takes back what `store` stored, because the request turned out invalid. */
  discard(stored: T): Promise<void>
}

/** Multipart overhead that a request may have beyond its file: boundaries and text parts. */
const ENVELOPE_BYTES = 1024 * 1024

/**
 * Receives a multipart body, streaming its file part into `target`. Whatever is wrong with the request, nothing that
 * was stored stays.
 * @throws HttpError 400 naming every invalid part, 413 for a file above the limit, 415 for another kind of body
 */
export async function receiveUpload<T extends StoredFile, F extends TObject>(
  ctx: Context,
  { file: fileField, fields }: Omit<MultipartBody, 'fields'> & { fields: F },
  target: UploadTarget<T>,
): Promise<{ file: T; fields: Static<F> }> {
  if (!ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data')
  const limitMb = Math.floor(target.maxBytes / 1024 / 1024)
  if ((ctx.request.length ?? 0) > target.maxBytes + ENVELOPE_BYTES)
    throw tooLarge(formMessages.tooLarge({ limit: limitMb }))
  let file: T | undefined
  try {
    const texts = await readForm(ctx, limitsOf(fileField, target), async ({ name, content }) => {
      file = await target.store(content, name)
    })
    const violation = file && target.violationOf(file)
    const violations = violation ? [violation.about(fileField)] : []
    return { file: file!, fields: checkParts(texts, fileField, fields, target.rule, file && violations) }
  } catch (error) {
    if (file !== undefined) await target.discard(file)
    throw error instanceof FormError ? asHttpError(error, limitMb) : error
  }
}

const limitsOf = <T extends StoredFile>(fileField: string, { maxBytes }: UploadTarget<T>): FormLimits => ({
  fileField,
  files: 1,
  texts: 30,
  parts: 32,
  textBytes: 64 * 1024,
  fileBytes: maxBytes,
  bodyBytes: maxBytes + ENVELOPE_BYTES,
  bufferBytes: BUFFER_BYTES,
})

/**
 * Checks file and fields together, so that the caller learns every violation at once.
 * @param fileViolations of the file that came; undefined when none came
 */
function checkParts<F extends TObject>(
  parts: FormTexts,
  fileField: string,
  schema: F,
  rule: LinkRule,
  fileViolations: Message[] | undefined,
): Static<F> {
  const violations: Message[] = [...(fileViolations ?? [])]
  if (parts.has(fileField))
    violations.push((fileViolations ? formMessages.filePartAlone() : formMessages.filePart()).about(fileField))
  else if (!fileViolations) violations.push(rules.required().about(fileField))
  // Forms send untouched fields as empty text: that is the same as not sending them. An unknown field stays a violation.
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
