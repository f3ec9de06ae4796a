import { httpMessages } from './http/messages.ts'
import type { Message } from './lib/messages.ts'

/** The common errors of the product; http/errors.ts renders them in one shape. */
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

/** The maximum number of violations in a response: more help nobody, and each takes time. */
export const MAX_VIOLATIONS = 50

/** 400: a message about the whole request, or an array with one per field; callers can set another limit. */
export const badRequestError = (messages: Message | Message[], limit = MAX_VIOLATIONS) =>
  new HttpError(400, Array.isArray(messages) ? messages.slice(0, limit) : messages)
/** 401: nobody is logged in, and no valid key was sent. */
export const unauthorizedError = () => new HttpError(401, httpMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
/** 403: the caller is known but lacks a right. */
export const forbiddenError = (message: Message = httpMessages.forbidden()) => new HttpError(403, message)
/** 404: the object does not exist, or the caller cannot see it. */
export const notFoundError = (message: Message = httpMessages.notFound()) => new HttpError(404, message)
/** 405. @param allow the methods of this path, separated by commas */
export const methodNotAllowedError = (allow: string) =>
  new HttpError(405, httpMessages.methodNotAllowed({ methods: allow }), { Allow: allow })
/** 409: the state of the object forbids the change. @param location the object that is in the way */
export const conflictError = (message: Message, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
/** 413: the body exceeds a limit. */
export const payloadTooLargeError = (message: Message) => new HttpError(413, message)
/** 415. @param expected the accepted content type */
export const unsupportedMediaTypeError = (expected: string) =>
  new HttpError(415, httpMessages.unsupportedMediaType({ expected }))
/** 429: too many logins failed. */
export const tooManyRequestsError = (retryAfterSeconds: number) =>
  new HttpError(429, httpMessages.tooManyLogins({ seconds: retryAfterSeconds }), {
    'Retry-After': String(retryAfterSeconds),
  })
