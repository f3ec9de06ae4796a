import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import multer from 'multer'
import { Fields } from './fields.ts'

/** A file while it arrives. */
export interface ArrivingFile {
  name: string
  content: Readable
}

/** What a form with files held. */
export interface ReceivedForm {
  fields: Fields
  /** Why not all of it was read. */
  fault: 'tooMany' | 'broken' | null
}

export const MAX_FILES = 100
/** How much of a file is in memory at a time. */
const BUFFER_BYTES = 256 * 1024

/**
 * Reads a form with files, one after another as they come. Fields stand before the files in the form, so they are known
 * when the first one begins. What `send` leaves of a file is thrown away.
 * @throws what `send` throws
 */
export async function receiveForm(
  ctx: Context,
  send: (file: ArrivingFile, fields: Fields) => Promise<void>,
): Promise<ReceivedForm> {
  const fieldsSoFar = () => Fields.of(textsOf((ctx.req as unknown as { body?: object }).body))
  let last = Promise.resolve()
  const receive = multer({
    storage: {
      _handleFile(_request, file, done) {
        const fields = fieldsSoFar()
        // A small file may be read whole while the one before is still being answered for.
        last = last.then(() => send({ name: file.originalname, content: file.stream }, fields))
        void last.then(
          () => {
            file.stream.resume()
            done(null, {})
          },
          (error: unknown) => done(error),
        )
      },
      _removeFile: (_request, _file, done) => done(null),
    },
    limits: { files: MAX_FILES, fields: 20, parts: MAX_FILES + 20, fieldSize: 256 * 1024, fieldNameSize: 100 },
    defParamCharset: 'utf8',
    fileHwm: BUFFER_BYTES, // its types do not know it yet
  } as multer.Options).array('file')
  const error = await new Promise<{ code?: string } | undefined>((resolve) => {
    receive(ctx.req as never, ctx.res as never, resolve as never)
  })
  await last
  const fault = !error ? null : error.code?.startsWith('LIMIT_') ? 'tooMany' : 'broken'
  return { fields: fieldsSoFar(), fault }
}

const textsOf = (body: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'))

/** A multipart body with these fields and one file, made while the file arrives. */
export function multipartOf(fields: Record<string, string>, { name, content }: ArrivingFile) {
  const boundary = `----${randomUUID()}`
  const body = Readable.from(partsOf(boundary, fields, name, content), { objectMode: false })
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

async function* partsOf(boundary: string, fields: Record<string, string>, fileName: string, content: Readable) {
  const head = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  for (const [name, value] of Object.entries(fields)) yield `${head(`name="${name}"`)}\r\n${value}\r\n`
  yield `${head(`name="file"; filename="${escapeName(fileName)}"`)}Content-Type: application/octet-stream\r\n\r\n`
  // Where the API answers before the end, the rest is still to be read, by receiveForm().
  yield* content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  yield `\r\n--${boundary}--\r\n`
}

/** As the HTML standard writes names into multipart bodies. */
const escapeName = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
