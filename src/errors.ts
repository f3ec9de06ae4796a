import { httpMessages } from './http/messages.ts'
import type { Message } from './lib/messages.ts'

/** A message; text without an id is what no feature has a template for yet. */
export type Said = Message | string

/** The one vocabulary of errors; http/errors.ts renders them in the one shape. */
export class HttpError extends Error {
  readonly statusCode: number
  /** What it says: one message, or for validation one a field. */
  readonly messages: Said | Said[]
  readonly headers: Record<string, string>
  /** The same for whoever prefers Russian, where it is known. */
  readonly inRussian: string | string[] | undefined

  constructor(
    statusCode: number,
    messages: Said | Said[],
    headers: Record<string, string> = {},
    inRussian?: string | string[],
  ) {
    super([messages].flat().join('; '))
    this.statusCode = statusCode
    this.messages = messages
    this.headers = headers
    this.inRussian = inRussian
  }
}

/** 400: a message about the whole request, an array (one a field) for fields. */
export const badRequest = (messages: Said | Said[], inRussian?: string | string[]) =>
  new HttpError(400, messages, {}, inRussian)
export const unauthorized = () => new HttpError(401, httpMessages.unauthorized(), { 'WWW-Authenticate': 'Bearer' })
export const forbidden = (message: Said = httpMessages.forbidden()) => new HttpError(403, message)
export const notFound = (message: Said = httpMessages.notFound()) => new HttpError(404, message)
export const methodNotAllowed = (allow: string) =>
  new HttpError(405, httpMessages.methodNotAllowed({ methods: allow }), { Allow: allow })
export const conflict = (message: Said, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
/** 409 with everything that is in the way: one sentence as it is, several as one string each. */
export const conflicts = (messages: Said[]) => new HttpError(409, messages.length > 1 ? messages : messages[0]!)

/** Goes on after a 409, which it adds to what is in the way already. @throws what is no 409 */
export async function gatherConflicts(messages: Said[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof HttpError && error.statusCode === 409)) throw error
    messages.push(...[error.messages].flat())
  }
}
export const tooLarge = (message: Said) => new HttpError(413, message)
export const unsupportedMediaType = (expected: string) =>
  new HttpError(415, httpMessages.unsupportedMediaType({ expected }))
export const tooManyRequests = (retryAfterSeconds: number) =>
  new HttpError(429, httpMessages.tooManyLogins({ seconds: retryAfterSeconds }), {
    'Retry-After': String(retryAfterSeconds),
  })
