import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { FormError, readForm, type ArrivingFile, type FormLimits, type FormTexts } from '../../platform/lib/forms.ts'
import { Fields } from '../frame/fields.ts'

export interface ReceivedForm {
  fields: Fields
  error: 'tooMany' | 'broken' | null
}

export const MAX_FILES = 100
const LIMITS: FormLimits = {
  fileField: 'file',
  files: MAX_FILES,
  texts: 20,
  parts: MAX_FILES + 20,
  textBytes: 256 * 1024,
  bufferBytes: 256 * 1024,
}

/** Reads a form with files one by one. Its fields come before the files. @throws what `send` throws */
export async function receiveForm(
  ctx: Context,
  send: (file: ArrivingFile, fields: Fields) => Promise<void>,
): Promise<ReceivedForm> {
  const texts: FormTexts = new Map()
  const fieldsSoFar = () => Fields.of(Object.fromEntries(texts))
  try {
    await readForm(ctx, LIMITS, (file) => send(file, fieldsSoFar()), texts)
    return { fields: fieldsSoFar(), error: null }
  } catch (error) {
    if (!(error instanceof FormError)) throw error
    return {
      fields: fieldsSoFar(),
      error: ['broken', 'text', 'unknown'].includes(error.kind) ? 'broken' : 'tooMany',
    }
  }
}

/** A multipart body with these fields and one file, streamed while the file arrives. */
export function multipartOf(fields: Record<string, string>, { name, content }: ArrivingFile) {
  const boundary = `----${randomUUID()}`
  const body = Readable.from(partsOf(boundary, fields, name, content), { objectMode: false })
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

async function* partsOf(boundary: string, fields: Record<string, string>, fileName: string, content: Readable) {
  const head = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  for (const [name, value] of Object.entries(fields)) yield `${head(`name="${name}"`)}\r\n${value}\r\n`
  yield `${head(`name="file"; filename="${escapeName(fileName)}"`)}Content-Type: application/octet-stream\r\n\r\n`
  // If the API responds early, receiveForm() still reads the rest.
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) yield chunk
  yield `\r\n--${boundary}--\r\n`
}

/** The HTML standard's escaping of names in multipart bodies. */
const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
