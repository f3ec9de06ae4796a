import { extname } from 'node:path'
import { pipeline, Transform } from 'node:stream'
import type { Context } from 'koa'
import parseRange from 'range-parser'
import { HttpError, notFound } from '../errors.ts'
import { encodeExtended } from '../lib/content-disposition.ts'
import { ObjectMissing, type Storage } from '../storage/index.ts'
import { httpMessages } from './messages.ts'

/** Media types by the ending of the sender's file name; anything else is just bytes. */
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

/**
 * Sends a stored file: whole, or the part that Range asks for (RFC 9110, sections 13 and 14). Several ranges at once
 * get the whole file, as the RFC permits.
 * @throws HttpError 404, 412, 416
 */
export async function sendFile(ctx: Context, storage: Storage, key: string, name: string): Promise<void> {
  const { size, tag, modifiedAt } = await storage.stat(key).catch(asGone)
  const etag = `"${tag}"`
  ctx.set({ ETag: etag, 'Last-Modified': modifiedAt.toUTCString(), 'Cache-Control': 'private, no-cache' })
  const range = beginAnswer(ctx, { size, etag, modifiedAt }, name)
  if (range) await sendBytes(ctx, storage, key, range)
}

/** What a request may know a file by. One that is still being written has no name yet that would stay true. */
interface Version {
  size: number
  etag?: string
  modifiedAt?: Date
}

interface Range {
  start: number
  end: number
}

/** Status and headers; which bytes are to follow, undefined for none: it would be for nothing to open the file. */
function beginAnswer(ctx: Context, version: Version, name: string): Range | undefined {
  const { size } = version
  ctx.set({ 'Accept-Ranges': 'bytes', 'Content-Disposition': shownAs(name) })
  ctx.type = MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
  ctx.status = 200
  if (isAnother(ctx, version)) throw new HttpError(412, httpMessages.anotherFile())
  if (isKnown(ctx, version)) {
    ctx.status = 304
    return undefined
  }
  const wanted = wantedRange(ctx, version)
  if (wanted) {
    ctx.status = 206
    ctx.set('Content-Range', `bytes ${wanted.start}-${wanted.end}/${size}`)
  }
  const range = wanted ?? { start: 0, end: size - 1 }
  ctx.length = range.end - range.start + 1
  return ctx.method === 'HEAD' ? undefined : range
}

/**
 * Exactly as many bytes as were announced, whatever became of the file meanwhile: the next answer on this connection
 * begins behind them. Koa closes a body stream whose client goes away.
 */
async function sendBytes(ctx: Context, storage: Storage, key: string, range: Range) {
  if (range.end < range.start) {
    ctx.body = ''
    return
  }
  let missing = range.end - range.start + 1
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      missing -= chunk.length
      done(null, chunk)
    },
    flush: (done) => done(missing > 0 ? new Error('The file has become shorter while it was sent') : null),
  })
  pipeline(await storage.read(key, range).catch(asGone), counted, () => undefined)
  ctx.body = counted
}

/** Whether the request is meant for another version alone (RFC 9110, 13.1.1 and 13.1.4). */
function isAnother(ctx: Context, { etag, modifiedAt }: Version): boolean {
  const tags = ctx.get('If-Match')
  if (tags) return tags.trim() !== '*' && !tags.split(',').some((tag) => tag.trim() === etag)
  return modifiedAt !== undefined && secondsOf(modifiedAt) > (readHttpDate(ctx.get('If-Unmodified-Since')) ?? Infinity)
}

const shownAs = (name: string): string => `inline; filename*=${encodeExtended(name)}`

/** Whether the caller has this very version (RFC 9110, 13.1.2 and 13.1.3). Not ctx.fresh: that lets Cache-Control of the request win. */
function isKnown(ctx: Context, { etag, modifiedAt }: Version): boolean {
  const tags = ctx.get('If-None-Match')
  if (tags) return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  return modifiedAt !== undefined && secondsOf(modifiedAt) <= (readHttpDate(ctx.get('If-Modified-Since')) ?? -Infinity)
}

/** Headers know whole seconds. */
const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000)

/** The three ways in which HTTP writes a date (RFC 9110, 5.6.7). */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** Seconds since 1970; undefined for what is no date of HTTP, which is then as if it were not there. */
function readHttpDate(text: string): number | undefined {
  const milliseconds = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

function wantedRange(ctx: Context, version: Version): Range | undefined {
  const { size } = version
  const header = ctx.get('Range')
  // Range means something for GET alone (RFC 9110, 14.2): HEAD tells of the whole file.
  if (!header || ctx.method !== 'GET' || !conditionHolds(ctx.get('If-Range'), version)) return undefined
  // More from the end than there is means all of it (14.1.2); the library would find nothing there.
  const fromEnd = Number(/^bytes=\s*-(\d+)\s*$/i.exec(header)?.[1])
  const ranges = parseRange(size, fromEnd > size ? 'bytes=0-' : header, { combine: true })
  if (ranges === -1) {
    throw new HttpError(416, httpMessages.outsideFile(), { 'Content-Range': `bytes */${size}` })
  }
  if (ranges === -2 || ranges.type.toLowerCase() !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

/** If-Range: the range is meant only for this very version, named by its tag or its date. */
function conditionHolds(ifRange: string, { etag, modifiedAt }: Version): boolean {
  if (!ifRange) return true
  return ifRange.startsWith('"') ? ifRange === etag : ifRange === modifiedAt?.toUTCString()
}

function asGone(error: unknown): never {
  throw error instanceof ObjectMissing ? notFound(httpMessages.noSound()) : error
}
