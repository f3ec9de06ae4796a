import { httpMessages } from './http/messages.ts'
import type { Message } from './lib/messages.ts'

/** The one vocabulary of errors; http/errors.ts renders them in the one shape. */
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

/** So many violations one answer names: more help nobody, and each takes its time. */
export const MOST_VIOLATIONS = 50

/** 400: a message about the whole request, an array (one a field) for fields; whoever has a bound of their own gives it. */
export const badRequest = (messages: Message | Message[], most = MOST_VIOLATIONS) =>
  new HttpError(400, Array.isArray(messages) ? messages.slice(0, most) : messages)
export const unauthorized = () => new HttpError(401, httpMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
export const forbidden = (message: Message = httpMessages.forbidden()) => new HttpError(403, message)
export const notFound = (message: Message = httpMessages.notFound()) => new HttpError(404, message)
export const methodNotAllowed = (allow: string) =>
  new HttpError(405, httpMessages.methodNotAllowed({ methods: allow }), { Allow: allow })
export const conflict = (message: Message, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
export const tooLarge = (message: Message) => new HttpError(413, message)
export const unsupportedMediaType = (expected: string) =>
  new HttpError(415, httpMessages.unsupportedMediaType({ expected }))
export const tooManyRequests = (retryAfterSeconds: number) =>
  new HttpError(429, httpMessages.tooManyLogins({ seconds: retryAfterSeconds }), {
    'Retry-After': String(retryAfterSeconds),
  })
