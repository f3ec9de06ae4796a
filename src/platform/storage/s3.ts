import { Readable } from 'node:stream'
import { S3Client } from '@bradenmacdonald/s3-lite-client'
import { Semaphore, withTimeout } from 'async-mutex'
import { install } from 'undici'
import { ConfigError, type Config } from '../config/config.ts'
import { asFolder } from '../lib/variables.ts'
import { isPlainKey, ObjectMissing, type ListedObject, type ObjectInfo, type Storage } from './index.ts'
import { PAGE_KEYS, type S3Answer } from './s3-answer.ts'
import { S3Bucket, unavailable, withinTime } from './s3-bucket.ts'
import { spoolToDisk } from './spool.ts'

/** Limit of small requests. */
const ANSWER_MS = 30_000
/** Limit of one part of an upload, and of putting the parts together. */
const TRANSFER_MS = 120_000
/** A download that sends nothing for so long has failed. */
const SILENCE_MS = 60_000

/** S3 allows 10,000 parts; one that is not the last has at least 5 MB. */
const PART_MB = 8
const MAX_PARTS = 10_000

/** Uploads at once whose parts are collected in memory; the others are spooled to the disk. */
const ARRIVING_UPLOADS = 4
/** Spooled uploads that are sent at once. */
const WAITING_UPLOADS = 2
const TURN_MS = 600_000

/** Audio in a bucket of an S3-compatible service. */
export class S3Storage implements Storage {
  readonly kind = 's3'
  readonly uploadPrefix: string
  private readonly bucket: S3Bucket
  private readonly partBytes: number
  private readonly arriving = new Semaphore(ARRIVING_UPLOADS)
  private readonly waiting = withTimeout(
    new Semaphore(WAITING_UPLOADS),
    TURN_MS,
    unavailable('too many uploads at once'),
  )

  /** @throws ConfigError */
  constructor(config: Config) {
    this.uploadPrefix = asFolder(config.S3_UPLOAD_PREFIX)
    this.partBytes = Math.max(PART_MB, Math.ceil((config.MAX_UPLOAD_MB + 1) / MAX_PARTS)) * 1024 * 1024
    this.bucket = new S3Bucket(createClient(config))
  }

  /** All uploads together have at most twelve parts in memory. */
  async write(key: string, content: Readable): Promise<number> {
    this.check(key)
    try {
      if (!this.arriving.isLocked()) return await this.arriving.runExclusive(() => this.send(key, content))
      return await spoolToDisk(content, (whole) => this.waiting.runExclusive(() => this.send(key, whole)))
    } catch (error) {
      content.resume() // clients do not read the response until they have sent the whole body
      throw error
    }
  }

  /** Has at most two parts in memory: one that is sent, and one that fills meanwhile. */
  private async send(key: string, content: Readable): Promise<number> {
    let size = 0
    let upload: Upload | undefined
    let sending: Promise<void> | undefined
    try {
      for await (const part of inParts(content, this.partBytes)) {
        await sending
        size += part.length
        if (!upload && part.length < this.partBytes) {
          await this.bucket.send('PUT', key, { payload: part, limitMs: TRANSFER_MS })
          return size
        }
        upload ??= await Upload.begin(this.bucket, key)
        sending = upload.send(part)
        sending.catch(() => undefined) // awaited in the next round
      }
      await sending
      await upload?.complete()
      return size
    } catch (error) {
      await sending?.catch(() => undefined)
      await upload?.abort()
      throw error
    }
  }

  async stat(key: string): Promise<ObjectInfo> {
    this.check(key)
    const { headers } = await this.bucket.send('HEAD', key, { limitMs: ANSWER_MS })
    const modifiedAt = new Date(headers.get('last-modified') ?? 0)
    const size = Number(headers.get('content-length'))
    return { size, modifiedAt, tag: plainTag(headers.get('etag')) || `${size}-${modifiedAt.getTime()}` }
  }

  async read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    this.check(key)
    const answer = await this.bucket.send('GET', key, {
      limitMs: ANSWER_MS,
      headers: range && { Range: `bytes=${range.start}-${range.end}` },
      expects: range ? 206 : 200,
      wantsBody: true,
    })
    return Readable.from(bytesOf(answer), { objectMode: false })
  }

  async remove(key: string): Promise<void> {
    this.check(key)
    await this.bucket.send('DELETE', key, { limitMs: ANSWER_MS, expects: 204 }).catch((error: unknown) => {
      if (!(error instanceof ObjectMissing)) throw error
    })
    await abortUploadsOf(this.bucket, key)
  }

  async *list(folder: string): AsyncIterable<ListedObject> {
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        'max-keys': String(PAGE_KEYS),
        prefix: folder,
        ...(token && { 'continuation-token': token }),
      }
      const { ListBucketResult: page } = await this.bucket.ask('GET', '', { query, limitMs: ANSWER_MS })
      if (page === undefined) throw unavailable('its answer is no list')
      for (const { Key: key, Size, LastModified, ETag } of page.Contents) {
        const size = Number(Size)
        const version = `${size}-${LastModified}-${plainTag(ETag)}`
        if (canHold(key) && !isHidden(key.slice(folder.length))) yield { key, size, version }
      }
      token = page.IsTruncated === 'true' ? page.NextContinuationToken : undefined
    } while (token)
  }

  async freeBytes(): Promise<null> {
    return null
  }

  private check(key: string): void {
    if (!canHold(key)) throw new ObjectMissing(key)
  }
}

/** The client signs a path only up to «?». */
const canHold = (key: string): boolean => isPlainKey(key) && Buffer.byteLength(key) <= 1024 && !key.includes('?')

const isHidden = (path: string): boolean => /(^|\/)\./.test(path)

const plainTag = (tag: string | null): string => (tag ?? '').replace(/^W\//, '').replaceAll('"', '')

function createClient(config: Config): S3Client {
  // The client calls the global fetch. Node 20's own breaks on a Content-Length once undici 7 is loaded beside it.
  install()
  try {
    return new S3Client({
      endPoint: config.S3_ENDPOINT_URL ?? `https://s3.${config.S3_REGION}.amazonaws.com`,
      accessKey: config.S3_ACCESS_KEY_ID!,
      secretKey: config.S3_SECRET_ACCESS_KEY!,
      bucket: config.S3_BUCKET!,
      region: config.S3_REGION,
      pathStyle: config.S3_FORCE_PATH_STYLE,
    })
  } catch (error) {
    throw new ConfigError([`S3_ENDPOINT_URL, S3_ACCESS_KEY_ID: ${(error as Error).message}`])
  }
}

/** Cuts a stream into parts of one size, except the last. An empty stream is one empty part. */
async function* inParts(content: Readable, partBytes: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  let none = true
  // If storing fails, write() drains the sender's stream.
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(part, filled, at)
      at += copied
      filled += copied
      if (filled < partBytes) continue
      yield part
      none = false
      part = Buffer.allocUnsafe(partBytes)
      filled = 0
    }
  }
  if (filled > 0 || none) yield part.subarray(0, filled)
}

/** A multipart upload: the object appears when it is complete. */
class Upload {
  private readonly tags: string[] = []

  private constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private readonly id: string,
  ) {}

  static async begin(bucket: S3Bucket, key: string): Promise<Upload> {
    const answer = await bucket.ask('POST', key, { query: 'uploads', limitMs: ANSWER_MS })
    const id = answer.InitiateMultipartUploadResult?.UploadId
    if (!id) throw unavailable(answer.Error?.Code ?? '')
    return new Upload(bucket, key, id)
  }

  async send(payload: Buffer): Promise<void> {
    const query = { partNumber: String(this.tags.length + 1), uploadId: this.id }
    const { headers } = await this.bucket.send('PUT', this.key, { query, payload, limitMs: TRANSFER_MS })
    this.tags.push(headers.get('etag') ?? '')
  }

  /** @throws StorageUnavailable also if a response with status 200 has an error in its body */
  async complete(): Promise<void> {
    const parts = this.tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    const payload = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    )
    const query = `uploadId=${encodeURIComponent(this.id)}`
    const answer = await this.bucket.ask('POST', this.key, { query, payload, limitMs: TRANSFER_MS })
    if (answer.CompleteMultipartUploadResult === undefined) throw unavailable(answer.Error?.Code ?? '')
  }

  /** The service keeps, and charges for, the parts of an upload that never ends. */
  async abort(): Promise<void> {
    await abortUpload(this.bucket, this.key, this.id)
  }
}

async function abortUpload(bucket: S3Bucket, key: string, uploadId: string): Promise<void> {
  const query = { uploadId }
  await bucket.send('DELETE', key, { query, limitMs: ANSWER_MS, expects: 204 }).catch(() => undefined)
}

/** Aborts uploads whose process died. Services that cannot list them let them expire. */
async function abortUploadsOf(bucket: S3Bucket, key: string): Promise<void> {
  const query = { uploads: '', prefix: key }
  const answer = await bucket.ask('GET', '', { query, limitMs: ANSWER_MS }).catch((): S3Answer => ({}))
  for (const { Key, UploadId } of answer.ListMultipartUploadsResult?.Upload ?? []) {
    if (Key === key) await abortUpload(bucket, key, UploadId)
  }
}

/** Fails if the service sends nothing while we wait; a slow reader is not limited. */
async function* bytesOf(answer: Response): AsyncGenerator<Uint8Array> {
  const reader = answer.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read(), SILENCE_MS)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
