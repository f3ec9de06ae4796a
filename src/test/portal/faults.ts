import type { PhpParameters } from './parameters.ts'

/** A fault of one request: an error, another body, or a broken or slow connection. */
export type PortalFault =
  /** An error response in the format of the portal, with HTTP 200 by default. */
  | { kind: 'error'; status?: number; code: string | number; description?: string }
  /** A page instead of JSON. */
  | { kind: 'html'; status?: number }
  /** The connection breaks before the request takes effect. */
  | { kind: 'drop-before' }
  /** The request takes effect, but the connection breaks before the response. */
  | { kind: 'drop-after' }
  /** The response breaks off in the middle. */
  | { kind: 'cut' }
  /** A recording is sent byte by byte. */
  | { kind: 'trickle'; everyMs: number }
  /** The response is late. */
  | { kind: 'slow'; ms: number }
  /** No response. */
  | { kind: 'silent' }
  /** Another result than the method's. */
  | { kind: 'result'; result: unknown }

/** A fault with a filter for the requests that get it. */
export interface PlannedFault {
  /** The method; `download` is a download of a recording. Without it, all methods get the fault. */
  method?: string
  /** Selects requests by their parameters. */
  when?: (parameters: PhpParameters) => boolean
  /** The number of affected requests; by default all. */
  times?: number
  fault: PortalFault
}

/** An error that a method of the test portal returns. */
export class PortalError extends Error {
  readonly status: number
  readonly code: string | number
  constructor(status: number, code: string | number, description = '') {
    super(description)
    this.status = status
    this.code = code
  }
}

/** Common errors of Bitrix24 with its original codes and texts. */
export const PORTAL_ERRORS = {
  tooMany: new PortalError(503, 'QUERY_LIMIT_EXCEEDED', 'Too many requests'),
  operating: new PortalError(429, 'OPERATION_TIME_LIMIT', 'Method is blocked due to operation time limit.'),
  overload: new PortalError(503, 'OVERLOAD_LIMIT', 'REST API is blocked due to overload.'),
  credentials: new PortalError(401, 'INVALID_CREDENTIALS', 'Invalid request credentials'),
  noAuth: new PortalError(401, 'NO_AUTH_FOUND', 'Wrong authorization data'),
  expired: new PortalError(401, 'expired_token', 'The access token provided has expired.'),
  scope: new PortalError(
    401,
    'insufficient_scope',
    'The request requires higher privileges than provided by the webhook token',
  ),
  denied: new PortalError(403, 'ACCESS_DENIED', 'Access denied!'),
  plan: new PortalError(403, 'ACCESS_DENIED', 'REST is available only on commercial plans.'),
  noMethod: new PortalError(404, 'ERROR_METHOD_NOT_FOUND', 'Method not found!'),
  https: new PortalError(400, 'INVALID_REQUEST', 'Https required.'),
  internal: new PortalError(500, 'INTERNAL_SERVER_ERROR', 'Internal server error'),
} as const

/** Converts an error to a fault, so that the next request gets this error. */
export const toPortalFault = ({ status, code, message }: PortalError): PortalFault => ({
  kind: 'error',
  status,
  code,
  description: message,
})

export const LOGIN_PAGE_HTML =
  '<!DOCTYPE html><html><head><title>Bitrix24</title></head><body><form>Login</form></body></html>'
