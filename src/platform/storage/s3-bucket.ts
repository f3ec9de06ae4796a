import { S3Errors, type S3Client } from '@bradenmacdonald/s3-lite-client'
import { StorageObjectMissingError, StorageUnavailableError } from './storage.ts'
import { storageMessages } from './messages.ts'
import { parseS3Response, type S3Response } from './s3-response.ts'

interface S3Request {
  query?: string | Record<string, string>
  headers?: Record<string, string>
  payload?: Buffer
  /** Status of success; 200 by default. */
  expects?: number
  limitMs: number
  /** Returns the response body; by default it is discarded. */
  wantsBody?: boolean
}

const MAX_ATTEMPTS = 3
const FIRST_PAUSE_MS = 200

/** Error codes that concern the service or our access to it, not one object. */
const SERVICE_CODES = new Set([
  'NoSuchBucket',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
  'AuthorizationHeaderMalformed',
  'UnexpectedRedirect',
])

/** Sends requests to one bucket with time limits, retries and our errors. The client signs the requests. */
export class S3Bucket {
  constructor(private readonly client: S3Client) {}

  /**
   * Sends a request, up to three times unless it is a POST. The time limit applies to each attempt.
   * @throws StorageObjectMissingError, StorageUnavailableError, or an Error if the service rejects the object
   */
  async send(method: string, key: string, request: S3Request): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withStorageTimeLimit(this.sendOnce(method, key, request), request.limitMs)
      } catch (error) {
        const canRetry = isTransient(error) && method !== 'POST' && attempt < MAX_ATTEMPTS
        if (!canRetry) throw this.toStorageError(error, method, key)
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
      }
    }
  }

  async fetchXml(method: string, key: string, request: S3Request): Promise<S3Response> {
    const response = await this.send(method, key, { ...request, wantsBody: true })
    return withStorageTimeLimit(parseS3Response(response), request.limitMs).catch((error: unknown) => {
      throw this.toStorageError(error, method, key)
    })
  }

  private sendOnce(method: string, key: string, request: S3Request): Promise<Response> {
    return this.client.makeRequest({
      method,
      objectName: key,
      ...(request.query !== undefined && { query: request.query }),
      headers: new Headers(request.headers),
      ...(request.payload && { payload: request.payload as Uint8Array<ArrayBuffer> }),
      statusCode: request.expects ?? 200,
      returnBody: request.wantsBody ?? false,
    })
  }

  private toStorageError(error: unknown, method: string, key: string): Error {
    if (error instanceof StorageUnavailableError) return error
    if (!(error instanceof S3Errors.ServerError)) return createStorageUnavailableError(findReason(error))
    const { statusCode, code } = error
    // A response to HEAD has no body with a code, so 403 means rejected credentials.
    const isService = SERVICE_CODES.has(code) || (method === 'HEAD' && statusCode === 403)
    if (isTransient(error) || isService)
      return createStorageUnavailableError(method === 'HEAD' ? `status ${statusCode}` : code)
    if (statusCode === 404) return new StorageObjectMissingError(key)
    return new Error(`The storage refuses the object (${code || statusCode})`)
  }
}

/** Creates the error for a storage that does not respond. @param reason code or message; empty if unknown */
export const createStorageUnavailableError = (reason: string) =>
  new StorageUnavailableError(storageMessages.noAnswer({ reason: reason || storageMessages.noReason() }))

/** Returns true if a retry can help: server errors, throttling and network errors. */
function isTransient(error: unknown): boolean {
  if (error instanceof S3Errors.ServerError) {
    return (error.statusCode >= 500 && error.statusCode !== 501) || error.statusCode === 429
  }
  return !(error instanceof StorageUnavailableError) && !(error instanceof S3Errors.S3Error)
}

function findReason(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}

/** Waits for `work` up to `limitMs` milliseconds. @throws StorageUnavailableError after the limit */
export async function withStorageTimeLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StorageUnavailableError(storageMessages.late({ seconds: limitMs / 1000 }))),
      limitMs,
    )
  })
  // The request continues in the background, so ignore its error.
  work.catch(() => undefined)
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
