import type { Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { S3Client } from '@bradenmacdonald/s3-lite-client'
import { Semaphore, withTimeout } from 'async-mutex'
import { install } from 'undici'
import { ConfigError, type Config } from '../config/config.ts'
import { withTrailingSlash } from '../lib/environment-variables.ts'
import { isPlainKey, ObjectMissingError, type ListedObject, type ObjectInfo, type AudioStorage } from './storage.ts'
import { KEYS_PER_PAGE, type S3Response } from './s3-response.ts'
import { S3Bucket, createUnavailableError, withTimeLimit } from './s3-bucket.ts'
import { spoolToDisk } from './spool-to-disk.ts'

/** Limit of small requests. */
const RESPONSE_TIMEOUT_MS = 30_000
/** Limit of one part of an upload, and of putting the parts together. */
const TRANSFER_TIMEOUT_MS = 120_000
/** A download that sends nothing for so long has failed. */
const IDLE_TIMEOUT_MS = 60_000

/** S3 allows 10,000 parts; one that is not the last has at least 5 MB. */
const MIN_PART_MB = 8
const MAX_PARTS = 10_000

/** Uploads at once whose parts are collected in memory; the others are spooled to the disk. */
const MAX_STREAMED_UPLOADS = 4
/** Spooled uploads that are sent at once. */
const MAX_SPOOLED_UPLOADS = 2
const UPLOAD_WAIT_MS = 600_000

/** Audio in a bucket of an S3-compatible service. */
export class S3Storage implements AudioStorage {
  readonly kind = 's3'
  readonly uploadPrefix: string
  private readonly bucket: S3Bucket
  private readonly partBytes: number
  private readonly streamedUploads = new Semaphore(MAX_STREAMED_UPLOADS)
  private readonly spooledUploads = withTimeout(
    new Semaphore(MAX_SPOOLED_UPLOADS),
    UPLOAD_WAIT_MS,
    createUnavailableError('too many uploads at once'),
  )

  /** @throws ConfigError */
  constructor(config: Config) {
    this.uploadPrefix = withTrailingSlash(config.S3_UPLOAD_PREFIX)
    this.partBytes = Math.max(MIN_PART_MB, Math.ceil((config.MAX_UPLOAD_MB + 1) / MAX_PARTS)) * 1024 * 1024
    this.bucket = new S3Bucket(createClient(config))
  }

  /** All uploads together have at most twelve parts in memory. */
  async write(key: string, content: Readable, hash?: Hash): Promise<number> {
    this.requireStorableKey(key)
    try {
      if (!this.streamedUploads.isLocked())
        return await this.streamedUploads.runExclusive(() => this.send(key, content, hash))
      return await spoolToDisk(content, (spooled) =>
        this.spooledUploads.runExclusive(() => this.send(key, spooled, hash)),
      )
    } catch (error) {
      content.resume() // clients do not read the response until they have sent the whole body
      throw error
    }
  }

  /** Has at most two parts in memory: one that is sent, and one that fills meanwhile. */
  private async send(key: string, content: Readable, hash?: Hash): Promise<number> {
    let size = 0
    let upload: MultipartUpload | undefined
    let sending: Promise<void> | undefined
    try {
      for await (const part of splitIntoParts(content, this.partBytes, hash)) {
        await sending
        size += part.length
        if (!upload && part.length < this.partBytes) {
          await this.bucket.send('PUT', key, { payload: part, limitMs: TRANSFER_TIMEOUT_MS })
          return size
        }
        upload ??= await MultipartUpload.begin(this.bucket, key)
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
    this.requireStorableKey(key)
    const { headers } = await this.bucket.send('HEAD', key, { limitMs: RESPONSE_TIMEOUT_MS })
    const modifiedAt = new Date(headers.get('last-modified') ?? 0)
    const size = Number(headers.get('content-length'))
    return { size, modifiedAt, tag: normalizeTag(headers.get('etag')) || `${size}-${modifiedAt.getTime()}` }
  }

  async read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    this.requireStorableKey(key)
    const response = await this.bucket.send('GET', key, {
      limitMs: RESPONSE_TIMEOUT_MS,
      headers: range && { Range: `bytes=${range.start}-${range.end}` },
      expects: range ? 206 : 200,
      wantsBody: true,
    })
    return Readable.from(readBytes(response), { objectMode: false })
  }

  async remove(key: string): Promise<void> {
    this.requireStorableKey(key)
    await this.bucket.send('DELETE', key, { limitMs: RESPONSE_TIMEOUT_MS, expects: 204 }).catch((error: unknown) => {
      if (!(error instanceof ObjectMissingError)) throw error
    })
    await abortStaleUploads(this.bucket, key)
  }

  async *list(folder: string): AsyncIterable<ListedObject> {
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        'max-keys': String(KEYS_PER_PAGE),
        prefix: folder,
        ...(token && { 'continuation-token': token }),
      }
      const { ListBucketResult: page } = await this.bucket.fetchXml('GET', '', { query, limitMs: RESPONSE_TIMEOUT_MS })
      if (page === undefined) throw createUnavailableError('its answer is no list')
      for (const { Key: key, Size, LastModified, ETag } of page.Contents) {
        const size = Number(Size)
        const version = `${size}-${LastModified}-${normalizeTag(ETag)}`
        if (isStorableKey(key) && !isHidden(key.slice(folder.length))) yield { key, size, version }
      }
      token = page.IsTruncated === 'true' ? page.NextContinuationToken : undefined
    } while (token)
  }

  async freeBytes(): Promise<null> {
    return null
  }

  private requireStorableKey(key: string): void {
    if (!isStorableKey(key)) throw new ObjectMissingError(key)
  }
}

/** The client signs a path only up to «?». */
const isStorableKey = (key: string): boolean => isPlainKey(key) && Buffer.byteLength(key) <= 1024 && !key.includes('?')

const isHidden = (path: string): boolean => /(^|\/)\./.test(path)

const normalizeTag = (tag: string | null): string => (tag ?? '').replace(/^W\//, '').replaceAll('"', '')

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
async function* splitIntoParts(content: Readable, partBytes: number, hash?: Hash): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  let isEmpty = true
  // If storing fails, write() drains the sender's stream.
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    hash?.update(chunk)
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(part, filled, at)
      at += copied
      filled += copied
      if (filled < partBytes) continue
      yield part
      isEmpty = false
      part = Buffer.allocUnsafe(partBytes)
      filled = 0
    }
  }
  if (filled > 0 || isEmpty) yield part.subarray(0, filled)
}

/** A multipart upload: the object appears when it is complete. */
class MultipartUpload {
  private readonly tags: string[] = []

  private constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private readonly id: string,
  ) {}

  static async begin(bucket: S3Bucket, key: string): Promise<MultipartUpload> {
    const response = await bucket.fetchXml('POST', key, { query: 'uploads', limitMs: RESPONSE_TIMEOUT_MS })
    const id = response.InitiateMultipartUploadResult?.UploadId
    if (!id) throw createUnavailableError(response.Error?.Code ?? '')
    return new MultipartUpload(bucket, key, id)
  }

  async send(payload: Buffer): Promise<void> {
    const query = { partNumber: String(this.tags.length + 1), uploadId: this.id }
    const { headers } = await this.bucket.send('PUT', this.key, { query, payload, limitMs: TRANSFER_TIMEOUT_MS })
    this.tags.push(headers.get('etag') ?? '')
  }

  /** @throws StorageUnavailableError also if a response with status 200 has an error in its body */
  async complete(): Promise<void> {
    const parts = this.tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    const payload = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    )
    const query = `uploadId=${encodeURIComponent(this.id)}`
    const response = await this.bucket.fetchXml('POST', this.key, { query, payload, limitMs: TRANSFER_TIMEOUT_MS })
    if (response.CompleteMultipartUploadResult === undefined) throw createUnavailableError(response.Error?.Code ?? '')
  }

  /** The service keeps, and charges for, the parts of an upload that never ends. */
  async abort(): Promise<void> {
    await abortUpload(this.bucket, this.key, this.id)
  }
}

async function abortUpload(bucket: S3Bucket, key: string, uploadId: string): Promise<void> {
  const query = { uploadId }
  await bucket.send('DELETE', key, { query, limitMs: RESPONSE_TIMEOUT_MS, expects: 204 }).catch(() => undefined)
}

/** Aborts uploads whose process died. Services that cannot list them let them expire. */
async function abortStaleUploads(bucket: S3Bucket, key: string): Promise<void> {
  const query = { uploads: '', prefix: key }
  const response = await bucket
    .fetchXml('GET', '', { query, limitMs: RESPONSE_TIMEOUT_MS })
    .catch((): S3Response => ({}))
  for (const { Key, UploadId } of response.ListMultipartUploadsResult?.Upload ?? []) {
    if (Key === key) await abortUpload(bucket, key, UploadId)
  }
}

/** Fails if the service sends nothing while we wait; a slow reader is not limited. */
async function* readBytes(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await withTimeLimit(reader.read(), IDLE_TIMEOUT_MS)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
