import type { Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { S3Client } from '@bradenmacdonald/s3-lite-client'
import { Semaphore, withTimeout } from 'async-mutex'
import { install } from 'undici'
import { ConfigError, type Config } from '../config/config.ts'
import { withTrailingSlash } from '../lib/environment-variables.ts'
import {
  isPlainStorageKey,
  StorageObjectMissingError,
  type ListedStorageObject,
  type StorageObjectInfo,
  type AudioStorage,
} from './storage.ts'
import { S3_KEYS_PER_PAGE, type S3Response } from './s3-response.ts'
import { S3Bucket, createStorageUnavailableError, withStorageTimeLimit } from './s3-bucket.ts'
import { spoolToDisk } from './spool-to-disk.ts'

/** Time limit of requests without audio. */
const RESPONSE_TIMEOUT_MS = 30_000
/** Time limit of one part of an upload, and of combining the parts. */
const TRANSFER_TIMEOUT_MS = 120_000
/** A download fails if the service sends nothing for this time. */
const IDLE_TIMEOUT_MS = 60_000

/** S3 allows 10,000 parts, and all but the last must have at least 5 MB. */
const MIN_PART_MB = 8
const MAX_PARTS = 10_000

/** Limits the uploads that collect their parts in memory. Further uploads are spooled to disk. */
const MAX_STREAMED_UPLOADS = 4
/** Limits the spooled uploads that are sent in parallel. */
const MAX_SPOOLED_UPLOADS = 2
const UPLOAD_WAIT_MS = 600_000

/** Stores audio in a bucket of an S3-compatible service. */
export class S3AudioStorage implements AudioStorage {
  readonly kind = 's3'
  readonly uploadPrefix: string
  private readonly bucket: S3Bucket
  private readonly partBytes: number
  private readonly streamedUploads = new Semaphore(MAX_STREAMED_UPLOADS)
  private readonly spooledUploads = withTimeout(
    new Semaphore(MAX_SPOOLED_UPLOADS),
    UPLOAD_WAIT_MS,
    createStorageUnavailableError('too many uploads at once'),
  )

  /** @throws ConfigError for an invalid endpoint or key */
  constructor(config: Config) {
    this.uploadPrefix = withTrailingSlash(config.S3_UPLOAD_PREFIX)
    this.partBytes = Math.max(MIN_PART_MB, Math.ceil((config.MAX_UPLOAD_MB + 1) / MAX_PARTS)) * 1024 * 1024
    this.bucket = new S3Bucket(createClient(config))
  }

  /** Keeps at most twelve parts of all uploads in memory. */
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

  /** Keeps two parts in memory: one is sent while the next one fills. */
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
        sending.catch(() => undefined) // awaited in the next iteration
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

  async stat(key: string): Promise<StorageObjectInfo> {
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
      if (!(error instanceof StorageObjectMissingError)) throw error
    })
    await abortStaleUploads(this.bucket, key)
  }

  async *list(folder: string): AsyncIterable<ListedStorageObject> {
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        'max-keys': String(S3_KEYS_PER_PAGE),
        prefix: folder,
        ...(token && { 'continuation-token': token }),
      }
      const { ListBucketResult: page } = await this.bucket.fetchXml('GET', '', { query, limitMs: RESPONSE_TIMEOUT_MS })
      if (page === undefined) throw createStorageUnavailableError('its answer is no list')
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
    if (!isStorableKey(key)) throw new StorageObjectMissingError(key)
  }
}

/** Rejects keys with a question mark, because the client signs a path only up to it. */
const isStorableKey = (key: string): boolean =>
  isPlainStorageKey(key) && Buffer.byteLength(key) <= 1024 && !key.includes('?')

const isHidden = (path: string): boolean => /(^|\/)\./.test(path)

const normalizeTag = (tag: string | null): string => (tag ?? '').replace(/^W\//, '').replaceAll('"', '')

function createClient(config: Config): S3Client {
  // Replace the global fetch, which the client calls. Node 20's fetch fails on Content-Length after undici 7 is loaded.
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

/** Splits a stream into parts of equal size; the last can be shorter. An empty stream gives one empty part. */
async function* splitIntoParts(content: Readable, partBytes: number, hash?: Hash): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  let isEmpty = true
  // Keep the sender's stream open, because write() drains it if storing fails.
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

/** Uploads an object in parts. The object appears when all parts are complete. */
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
    if (!id) throw createStorageUnavailableError(response.Error?.Code ?? '')
    return new MultipartUpload(bucket, key, id)
  }

  async send(payload: Buffer): Promise<void> {
    const query = { partNumber: String(this.tags.length + 1), uploadId: this.id }
    const { headers } = await this.bucket.send('PUT', this.key, { query, payload, limitMs: TRANSFER_TIMEOUT_MS })
    this.tags.push(headers.get('etag') ?? '')
  }

  /** Combines the parts. @throws StorageUnavailableError, also if a response with status 200 contains an error */
  async complete(): Promise<void> {
    const parts = this.tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
    const payload = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
    )
    const query = `uploadId=${encodeURIComponent(this.id)}`
    const response = await this.bucket.fetchXml('POST', this.key, { query, payload, limitMs: TRANSFER_TIMEOUT_MS })
    if (response.CompleteMultipartUploadResult === undefined)
      throw createStorageUnavailableError(response.Error?.Code ?? '')
  }

  /** Deletes the parts, because the service stores and charges for them until the upload ends. */
  async abort(): Promise<void> {
    await abortUpload(this.bucket, this.key, this.id)
  }
}

async function abortUpload(bucket: S3Bucket, key: string, uploadId: string): Promise<void> {
  const query = { uploadId }
  await bucket.send('DELETE', key, { query, limitMs: RESPONSE_TIMEOUT_MS, expects: 204 }).catch(() => undefined)
}

/** Aborts the unfinished uploads of a key, which crashed processes leave. Ignores services that cannot list uploads. */
async function abortStaleUploads(bucket: S3Bucket, key: string): Promise<void> {
  const query = { uploads: '', prefix: key }
  const response = await bucket
    .fetchXml('GET', '', { query, limitMs: RESPONSE_TIMEOUT_MS })
    .catch((): S3Response => ({}))
  for (const { Key, UploadId } of response.ListMultipartUploadsResult?.Upload ?? []) {
    if (Key === key) await abortUpload(bucket, key, UploadId)
  }
}

/** Yields the bytes of a response. Fails if the service sends nothing for 60 s; the reader can be slow. */
async function* readBytes(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await withStorageTimeLimit(reader.read(), IDLE_TIMEOUT_MS)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
