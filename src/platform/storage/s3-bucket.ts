import { S3Errors, type S3Client } from '@bradenmacdonald/s3-lite-client'
import { ObjectMissing, StorageUnavailable } from './index.ts'
import { storageMessages } from './messages.ts'
import { readAnswer, type S3Answer } from './s3-answer.ts'

interface S3Request {
  query?: string | Record<string, string>
  headers?: Record<string, string>
  payload?: Buffer
  /** The status of success; 200 by default. */
  expects?: number
  limitMs: number
  /** Returns the body; it is discarded by default. */
  wantsBody?: boolean
}

const TRIES = 3
const FIRST_PAUSE_MS = 200

/** Error codes of the service or our access to it, not of one object. */
const SERVICE_CODES = new Set([
  'NoSuchBucket',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'RequestTimeTooSkewed',
  'AuthorizationHeaderMalformed',
  'UnexpectedRedirect',
])

/** Requests to one bucket: adds time limits, retries and our errors to the client, which signs and sends. */
export class S3Bucket {
  constructor(private readonly client: S3Client) {}

  /** @throws ObjectMissing, StorageUnavailable, or another error of this object alone */
  async send(method: string, key: string, request: S3Request): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await withinTime(this.sendOnce(method, key, request), request.limitMs)
      } catch (error) {
        const canRetry = isTransient(error) && method !== 'POST' && attempt < TRIES
        if (!canRetry) throw this.asStorageError(error, method, key)
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt))
      }
    }
  }

  async ask(method: string, key: string, request: S3Request): Promise<S3Answer> {
    const answer = await this.send(method, key, { ...request, wantsBody: true })
    return withinTime(readAnswer(answer), request.limitMs).catch((error: unknown) => {
      throw this.asStorageError(error, method, key)
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

  private asStorageError(error: unknown, method: string, key: string): Error {
    if (error instanceof StorageUnavailable) return error
    if (!(error instanceof S3Errors.ServerError)) return unavailable(reasonOf(error))
    const { statusCode, code } = error
    // A response to HEAD has no body with a reason.
    const isService = SERVICE_CODES.has(code) || (method === 'HEAD' && statusCode === 403)
    if (isTransient(error) || isService) return unavailable(method === 'HEAD' ? `status ${statusCode}` : code)
    if (statusCode === 404) return new ObjectMissing(key)
    return new Error(`The storage refuses the object (${code || statusCode})`)
  }
}

export const unavailable = (reason: string) =>
  new StorageUnavailable(storageMessages.noAnswer({ reason: reason || storageMessages.noReason() }))

/** Whether a retry can succeed a moment later. */
function isTransient(error: unknown): boolean {
  if (error instanceof S3Errors.ServerError) {
    return (error.statusCode >= 500 && error.statusCode !== 501) || error.statusCode === 429
  }
  return !(error instanceof StorageUnavailable) && !(error instanceof S3Errors.S3Error)
}

function reasonOf(error: unknown): string {
  const { code, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string }
  return code ?? cause?.code ?? message ?? 'unknown'
}

/** @throws StorageUnavailable when the work takes longer */
export async function withinTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageUnavailable(storageMessages.late({ seconds: limitMs / 1000 }))), limitMs)
  })
  // The call goes on in the background.
  work.catch(() => undefined)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
