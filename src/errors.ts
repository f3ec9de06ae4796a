/** The one vocabulary of errors; http/errors.ts renders them in the one shape. */
export class HttpError extends Error {
  readonly statusCode: number
  /** One string, or for validation one string a field. */
  readonly details: string | string[]
  readonly headers: Record<string, string>
  /** The same for whoever prefers Russian, where it is known. */
  readonly inRussian: string | string[] | undefined

  constructor(
    statusCode: number,
    details: string | string[],
    headers: Record<string, string> = {},
    inRussian?: string | string[],
  ) {
    super(Array.isArray(details) ? details.join('; ') : details)
    this.statusCode = statusCode
    this.details = details
    this.headers = headers
    this.inRussian = inRussian
  }
}

/** 400: a string for a violation of the whole request, an array (one string a field) for fields. */
export const badRequest = (details: string | string[], inRussian?: string | string[]) =>
  new HttpError(400, details, {}, inRussian)
export const unauthorized = () => new HttpError(401, 'Missing or invalid credentials', { 'WWW-Authenticate': 'Bearer' })
export const forbidden = (message = 'Your role does not allow this') => new HttpError(403, message)
export const notFound = (message = 'Not found') => new HttpError(404, message)
export const methodNotAllowed = (allow: string) => new HttpError(405, `This address takes ${allow}`, { Allow: allow })
export const conflict = (message: string, location?: string) =>
  new HttpError(409, message, location ? { Location: location } : {})
/** 409 with everything that is in the way: one sentence as it is, several as one string each. */
export const conflicts = (messages: string[]) => new HttpError(409, messages.length > 1 ? messages : messages[0]!)

/** Goes on after a 409, which it adds to what is in the way already. @throws what is no 409 */
export async function gatherConflicts(messages: string[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof HttpError && error.statusCode === 409)) throw error
    messages.push(...[error.details].flat())
  }
}
export const tooLarge = (message: string) => new HttpError(413, message)
export const unsupportedMediaType = (expected: string) => new HttpError(415, `The body must be ${expected}`)
export const tooManyRequests = (retryAfterSeconds: number) =>
  new HttpError(429, `Too many failed logins. Try again in ${retryAfterSeconds} seconds`, {
    'Retry-After': String(retryAfterSeconds),
  })
