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
export const unauthorizedError = () => new HttpError(401, httpMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
export const forbiddenError = (message: Message = httpMessages.forbidden()) => new HttpError(403, message)
export const notFoundError = (message: Message = httpMessages.notFound()) => new HttpError(404, message)
export const methodNotAllowedError = (allow: string) =>
  new HttpError(405, httpMessages.methodNotAllowed({ methods: allow }), { Allow: allow })
export const conflictError = (message: Message, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
export const payloadTooLargeError = (message: Message) => new HttpError(413, message)
export const unsupportedMediaTypeError = (expected: string) =>
  new HttpError(415, httpMessages.unsupportedMediaType({ expected }))
export const tooManyRequestsError = (retryAfterSeconds: number) =>
  new HttpError(429, httpMessages.tooManyLogins({ seconds: retryAfterSeconds }), {
    'Retry-After': String(retryAfterSeconds),
  })
