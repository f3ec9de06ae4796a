import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import {
  MultipartFormError,
  parseMultipartForm,
  type MultipartFormFile,
  type MultipartFormLimits,
  type MultipartFormFields,
} from '../../platform/lib/form-parser.ts'
import { FormValues } from '../frame/fields.ts'

/** The fields of an upload form, and the error that ended its parsing. */
export interface ReceivedUploadForm {
  fields: FormValues
  error: 'tooMany' | 'broken' | null
}

export const MAX_UPLOAD_FILES = 100
const FORM_LIMITS: MultipartFormLimits = {
  fileField: 'file',
  files: MAX_UPLOAD_FILES,
  texts: 20,
  parts: MAX_UPLOAD_FILES + 20,
  textBytes: 256 * 1024,
  bufferBytes: 256 * 1024,
}

/** Parses a multipart form. Passes each arriving file to `send`, with the fields that precede the file. @throws errors of `send` */
export async function parseUploadForm(
  ctx: Context,
  send: (file: MultipartFormFile, fields: FormValues) => Promise<void>,
): Promise<ReceivedUploadForm> {
  const texts: MultipartFormFields = new Map()
  const buildFields = () => FormValues.of(Object.fromEntries(texts))
  try {
    await parseMultipartForm(ctx, FORM_LIMITS, (file) => send(file, buildFields()), texts)
    return { fields: buildFields(), error: null }
  } catch (error) {
    if (!(error instanceof MultipartFormError)) throw error
    return {
      fields: buildFields(),
      error: ['broken', 'text', 'unknown'].includes(error.kind) ? 'broken' : 'tooMany',
    }
  }
}

/** Builds a multipart body with fields and one file, which is streamed while it arrives. @returns the content type and the body */
export function buildMultipartUpload(fields: Record<string, string>, { name, content }: MultipartFormFile) {
  const boundary = `----${randomUUID()}`
  const body = Readable.from(generateMultipart(boundary, fields, name, content), { objectMode: false })
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

async function* generateMultipart(
  boundary: string,
  fields: Record<string, string>,
  fileName: string,
  content: Readable,
) {
  const formatHead = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  for (const [name, value] of Object.entries(fields)) yield `${formatHead(`name="${name}"`)}\r\n${value}\r\n`
  yield `${formatHead(`name="file"; filename="${escapeName(fileName)}"`)}Content-Type: application/octet-stream\r\n\r\n`
  // Keeps the source open if the API responds early, because parseMultipartForm() reads the rest.
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) yield chunk
  yield `\r\n--${boundary}--\r\n`
}

/** Escapes a file name in a multipart body as the HTML standard requires. */
const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
