import { extname } from 'node:path'
import { pipeline, Transform } from 'node:stream'
import type { Context } from 'koa'
import parseRange from 'range-parser'
import { HttpError, notFoundError } from '../errors.ts'
import { encodeExtendedHeaderParameter } from '../lib/content-disposition.ts'
import { StorageObjectMissingError, type AudioStorage } from '../storage/storage.ts'
import { httpMessages } from './messages.ts'

/** Maps extensions of file names to media types. Other files are sent as application/octet-stream. */
const MEDIA_TYPES: Record<string, string> = {
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.mp4': 'audio/mp4',
  '.aac': 'audio/aac',
  '.amr': 'audio/amr',
  '.webm': 'audio/webm',
}

interface FileVersion {
  size: number
  modifiedAt: Date
  etag: string
}

interface ByteRange {
  start: number
  end: number
}

/**
 * Sends a stored file, or the part of a single Range (RFC 9110). For several separate ranges, sends the whole file.
 * @param name file name for the browser
 * @throws HttpError 404, 412, 416
 */
export async function sendStoredFile(ctx: Context, storage: AudioStorage, key: string, name: string): Promise<void> {
  const { size, tag, modifiedAt } = await storage.stat(key).catch(throwMissingObjectAsNotFound)
  const file = { size, modifiedAt, etag: `"${tag}"` }
  ctx.set({
    ETag: file.etag,
    'Last-Modified': modifiedAt.toUTCString(),
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
    'Content-Disposition': `inline; filename*=${encodeExtendedHeaderParameter(name)}`,
  })
  ctx.type = MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
  if (isForAnotherVersion(ctx, file)) throw new HttpError(412, httpMessages.anotherFile())
  if (isNotModified(ctx, file)) {
    ctx.status = 304
    return
  }
  const part = parseRangeHeader(ctx, file)
  ctx.status = part ? 206 : 200
  if (part) ctx.set('Content-Range', `bytes ${part.start}-${part.end}/${size}`)
  const range = part ?? { start: 0, end: size - 1 }
  ctx.length = range.end - range.start + 1
  if (ctx.method !== 'HEAD') ctx.body = size === 0 ? '' : await openPart(storage, key, range)
}

/** Opens a byte range. Fails if the file is shorter than announced; otherwise the client takes the next response for the rest. */
async function openPart(storage: AudioStorage, key: string, range: ByteRange): Promise<Transform> {
  let missing = range.end - range.start + 1
  const lengthCheck = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      missing -= chunk.length
      done(null, chunk)
    },
    flush: (done) => done(missing > 0 ? new Error('The file became shorter while it was sent') : null),
  })
  return pipeline(await storage.read(key, range).catch(throwMissingObjectAsNotFound), lengthCheck, () => undefined)
}

/** Implements If-Match and If-Unmodified-Since (RFC 9110, 13.1.1 and 13.1.4). */
function isForAnotherVersion(ctx: Context, { etag, modifiedAt }: FileVersion): boolean {
  const tags = ctx.get('If-Match')
  if (tags) return tags.trim() !== '*' && !tags.split(',').some((tag) => tag.trim() === etag)
  return secondsOf(modifiedAt) > (parseHttpDate(ctx.get('If-Unmodified-Since')) ?? Infinity)
}

/**
 * Implements If-None-Match and If-Modified-Since (RFC 9110, 13.1.2 and 13.1.3). Replaces ctx.fresh, which also obeys
 * Cache-Control of the request.
 */
function isNotModified(ctx: Context, { etag, modifiedAt }: FileVersion): boolean {
  const tags = ctx.get('If-None-Match')
  if (tags) return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  return secondsOf(modifiedAt) <= (parseHttpDate(ctx.get('If-Modified-Since')) ?? -Infinity)
}

/** HTTP dates have whole seconds, so truncate before comparing. */
const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000)

/** Matches the three formats of HTTP dates (RFC 9110, 5.6.7). */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** Returns seconds since 1970; undefined for an invalid date, which RFC 9110 ignores. */
function parseHttpDate(text: string): number | undefined {
  const milliseconds = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

function parseRangeHeader(ctx: Context, { size, etag, modifiedAt }: FileVersion): ByteRange | undefined {
  const header = ctx.get('Range')
  const ifRange = ctx.get('If-Range')
  const isThisVersion = !ifRange || ifRange === etag || ifRange === modifiedAt.toUTCString()
  // Range applies only to GET (RFC 9110, 14.2).
  if (!header || ctx.method !== 'GET' || !isThisVersion) return undefined
  // A suffix longer than the file means the whole file (RFC 9110, 14.1.2), but parseRange() rejects it.
  const suffix = Number(/^bytes=\s*-(\d+)\s*$/i.exec(header)?.[1])
  const ranges = parseRange(size, suffix > size ? 'bytes=0-' : header, { combine: true })
  if (ranges === -1) throw new HttpError(416, httpMessages.outsideFile(), { 'Content-Range': `bytes */${size}` })
  if (ranges === -2 || ranges.type.toLowerCase() !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

/** Converts StorageObjectMissingError to HttpError 404 and rethrows other errors. Pass it to catch(). */
export function throwMissingObjectAsNotFound(error: unknown): never {
  throw error instanceof StorageObjectMissingError ? notFoundError(httpMessages.noSound()) : error
}
