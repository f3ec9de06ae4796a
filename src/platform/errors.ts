import { httpMessages } from './http/messages.ts'
import type { Message } from './lib/messages.ts'

/** Represents an error response with a status, messages and headers. http/errors.ts renders all of them in one shape. */
export class HttpError extends Error {
  constructor(
    readonly statusCode: number,
    /** One message, or one per field for validation errors. */
    readonly messages: Message | Message[],
    readonly headers: Record<string, string> = {},
  ) {
    super([messages].flat().join('; '))
  }
}

/** Limits the violations in one response. More do not help the caller, and each costs time. */
export const MAX_RESPONSE_VIOLATIONS = 50

/** Creates an HttpError 400. @param messages one about the request, or an array with one per field, cut off at `limit` */
export const badRequestError = (messages: Message | Message[], limit = MAX_RESPONSE_VIOLATIONS) =>
  new HttpError(400, Array.isArray(messages) ? messages.slice(0, limit) : messages)
/** Creates an HttpError 401 for a caller without valid credentials. */
export const unauthorizedError = () => new HttpError(401, httpMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
/** Creates an HttpError 403 for a request that the caller is not allowed to make. */
export const forbiddenError = (message: Message = httpMessages.forbidden()) => new HttpError(403, message)
/** Creates an HttpError 404 for a missing object or one that the caller cannot see. */
export const notFoundError = (message: Message = httpMessages.notFound()) => new HttpError(404, message)
/** Creates an HttpError 405. @param allow the methods of the path, separated by commas */
export const methodNotAllowedError = (allow: string) =>
  new HttpError(405, httpMessages.methodNotAllowed({ methods: allow }), { Allow: allow })
/**
 * Creates an HttpError 409 for a change that conflicts with the present state. @param location address of the conflicting object
 */
export const conflictError = (message: Message, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
/** Creates an HttpError 413 for a body or file above its limit. */
export const payloadTooLargeError = (message: Message) => new HttpError(413, message)
/** Creates an HttpError 415. @param expected the accepted content type */
export const unsupportedMediaTypeError = (expected: string) =>
  new HttpError(415, httpMessages.unsupportedMediaType({ expected }))
/** Creates an HttpError 429 with Retry-After for too many failed logins. */
export const tooManyRequestsError = (retryAfterSeconds: number) =>
  new HttpError(429, httpMessages.tooManyLogins({ seconds: retryAfterSeconds }), {
    'Retry-After': String(retryAfterSeconds),
  })
